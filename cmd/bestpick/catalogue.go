package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/terminal"
	"bestpick/strategy"
	"bestpick/strategy/prospects"
	"bestpick/strategy/racing"
)

// catalogueCommand checks, encodes and describes a file of arms.
type catalogueCommand struct {
	command.ReadFlags `embed:""`
	estimateFlags     `embed:""`
	command.JSONFlag  `embed:""`

	File string `arg:"" help:"CSV, .xlsx, JSON, Parquet (gzip too), .npy, a .yaml of attributes, or a saved .npz; - reads standard input."`

	Like   string `help:"Add the arms to those of this saved catalogue, encoded as they were: for arms that come later." placeholder:"SAVED.npz"`
	Budget int    `min:"0" help:"Number of answers you can get: warns if that is likely too few." placeholder:"NUMBER"`
	Out    string `help:"Write the encoded catalogue here." placeholder:"SAVED.npz"`
}

// Help is the long help of the command.
func (c *catalogueCommand) Help() string {
	return `A spreadsheet of options, one per row:

    bestpick catalogue arms.csv --out arms.npz

Embeddings, with the ids in embeddings.ids.txt beside them:

    bestpick catalogue embeddings.npy --dimensions 16 --out arms.npz

Attributes and levels that stand for all their combinations, in a file such as

    price: [10, 12, 15]
    brand: [acme, zenith]

    bestpick catalogue attributes.yaml --as price=category

More arms, after the first and encoded as they were:

    bestpick catalogue more.csv --like arms.npz --out all.npz`
}

// Run reads and encodes the arms, prints a report, and writes the result.
func (c *catalogueCommand) Run(s command.Streams) error {
	if err := c.check(); err != nil {
		return command.Invalid(err)
	}
	encoded, err := c.encode(s)
	if err != nil {
		return command.Invalid(err)
	}
	report := newCatalogueReport(c, encoded)
	if c.Out != "" {
		if err := command.WriteFile(c.Out, func(w io.Writer) error { return archive.Save(w, &encoded.Catalogue) }); err != nil {
			return err
		}
	}
	return c.Write(s.Out, report, report.text())
}

func (c *catalogueCommand) check() error {
	if c.Like != "" && c.Dimensions != nil {
		return fmt.Errorf("--dimensions: the arms are encoded like those of %s", c.Like)
	}
	if err := c.CheckFile(c.File); err != nil {
		return err
	}
	if c.Picks >= c.K {
		return fmt.Errorf("--picks must be less than --k, got %d", c.Picks)
	}
	return c.checkOut()
}

// checkOut rejects an output that is also an input, or not a regular file.
func (c *catalogueCommand) checkOut() error {
	if c.Out == "" {
		return nil
	}
	if !command.IsSaved(c.Out) {
		return fmt.Errorf("--out must end in .npz, got %q", c.Out)
	}
	there, err := os.Lstat(c.Out)
	if err != nil {
		return nil //nolint:nilerr // the file does not exist, or writing will fail
	}
	if !there.Mode().IsRegular() {
		return fmt.Errorf("--out: %s exists and is not a regular file", c.Out)
	}
	for _, path := range []string{c.File, c.Like} {
		if read, err := os.Stat(path); err == nil && os.SameFile(read, there) {
			return fmt.Errorf("--out: %s is an input file; name another file", c.Out)
		}
	}
	return nil
}

// encode reads and encodes the arms, with the encoding of --like if it is set.
func (c *catalogueCommand) encode(s command.Streams) (*archive.Encoded, error) {
	options, err := c.Options()
	if err != nil {
		return nil, err
	}
	if c.Like == "" {
		if c.File == "-" {
			t, err := read.Table(s.In, command.StandardInput, options)
			if err != nil {
				return nil, err
			}
			return archive.Encode(t, c.ReducedTo())
		}
		return archive.Open(c.File, options, c.ReducedTo())
	}
	return c.extend(s, options)
}

// extend adds the arms to those of a saved catalogue.
func (c *catalogueCommand) extend(s command.Streams, options catalogue.Options) (*archive.Encoded, error) {
	first, err := archive.OpenSaved(c.Like)
	if err != nil {
		return nil, err
	}
	if c.File != "-" {
		return first.AddFile(c.File, options)
	}
	text, err := io.ReadAll(s.In)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command.StandardInput, command.Cause(err))
	}
	return first.Add(read.Upload{Name: command.StandardInput, Contents: bytes.NewReader(text), Size: int64(len(text))}, options)
}

// catalogueReport describes an encoded file of arms.
type catalogueReport struct {
	estimateReport

	File     string              `json:"file"`
	Arms     int                 `json:"arms"`
	New      int                 `json:"new,omitempty"` // of the arms, with --like
	Columns  []columnReport      `json:"columns"`
	Features []string            `json:"features"`
	Ball     float64             `json:"ball"`
	LeftOut  []encode.Dependence `json:"left_out"`
	Notes    []string            `json:"notes"` // how the file was understood
	Warnings []string            `json:"warnings"`
	Written  string              `json:"written,omitempty"`

	product bool
	leftOut []string // the same in a few lines
}

// A columnReport describes the encoding of a column.
type columnReport struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Features int    `json:"features"`
	Holds    string `json:"holds"`
}

func newCatalogueReport(c *catalogueCommand, e *archive.Encoded) *catalogueReport {
	r := &catalogueReport{
		File: c.File, Arms: e.Arms.Len(), New: e.Added, Features: e.Encoding.Features(), Ball: e.Encoding.Ball,
		LeftOut: append([]encode.Dependence{}, e.Encoding.LeftOut...), Notes: []string{}, Warnings: []string{}, Written: c.Out,
		product: e.Profiles != nil, leftOut: e.Encoding.LeftOutLines(),
	}
	settings := racing.Guarantee{Assume: c.Assume, Epsilon: &c.Epsilon}.Apply(racing.Settings{K: c.K, Delta: c.Delta}, e.Arms)
	if settings.CountsPeople() {
		settings.Fakes = c.Fakes
	}
	compared := prospects.New(e.Arms).Compare(prospects.Questionnaire{
		Settings: settings, Picks: cmp.Or(c.Picks, settings.DefaultPicks()), Each: c.Each,
	})
	r.estimateReport = newEstimateReport(compared)
	answers := func(features int) float64 { return compared.Chosen.Expected.WithFeatures(features).Median }
	for _, n := range e.Notes(answers, true) {
		r.Notes = append(r.Notes, n.String())
	}
	for _, w := range e.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	if c.File == "-" {
		r.File = command.StandardInput
	}
	if c.Budget > 0 && float64(c.Budget) < r.Answers.Median {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s would be few for %s: half of all studies like this one would need more "+
			"than %.0f; leave columns out, reduce --dimensions, or be content with an arm that is nearly best "+
			"(ε)", terminal.Count(c.Budget, "answer"), terminal.Count(len(r.Features), "feature"), r.Answers.Median))
	}
	r.addColumns(e)
	return r
}

// addColumns describes the columns in the order of the file, or of the encoding if the file is not available.
func (r *catalogueReport) addColumns(e *archive.Encoded) {
	codings := map[string]*encode.Coding{}
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
			column.Kind, column.Holds = coding.Kind.String(), describeValues(coding)
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

// describeValues describes the values of a feature column.
func describeValues(c *encode.Coding) string {
	switch c.Kind { //nolint:exhaustive // only features are encoded
	case catalogue.Number:
		text := fmt.Sprintf("mean %.4g, standard deviation %.4g", c.Mean, c.Scale)
		if understood := c.Format.String(); understood != "" {
			text = understood + ": " + text
		}
		return text
	case catalogue.Category:
		return fmt.Sprintf("%d levels: %s", len(c.Levels), excerpt(c.Levels))
	case catalogue.Embedding:
		p := c.Embedding
		return fmt.Sprintf("%d of %d dimensions, with %.0f%% of the variance%s", len(p.Axes), p.Width(), 100*p.Kept, p.NeededText("; "))
	default:
		return "true or false"
	}
}

// excerpt returns the first few texts.
func excerpt(texts []string) string {
	const maxTexts = 4
	var shown []string
	for _, text := range texts[:min(len(texts), maxTexts)] {
		const long = 24
		if runes := []rune(text); len(runes) > long {
			text = string(runes[:long]) + "…"
		}
		shown = append(shown, terminal.Quoted(text))
	}
	if len(texts) > maxTexts {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// count returns the number of arms in words.
func (r *catalogueReport) count() string {
	switch {
	case r.product:
		return terminal.Count(r.Arms, "profile")
	case r.New > 0:
		return terminal.Count(r.Arms-r.New, "arm") + " and " + terminal.Count(r.New, "new one")
	default:
		return terminal.Count(r.Arms, "arm")
	}
}

func (r *catalogueReport) text() string {
	var text command.Text
	text.Printf("%s: %s\n\n", r.File, r.count())
	columns := []string{"column\tkind\tfeatures\t"}
	for _, column := range r.Columns {
		count := ""
		if column.Features > 0 {
			count = strconv.Itoa(column.Features)
		}
		columns = append(columns, fmt.Sprintf("%s\t%s\t%s\t%s", terminal.Quoted(column.Name), column.Kind, count, column.Holds))
	}
	text.Columns(0, columns)
	longest := "arm"
	if r.New > 0 {
		longest = "first arm"
	}
	text.Printf("\n")
	text.Row("encoded", "%s, the longest %s of length 1 (divided by %.4g)", terminal.Count(len(r.Features), "feature"),
		longest, r.Ball)
	text.Rows("left out", r.leftOut)
	text.Rows("note", r.Notes)
	text.Rows("warning", r.Warnings)
	if r.Written != "" {
		text.Row("written", "%s", r.Written)
	}
	r.print(&text)
	return text.String()
}

// estimateFlags are the settings of the study that an estimate is for. They have the defaults of new studies.
type estimateFlags struct {
	K       int                 `default:"3" min:"2" help:"Arms in a question, for the estimate of answers."`
	Picks   int                 `default:"0" min:"0" help:"Arms ranked in an answer, for the estimate; 0 for all but one under majority, and one under linear."`
	Each    int                 `default:"10" min:"1" help:"Questions per respondent, for the estimate of respondents."`
	Delta   float64             `default:"0.05" above:"0" below:"1" help:"Probability of error, for the estimate."`
	Epsilon float64             `default:"0.2" min:"0" max:"50" help:"Largest lead in utility of any arm over the result, for the estimate."`
	Assume  strategy.Assumption `default:"" enum:",linear,majority" help:"What the result rests on, for the estimate: linear or majority, by default as in a new study."`
	Fakes   int                 `default:"2" min:"0" max:"50" help:"People who may be fake without making a result by majority wrong, for the estimate."`
}

// An estimateReport has the answers that a study needs, with these settings and with others.
type estimateReport struct {
	Answers      prospects.Expectation `json:"answers"`
	Alternatives []alternativeReport   `json:"alternatives"`
	Cheapest     alternativeReport     `json:"cheapest"`
	Recommended  int                   `json:"recommended_each"`

	each int
}

// An alternativeReport has the settings of an estimate.
type alternativeReport struct {
	K       int                   `json:"k"`
	Picks   int                   `json:"picks"`
	Each    int                   `json:"each"`
	Epsilon float64               `json:"epsilon"`
	Assume  strategy.Assumption   `json:"assume"`
	Fakes   int                   `json:"fakes"`
	Answers prospects.Expectation `json:"answers"`

	changed string // the flag
}

func newEstimateReport(c prospects.Comparison) estimateReport {
	r := estimateReport{
		Answers: c.Chosen.Expected.Rounded(), Alternatives: []alternativeReport{}, Cheapest: newAlternativeReport(c.Cheapest),
		Recommended: c.Each, each: c.Chosen.Each,
	}
	for _, a := range c.Others {
		r.Alternatives = append(r.Alternatives, newAlternativeReport(a))
	}
	return r
}

func newAlternativeReport(a prospects.Alternative) alternativeReport {
	r := alternativeReport{
		K: a.Settings.K, Picks: a.Picks, Each: a.Each, Epsilon: a.Settings.Epsilon, Assume: a.Settings.Assume, Fakes: a.Settings.Fakes,
		Answers: a.Expected.Rounded(),
	}
	values := map[prospects.Setting]any{
		prospects.Tolerance: r.Epsilon, prospects.Size: r.K, prospects.Ranking: r.Picks, prospects.Assumption: r.Assume,
		prospects.PerPerson: r.Each, prospects.Fakes: r.Fakes,
	}
	if a.Changed != "" {
		r.changed = fmt.Sprintf("--%s %v", a.Changed, values[a.Changed])
	}
	return r
}

// print adds the estimate, a table of alternatives, and what is recommended.
func (r *estimateReport) print(text *command.Text) {
	text.Row("answers", "usually %s; close races take more", usually(r.Answers))
	text.Row("people", "about %s with %d questions each\n", grouped(r.Answers.People), r.each)
	rows := []string{"with\tmedian\tusually\tpeople"}
	for _, a := range append([]alternativeReport{{changed: "(as set)", Answers: r.Answers}}, r.Alternatives...) {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s", a.changed, grouped(a.Answers.Median), usually(a.Answers),
			grouped(a.Answers.People)))
	}
	text.Columns(0, rows)
	if r.Cheapest.changed != "" {
		text.Printf("\nFewest answers with another size or ranking: %s.", r.Cheapest.changed)
	}
	text.Printf("\nRecommended: --each %d.\n", r.Recommended)
}

func usually(e prospects.Expectation) string { return grouped(e.Low) + " to " + grouped(e.High) }

func grouped(x float64) string { return table.Grouped(int(x)) }
