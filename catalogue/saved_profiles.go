package catalogue

import (
	"archive/zip"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"

	"bestpick/table"
)

// writeProfiles writes attributes, levels and forbidden combinations as [ReadProfiles] reads
// them.
func writeProfiles(w io.Writer, s *Saved) error {
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
	for _, a := range s.Profiles.Attributes {
		attributes.Content = append(attributes.Content, text(a.Name), list(a.Levels))
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text(attributesKey), attributes}}
	if len(s.Profiles.Forbidden) > 0 {
		forbidden := &yaml.Node{Kind: yaml.SequenceNode}
		for _, combination := range s.Profiles.Forbidden {
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

// loadProfiles reads those of a saved product, whose encoding says what the attributes are.
func (s *Saved) loadProfiles(archive *zip.Reader, size int64, limits table.Limits) error {
	text, err := readPart(archive, profilesFile, size, limits)
	if err != nil {
		return err
	}
	s.Profiles, err = parseProfiles(text, profilesFile, func(a Attribute) Kind {
		if c := s.Encoding.coding(a.Name); c != nil {
			return c.Kind
		}
		return Category // it does not matter what a constant is
	})
	if err != nil {
		return damaged(profilesFile, err)
	}
	fresh, err := NewProductEncoding(s.Profiles)
	if err != nil {
		return damaged(profilesFile, err)
	}
	if !sameColumns(fresh, s.Encoding) {
		return damaged(profilesFile, errors.New("its attributes are not those of the encoding"))
	}
	if s.Arms, err = s.Profiles.Encode(s.Encoding); err != nil {
		return damaged(profilesFile, err)
	}
	return nil
}

// sameColumns reports whether two encodings are of the same columns and levels, in the same
// order, and leave out the same.
func sameColumns(a, b *Encoding) bool {
	if len(a.Columns) != len(b.Columns) {
		return false
	}
	for i, c := range a.Columns {
		other := b.Columns[i]
		if c.Column != other.Column || c.Kind != other.Kind || len(c.Features) != len(other.Features) {
			return false
		}
		for k := range c.Features {
			if f, g := c.Features[k], other.Features[k]; f.Name != g.Name || f.leftOut() != g.leftOut() {
				return false
			}
		}
	}
	return true
}
