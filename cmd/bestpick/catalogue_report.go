package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"bestpick/catalogue"
	"bestpick/strategy"
)

// catalogueReport is what was made of a file of arms.
type catalogueReport struct {
	File     string                 `json:"file"`
	Arms     int                    `json:"arms"`
	Columns  []columnReport         `json:"columns"`
	Features []string               `json:"features"`
	Ball     float64                `json:"ball"`
	LeftOut  []catalogue.Dependence `json:"left_out"`
	Warnings []string               `json:"warnings"`
	Answers  strategy.Expectation   `json:"answers"`
	Written  string                 `json:"written,omitempty"`

	product bool
}

// A columnReport is what was made of a column.
type columnReport struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Features int    `json:"features"`
	Holds    string `json:"holds"`
}

func newCatalogueReport(c *catalogueCommand, e *catalogue.Encoded) *catalogueReport {
	r := &catalogueReport{
		File: c.File, Arms: e.Arms.Len(), Features: e.Encoding.Features(), Ball: e.Encoding.Ball,
		LeftOut: append([]catalogue.Dependence{}, e.Encoding.LeftOut...), Warnings: []string{}, Written: c.Out,
		Answers: c.needed(e), product: e.Profiles != nil,
	}
	for _, w := range e.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	if c.Budget > 0 && float64(c.Budget) < r.Answers.Median {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d features are many for %d answers: half of all studies like this one would need more than %.0f; leave columns out, reduce --dimensions, or be content with an arm that is nearly best (ε)", len(r.Features), c.Budget, r.Answers.Median))
	}
	r.addColumns(e)
	return r
}

// addColumns describes the columns in the order of the file, or of the encoding where the file
// is not there any more.
func (r *catalogueReport) addColumns(e *catalogue.Encoded) {
	codings := map[string]*catalogue.Coding{}
	for _, coding := range e.Encoding.Columns {
		codings[coding.Column] = coding
	}
	add := func(name string, kind catalogue.Kind, texts func() string) {
		column := columnReport{Name: name, Kind: kind.String()}
		if coding := codings[name]; coding != nil {
			for _, f := range coding.Features {
				if slices.Contains(r.Features, f.Name) {
					column.Features++
				}
			}
			column.Holds = holds(coding)
		} else {
			column.Holds = texts()
		}
		r.Columns = append(r.Columns, column)
	}
	switch {
	case e.Table != nil:
		for i := range e.Table.Columns {
			column := &e.Table.Columns[i]
			add(column.Name, column.Kind, func() string { return excerpt(column.Texts) })
		}
	case e.Profiles != nil:
		for _, a := range e.Profiles.Attributes {
			add(a.Name, a.Kind, func() string { return excerpt(a.Levels) })
		}
	default:
		for _, coding := range e.Encoding.Columns {
			add(coding.Column, coding.Kind, nil)
		}
	}
}

// holds says what is in a feature column.
func holds(c *catalogue.Coding) string {
	switch c.Kind { //nolint:exhaustive // only features are encoded
	case catalogue.Number:
		return fmt.Sprintf("mean %.4g, standard deviation %.4g", c.Mean, c.Scale)
	case catalogue.Category:
		return fmt.Sprintf("%d levels: %s", len(c.Levels), excerpt(c.Levels))
	case catalogue.Embedding:
		p := c.Embedding
		return fmt.Sprintf("%d of %d dimensions, with %.0f%% of the variance", len(p.Axes), p.Width(), 100*p.Kept)
	default:
		return "true or false"
	}
}

// excerpt is the first few texts.
func excerpt(texts []string) string {
	const most = 4
	var shown []string
	for _, text := range texts[:min(len(texts), most)] {
		const long = 24
		if runes := []rune(text); len(runes) > long {
			text = string(runes[:long]) + "…"
		}
		shown = append(shown, strconv.Quote(text))
		shown[len(shown)-1] = strings.Trim(shown[len(shown)-1], `"`)
	}
	if len(texts) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

func (r *catalogueReport) printText(w io.Writer) error {
	var text strings.Builder
	what := "arms"
	if r.product {
		what = "profiles"
	}
	fmt.Fprintf(&text, "%s: %d %s\n\n", r.File, r.Arms, what)
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(columns, "column\tkind\tfeatures\t") // into memory
	for _, column := range r.Columns {
		count := ""
		if column.Features > 0 {
			count = strconv.Itoa(column.Features)
		}
		_, _ = fmt.Fprintf(columns, "%s\t%s\t%s\t%s\n", column.Name, column.Kind, count, column.Holds)
	}
	_ = columns.Flush()
	fmt.Fprintf(&text, "\nencoded    %d features, the longest arm of length 1 (divided by %.4g)\n", len(r.Features), r.Ball)
	for _, left := range r.LeftOut {
		fmt.Fprintf(&text, "left out   %s\n", left)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&text, "warning    %s\n", warning)
	}
	fmt.Fprintf(&text, "answers    %s\n", r.Answers)
	if r.Written != "" {
		fmt.Fprintf(&text, "written    %s\n", r.Written)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
