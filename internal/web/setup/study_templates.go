package setup

import (
	"slices"

	"bestpick/internal/web/page"
	"bestpick/strategy"
)

// A studyTemplate is a starting point of a new study. Its name ends the message keys of its title and prompt.
type studyTemplate struct {
	Name    string
	K, Each string
	Plain   string // yes or no
	Assume  strategy.Assumption
}

// Templates returns the starting points of a new study, in the order of the page.
func (formView) Templates() []studyTemplate {
	return []studyTemplate{
		{Name: "headlines", K: "3", Each: "10", Plain: page.Yes, Assume: strategy.Majority},
		{Name: "products", K: "3", Each: "8", Plain: page.No, Assume: strategy.Linear},
		{Name: "designs", K: "2", Each: "15", Plain: page.Yes, Assume: strategy.Majority},
		{Name: "prompts", K: "2", Each: "20", Plain: page.Yes, Assume: strategy.Majority},
	}
}

// start returns the form filled in from a template. A name that is not a template changes nothing.
func (v formView) start(name string) formView {
	all := v.Templates()
	at := slices.IndexFunc(all, func(t studyTemplate) bool { return t.Name == name })
	if at < 0 {
		return v
	}
	t := all[at]
	v.Template, v.Fields[promptField] = name, v.Must("template."+name+"-prompt")
	v.Fields[kField], v.Fields[eachField], v.Fields[plainField], v.Fields[assumeField] = t.K, t.Each, t.Plain, string(t.Assume)
	return v
}
