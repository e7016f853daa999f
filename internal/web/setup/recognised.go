package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/prospects"
)

// An armsView has the recognised columns of a file of arms, with an estimate and a preview.
type armsView struct {
	statement.Words

	Count    int
	Product  bool
	Columns  []columnView
	Warnings []string
	Estimate estimateView
	Layout   *read.Layout // of a workbook with a choice of sheets or headings; nil otherwise
	List     bool         // a list of one column, whose first line may be a heading
	Headed   bool
	Rows     [][]string // the values of the columns, to be edited; nil if there are too many
}

// A columnView is a recognised column.
type columnView struct {
	Name, Kind string
	Holds      string       // some of its values
	Kinds      []kindChoice // the types it can have; none if they cannot change
	Recognised string       // the name of the recognised type

	// CanUse and CanShow offer to use the column for predictions and to show it, and Used and Shown do so.
	CanUse, Used, CanShow, Shown bool

	// Droppable offers to drop the options without a value in the column, and Dropped does so.
	Droppable, Dropped bool

	Problem string // why it cannot be read as chosen
}

// A kindChoice is a type that a column can have.
type kindChoice struct {
	Value, Text string // Value is empty for the recognised type
	Selected    bool
}

// offer adds the choices of the owner to each column of a table.
func (v *armsView) offer(t *catalogue.Table, chosen map[string]columnChoice) {
	for i := range v.Columns {
		c, column := &v.Columns[i], t.Column(v.Columns[i].Name)
		if column == nil {
			continue
		}
		choice, known := chosen[c.Name]
		if !known {
			choice = columnChoice{recognised: column.Kind, used: column.Kind.Feature(), shown: column.Kind != catalogue.Ignored}
		}
		c.Recognised, c.Kinds = choice.recognised.String(), []kindChoice{{Text: v.Must("kind." + choice.recognised.String())}}
		for k := catalogue.ID; k <= catalogue.Month; k++ {
			if k != choice.recognised && k != catalogue.Ignored {
				c.Kinds = append(c.Kinds, kindChoice{k.String(), v.Must("kind." + k.String()), k == choice.kind})
			}
		}
		kind := choice.read()
		c.CanUse = predicts(kind) || kind == catalogue.Shown || kind == catalogue.Ignored && column.Texts != nil
		c.CanShow = c.CanUse && kind != catalogue.Embedding
		if c.Used, c.Shown = predicts(kind), choice.shown; !c.CanUse {
			c.Used = choice.used // for another type
		}
		if catalogue.DropArms.Suits(column.Kind) {
			count, _ := column.Missing()
			c.Dropped = choice.drop
			c.Droppable = count > 0 || c.Dropped
		}
	}
	v.List, v.Headed = t.List, t.Headed
	v.Rows = editable(t)
}

// Headings returns the rows of a sheet that can have the headings.
func (v *armsView) Headings() (rows []kindChoice) {
	for _, r := range v.Layout.Rows {
		text := v.Must("new.heading-row", "row", r.Number, "text", excerpt(r.Cells))
		rows = append(rows, kindChoice{strconv.Itoa(r.Number), text, r.Number == v.Layout.Heading})
	}
	return append(rows, kindChoice{strconv.Itoa(catalogue.NoHeading), v.Must("new.heading-none"), v.Layout.Heading == 0})
}

// editable returns the values of a table by row, with the names of the columns first; nil if they are too many to edit.
func editable(t *catalogue.Table) [][]string {
	const maxRows, maxColumns = 200, 12
	if t.Len() > maxRows || len(t.Columns) > maxColumns {
		return nil
	}
	rows := make([][]string, 1+t.Len())
	rows[0] = t.Names()
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Kind == catalogue.Embedding {
			return nil
		}
		for row := range t.Len() {
			rows[row+1] = append(rows[row+1], c.Text(row))
		}
	}
	return rows
}

// armsView returns the view of arms, with the settings of the form in place of a study's. It fills in the recommended
// number of questions per respondent, unless the owner has changed it.
func (f *studyForm) armsView(w statement.Words, s study.Settings, e *archive.Encoded) *armsView {
	about := basisOf(&e.Catalogue, s.Strategy)
	expected := prospects.New(e.Arms)
	compared := expected.Compare(f.questionnaire(w, s, about))
	before := f.Fields[eachField]
	if f.fillIn(eachField, strconv.Itoa(compared.Each)); f.Fields[eachField] != before {
		compared = expected.Compare(f.questionnaire(w, s, about))
	}
	v := &armsView{
		Words: w, Count: e.Arms.Len(), Product: e.Profiles != nil, Columns: columnsOf(w, e), Estimate: estimateOf(w, compared),
	}
	answers := func(features int) float64 { return compared.Chosen.Expected.WithFeatures(features).Median }
	linear := f.Fields[assumeField] == string(strategy.Linear)
	for _, n := range slices.Concat(e.Notes(answers, false), e.Warnings) {
		if !f.saidElsewhere(n.Problem.Code, linear) {
			v.Warnings = append(v.Warnings, cmp.Or(coded(w, "note."+n.Problem.Code, n.Problem, "column", n.Column), n.Text))
		}
	}
	return v
}

// saidElsewhere reports whether a note needs no warning: the form shows it in other ways, or it is about the model, and
// the majority decides.
func (f *studyForm) saidElsewhere(code string, linear bool) bool {
	switch code {
	case "unused", "more-unused", "mostly-missing", "left-out", "first-line-names", "first-line-option",
		"sheets", "heading", "no-attributes":
		return true
	case "equal", "many-features", "nearly", "outlier", "outliers", "rare-level", "rare-levels", "variance", "missing-values":
		return !linear
	}
	return false
}

// columnsOf returns the columns of a file or, if the file was not stored, of its encoding.
func columnsOf(w statement.Words, e *archive.Encoded) (columns []columnView) {
	add := func(name string, kind catalogue.Kind, texts []string) {
		columns = append(columns, columnView{Name: name, Kind: w.Must("kind." + kind.String()), Holds: excerpt(texts)})
	}
	understood := func(format *catalogue.NumberFormat) {
		if text := format.String(); text != "" {
			columns[len(columns)-1].Holds += " (" + text + ")"
		}
	}
	codings := map[string]*encode.Coding{}
	for _, c := range e.Encoding.Columns {
		codings[c.Column] = c
	}
	switch {
	case e.Table != nil:
		for i := range e.Table.Columns {
			c := &e.Table.Columns[i]
			add(c.Name, c.Kind, holds(w, c, codings[c.Name]))
			understood(c.Format)
		}
	case e.Profiles != nil:
		for _, a := range e.Profiles.Attributes {
			add(a.Name, a.Kind, a.Levels)
		}
	default:
		kinds := [][]string{catalogue.Label: e.Labels, catalogue.Description: e.Descriptions, catalogue.Image: e.Images}
		for kind, texts := range kinds {
			name := catalogue.Kind(kind).String()
			switch catalogue.Kind(kind) { //nolint:exhaustive // others have one name
			case catalogue.Label:
				name = cmp.Or(e.Encoding.LabelColumn, name)
			case catalogue.Image:
				name = cmp.Or(e.Encoding.ImageColumn, name)
			}
			if texts != nil {
				add(name, catalogue.Kind(kind), shorten(w, texts))
			}
		}
		table := catalogue.Table{Columns: e.Attributes}
		for _, c := range e.Encoding.Columns {
			add(c.Column, c.Kind, holds(w, table.Column(c.Column), c))
		}
	}
	return columns
}

// holds returns some values of a column, or the levels of a category.
func holds(w statement.Words, column *catalogue.Column, coding *encode.Coding) []string {
	switch {
	case coding != nil && coding.Kind == catalogue.Category:
		return coding.Levels
	case coding != nil && coding.Kind == catalogue.Embedding:
		p := coding.Embedding
		texts := []string{w.Must("kind.kept", "kept", len(p.Axes), "all", p.Width(), "share", fmt.Sprintf("%.0f", 100*p.Kept))}
		if len(p.Needed) == len(encode.Shares()) {
			texts = append(texts, w.Must("kind.needed", "most", p.Needed[0], "more", p.Needed[1], "all", p.Needed[2]))
		}
		return texts
	case column == nil || column.Kind == catalogue.Embedding:
		return nil
	}
	texts := make([]string, min(excerpted+1, max(len(column.Numbers), len(column.Texts))))
	for row := range texts {
		texts[row] = column.Text(row)
	}
	return shorten(w, texts)
}

// shorten replaces data URLs by a short text.
func shorten(w statement.Words, texts []string) []string {
	if slices.ContainsFunc(texts[:min(len(texts), excerpted)], func(text string) bool { return strings.HasPrefix(text, "data:") }) {
		return []string{w.Must("kind.in-place")}
	}
	return texts
}

// excerpted is the number of values of a column that are shown.
const excerpted = 4

// excerpt returns the first texts.
func excerpt(texts []string) string {
	var shown []string
	for _, text := range texts[:min(len(texts), excerpted)] {
		const long = 32
		if runes := []rune(text); len(runes) > long {
			text = string(runes[:long]) + "…"
		}
		shown = append(shown, text)
	}
	if len(texts) > excerpted {
		shown = append(shown, "…")
	}
	return strings.Join(shown, " · ")
}

// An estimateView has the answers and respondents that a study needs, as the form is set and with
// other settings.
type estimateView struct {
	Low, High, People, Each string
	Rows                    []estimateRow
	Cheapest                string // the setting that needs the fewest answers; empty if that is the chosen one
	Recommended             string // questions per respondent
}

// An estimateRow is a setting with what it takes.
type estimateRow struct {
	Setting, Low, High, People string
	Chosen                     bool
}

// questionnaire returns the settings of a study with those of the form, except for invalid fields.
func (f *studyForm) questionnaire(w statement.Words, s study.Settings, b basis) prospects.Questionnaire {
	unmarked := *f
	unmarked.Problems = map[string]string{}
	s = unmarked.settings(w, s, b)
	return prospects.Questionnaire{Settings: s.Strategy, Picks: s.Picks, Each: cmp.Or(s.PerRespondent, unlimitedEach)}
}

// unlimitedEach is the number of questions per respondent that is assumed if they are not limited.
const unlimitedEach = 20

// estimateOf returns the view of a comparison.
func estimateOf(w statement.Words, c prospects.Comparison) estimateView {
	chosen := c.Chosen.Expected.Rounded()
	v := estimateView{
		Low: w.Number(chosen.Low, 0), High: w.Number(chosen.High, 0), People: w.Number(chosen.People, 0),
		Each: w.Count(c.Chosen.Each), Recommended: w.Count(c.Each), Rows: []estimateRow{estimateRowOf(w, c.Chosen)},
	}
	for _, other := range c.Others {
		v.Rows = append(v.Rows, estimateRowOf(w, other))
	}
	if c.Cheapest.Changed != "" {
		v.Cheapest = settingText(w, c.Cheapest)
	}
	return v
}

func estimateRowOf(w statement.Words, a prospects.Alternative) estimateRow {
	e := a.Expected.Rounded()
	return estimateRow{
		Setting: settingText(w, a), Low: w.Number(e.Low, 0), High: w.Number(e.High, 0), People: w.Number(e.People, 0),
		Chosen: a.Changed == "",
	}
}

// settingText returns the changed setting of an alternative in words.
func settingText(w statement.Words, a prospects.Alternative) string {
	switch a.Changed {
	case prospects.Tolerance:
		if a.Settings.Epsilon == 0 {
			return w.Must("estimate.best")
		}
		return w.Must("estimate.epsilon", "people", statement.People(a.Settings.Epsilon))
	case prospects.Size:
		return w.Must("estimate.k", "count", a.Settings.K)
	case prospects.Ranking:
		if a.Picks == 1 {
			return w.Must("estimate.pick")
		}
		return w.Must("estimate.picks", "count", a.Picks)
	case prospects.Assumption:
		if a.Settings.Assume == strategy.Majority {
			return w.Must("estimate.majority")
		}
		return w.Must("estimate.linear")
	case prospects.Fakes:
		return w.Must("estimate.fakes", "count", a.Settings.Fakes)
	case prospects.PerPerson:
		if a.Each == 1 {
			return w.Must("estimate.each-one")
		}
		return w.Must("estimate.each", "count", a.Each)
	}
	return w.Must("estimate.chosen")
}
