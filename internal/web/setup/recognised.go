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
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
	"bestpick/strategy"
	"bestpick/strategy/prospects"
)

// An armsView has the recognised columns of a file of arms, with an estimate and a preview.
type armsView struct {
	statement.Words

	Count, Features int
	Product         bool
	Columns         []columnView
	LeftOut         []string
	Warnings        []encode.Warning
	Estimate        estimateView
	Sample          respond.View
}

// MentionsArms reports whether a warning calls the options arms.
func (v *armsView) MentionsArms() bool {
	return slices.ContainsFunc(v.Warnings, func(w encode.Warning) bool {
		return slices.ContainsFunc(strings.Fields(w.Text), func(word string) bool { return word == "arm" || word == "arms" })
	})
}

// A columnView is a recognised column.
type columnView struct {
	Name, Kind string
	Holds      string       // some of its values
	Kinds      []kindChoice // the other types it can have; none if it cannot change

	// Droppable offers to drop the options without a value in the column, and Dropped does so.
	Droppable, Dropped bool
}

// A kindChoice is a type that a column can have.
type kindChoice struct {
	Value, Text string // Value is empty for the recognised type
	Selected    bool
}

// offerKinds adds the types that the owner can choose for each column, besides the recognised one.
func (v *armsView) offerKinds(chosen map[string]catalogue.Kind) {
	for i := range v.Columns {
		c := &v.Columns[i]
		kind, is := chosen[c.Name]
		first := kindChoice{Text: c.Kind}
		if is {
			first.Text = v.Must("new.kind-again")
		}
		c.Kinds = []kindChoice{first}
		for k := catalogue.ID; k <= catalogue.Month; k++ {
			if text := v.Must("kind." + k.String()); is || text != c.Kind {
				c.Kinds = append(c.Kinds, kindChoice{k.String(), text, is && k == kind})
			}
		}
	}
}

// offerDrops offers to drop the options without a value in a column.
func (v *armsView) offerDrops(t *catalogue.Table, chosen map[string]catalogue.MissingPolicy) {
	for i := range v.Columns {
		c, column := &v.Columns[i], t.Column(v.Columns[i].Name)
		if column == nil || !catalogue.DropArms.Suits(column.Kind) {
			continue
		}
		count, _ := column.Missing()
		c.Dropped = chosen[c.Name] != ""
		c.Droppable = count > 0 || c.Dropped
	}
}

// armsView returns the view of arms, with the settings of the form in place of a study's.
func (f *studyForm) armsView(w statement.Words, s study.Settings, e *archive.Encoded) *armsView {
	compared := prospects.New(e.Arms).Compare(f.questionnaire(w, s, basisOf(&e.Catalogue, s.Strategy)))
	answers := func(features int) float64 { return compared.Chosen.Expected.WithFeatures(features).Median }
	warnings := slices.Concat(e.Notes(answers, false), e.Warnings)
	for i := range warnings {
		if copies := warnings[i].Copies; copies != "" {
			warnings[i].Text = w.Must("new.copies", "pairs", copies)
		}
	}
	return &armsView{
		Words: w, Count: e.Arms.Len(), Features: len(e.Encoding.Features()), Product: e.Profiles != nil, Columns: columnsOf(w, e),
		Warnings: warnings, LeftOut: e.Encoding.LeftOutLines(),
		Estimate: estimateOf(w, compared), Sample: f.sample(w, e),
	}
}

// sample returns a question as respondents will see it, with the first arms.
func (f *studyForm) sample(w statement.Words, e *archive.Encoded) respond.View {
	const usual, most = 3, 20
	shown, err := strconv.Atoi(f.Fields[kField])
	if err != nil || shown < 2 {
		shown = usual
	}
	first := make([]int, min(shown, most, e.Arms.Len()))
	for i := range first {
		first[i] = i
	}
	card := live.RespondentCards(study.Study{Settings: study.Settings{HideAttributes: f.Fields[plainField] == page.Yes}, Page: f.page}, e.Cards())
	q := &respond.Question{Prompt: f.Fields[promptField], Number: 1, Picks: 1, Cards: respond.CardsOf(card, e.Profiles == nil, first)}
	if picks, err := strconv.Atoi(f.Fields[picksField]); err == nil {
		q.Picks = max(1, min(picks, len(first)-1))
	}
	if q.None, q.Tie, q.Worst = f.Fields[outsideField] == page.Yes, f.Fields[tiesField] == page.Yes, f.Fields[worstField] == page.Yes; q.Worst {
		q.Picks = 2
	}
	return respond.View{Words: w, Question: q, Still: true}
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
			if catalogue.Kind(kind) == catalogue.Label {
				name = cmp.Or(e.Encoding.LabelColumn, name)
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
		people := statement.People(a.Settings.Epsilon)
		return w.Must("estimate.epsilon", "points", people-statement.Half, "people", people)
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
