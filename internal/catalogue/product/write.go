package product

import (
	"io"

	"go.yaml.in/yaml/v3"
)

// Write writes attributes, levels and forbidden combinations as YAML that [Read] reads.
func (p *Profiles) Write(w io.Writer) error {
	text := func(value string) *yaml.Node {
		node := &yaml.Node{}
		node.SetString(value)
		return node
	}
	list := func(values []string) *yaml.Node {
		node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, value := range values {
			node.Content = append(node.Content, text(value))
		}
		return node
	}
	attributes := &yaml.Node{Kind: yaml.MappingNode}
	for _, a := range p.Attributes {
		attributes.Content = append(attributes.Content, text(a.Name), list(a.Levels))
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text(attributesKey), attributes}}
	if len(p.Forbidden) > 0 {
		forbidden := &yaml.Node{Kind: yaml.SequenceNode}
		for _, combination := range p.Forbidden {
			entry := &yaml.Node{Kind: yaml.MappingNode}
			for _, part := range combination {
				entry.Content = append(entry.Content, text(part.Attribute), list(part.Levels))
			}
			forbidden.Content = append(forbidden.Content, entry)
		}
		root.Content = append(root.Content, text(forbiddenKey), forbidden)
	}
	data, err := yaml.Marshal(root)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
