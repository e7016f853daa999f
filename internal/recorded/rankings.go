package recorded

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"bestpick/choice"
	"bestpick/internal/table"
)

// Rankings are answers about items without features: each ranks items on offer, best first, and may have
// ties. Votes, orders, best–worst choices and tables of counts are all read into this form.
type Rankings struct {
	Items           []string // in order of appearance
	RespondentCount int      // 0 if the data name none
	Pairs           bool     // every answer is about two items
	BestWorst       bool     // answers have a best and a worst item, and no order of the others
	Hints           []string // about the file, each with a remedy

	file               string
	items, respondents levels
	answers            []answer
	places             []place
	total              float64 // answers, with their counts
	useless            int     // answers without information, which are left out
	lastSeen           []int32 // for each item, the number of the answer that it was in last
	widest             int     // items on offer in an answer
	allOffered         bool    // all items are on offer in every answer; those not listed are unranked
}

// An answer has size places, the first one at first.
type answer struct {
	first, size int32
	respondent  int32 // 0 if the data name none
	line        int32
	times       float64 // equal answers
}

// A place is an item on offer and its rank: 1 is best, items of equal rank are tied, 0 is unranked.
type place struct{ item, rank int32 }

// worstRank is the rank of the worst item of a best–worst answer.
const worstRank = -1

// maxTiedItems is the largest number of items that may be tied, except in the last place.
const maxTiedItems = 6

// item returns the number of an item.
func (r *Rankings) item(name string) int32 {
	at := r.items.add(name)
	if at == len(r.lastSeen) {
		r.lastSeen = append(r.lastSeen, 0)
	}
	return int32(at)
}

// add adds an answer with the items in the order shown. Ranks need not be consecutive.
func (r *Rankings) add(places []place, a answer) error {
	a.first, a.size = int32(len(r.places)), int32(len(places))
	number, given := int32(len(r.answers)+r.useless+1), make([]int, len(places))
	for i, p := range places {
		if r.lastSeen[p.item] == number {
			return r.errorAt(a, "%q appears twice", r.items.names[p.item])
		}
		r.lastSeen[p.item], given[i] = number, int(p.rank)
	}
	ranks, crowded := withoutGaps(given, r.allOffered)
	switch {
	case crowded > 0:
		return r.errorAt(a, "more than %d items share place %d, which is not the last", maxTiedItems, crowded)
	case len(ranks) == 0 || slices.Max(ranks) <= 0 || len(places) < 2 && !r.allOffered:
		r.useless++
		return nil
	}
	for i := range places {
		places[i].rank = int32(ranks[i])
	}
	r.places, r.answers = append(r.places, places...), append(r.answers, a)
	r.widest = max(r.widest, len(places))
	r.total += a.times
	return nil
}

// withoutGaps returns ranks from 1 on without gaps; those below 1 stay. Items that share the last place, with
// none below, are unranked, unless all share one. crowded is a place of more than maxTiedItems, 0 if there is none.
func withoutGaps(given []int, othersBelow bool) (ranks []int, crowded int) {
	ranks = slices.Clone(given)
	sorted := slices.Sorted(slices.Values(given))
	start, _ := slices.BinarySearch(sorted, 1)
	below, used := othersBelow || start > 0, slices.Compact(slices.Clone(sorted[start:]))
	for i, rank := range given {
		at, found := slices.BinarySearch(used, rank)
		first, _ := slices.BinarySearch(sorted, rank)
		end, _ := slices.BinarySearch(sorted, rank+1)
		switch n := end - first; {
		case !found:
		case n > 1 && at > 0 && at == len(used)-1 && !below:
			ranks[i] = 0
		case n > maxTiedItems && (below || len(used) > 1):
			crowded = at + 1
		default:
			ranks[i] = at + 1
		}
	}
	return ranks, crowded
}

func (r *Rankings) errorAt(a answer, format string, arguments ...any) error {
	return &table.Error{File: r.file, Line: int(a.line), Problem: table.Problemf("", format, arguments...)}
}

// finish checks that there is something to fit, and that the terms of the form fit the answers.
func (r *Rankings) finish(form ItemForm) (*Rankings, error) {
	if r.Items = r.items.names; r.allOffered {
		r.widest = len(r.Items)
	}
	r.Pairs = r.widest == 2
	choices := 0 // the items of all choices, which a tally holds
	for _, a := range r.answers {
		choices += len(r.of(a)) * (len(r.of(a)) + 1) / 2
	}
	switch n := len(r.Items); {
	case n < 2 || len(r.answers) == 0:
		return nil, r.errorAt(answer{}, "no answer compares two items")
	case n > maxTermItems && (form.Ties || form.Side || r.BestWorst):
		return nil, r.errorAt(answer{}, "--ties, --side and --worst need at most %d items, got %d", maxTermItems, n)
	case choices > maxChoices && !r.Pairs:
		return nil, r.errorAt(answer{}, "the rankings are too long: their choices have %d items, at most %d", choices, maxChoices)
	case form.Side && !r.Pairs:
		return nil, r.errorAt(answer{}, "--side needs answers about two items, got %d", r.widest)
	case form.Base != "" && !slices.Contains(r.Items, form.Base):
		return nil, r.errorAt(answer{}, "--base: there is no item %q", form.Base)
	}
	if r.useless > 0 {
		r.Hints = append(r.Hints,
			fmt.Sprintf("%d of %d answers rank none of two or more items; they carry no information and are left out",
				r.useless, len(r.answers)+r.useless))
	}
	if form.Ties {
		return r, r.checkTies()
	}
	return r, nil
}

// maxChoices bounds the memory of a tally, 2 GB.
const maxChoices = 100_000_000

// maxTermItems bounds the memory of models with further terms, which have as many columns as rows: 32 MB.
const maxTermItems = 2000

// of returns the places of an answer.
func (r *Rankings) of(a answer) []place {
	listed := r.places[a.first : a.first+a.size]
	if !r.allOffered {
		return listed
	}
	places := slices.Clip(listed)
	for item := range r.Items {
		if !slices.ContainsFunc(listed, func(p place) bool { return p.item == int32(item) }) {
			places = append(places, place{item: int32(item)})
		}
	}
	return places
}

// Len returns the number of answers.
func (r *Rankings) Len() int { return int(r.total) }

// checkTies returns an error if a model with a probability of ties cannot hold an answer: a tie must be
// between all items on offer, at most [choice.MaxTied].
func (r *Rankings) checkTies() error {
	for _, a := range r.answers {
		if ranks := r.ranks(a); len(ranks) > choice.MaxTied || hasTies(ranks) && count(ranks, 1) < len(ranks) {
			return r.errorAt(a, "--ties needs ties between all items on offer, at most %d", choice.MaxTied)
		}
	}
	return nil
}

func count(ranks []int, rank int) (n int) {
	for _, x := range ranks {
		n += picked(x == rank)
	}
	return n
}

// ranks returns the ranks of an answer.
func (r *Rankings) ranks(a answer) []int {
	places := r.of(a)
	ranks := make([]int, len(places))
	for i, p := range places {
		ranks[i] = int(p.rank)
	}
	return ranks
}

// hasTies reports whether two ranks are equal.
func hasTies(ranks []int) bool {
	sorted := slices.Sorted(slices.Values(ranks))
	for i, rank := range sorted[1:] {
		if rank > 0 && rank == sorted[i] {
			return true
		}
	}
	return false
}

// stages calls choose for every choice of a ranking with ties: the slots left, the one picked of them, and
// the weight. Tied items count as if all their orders had been given equally often: of m tied items, s given
// ones are left with probability 1/C(m, s), and each is next with probability 1/s. For two it is half a win
// each. Ranks count from 1 without gaps; 0 is unranked. More than maxTiedItems tied items are unranked.
func stages(ranks []int, choose func(left []int, slot int, weight float64)) {
	for rank := 1; ; rank++ {
		var tied, later []int
		for slot, r := range ranks {
			switch {
			case r == rank:
				tied = append(tied, slot)
			case r == 0 || r > rank:
				later = append(later, slot)
			}
		}
		if len(tied) == 0 || len(tied) > maxTiedItems {
			return
		}
		stage(tied, later, choose)
	}
}

// stage calls choose for every choice of tied slots before later ones.
func stage(tied, later []int, choose func(left []int, slot int, weight float64)) {
	factorials := [maxTiedItems + 1]float64{1, 1, 2, 6, 24, 120, 720}
	m := len(tied)
	for set := 1; set < 1<<m; set++ {
		left := slices.Clone(later)
		for i, slot := range tied {
			if set&(1<<i) != 0 {
				left = append(left, slot)
			}
		}
		s := len(left) - len(later)
		weight := factorials[s] * factorials[m-s] / factorials[m] / float64(s)
		for _, slot := range left[len(later):] {
			if len(left) > 1 {
				choose(left, slot, weight)
			}
		}
	}
}

// A Count counts answers in tallies.
type Count struct {
	arms   int
	ties   bool // a tie is an answer
	sides  bool // the item in the first slot is an arm after all items: that item on the left side
	record func(t *choice.Tally, answer choice.Answer, weight float64)
}

// Plain counts in tallies of the items, ties as all orders of the tied items equally often.
func (r *Rankings) Plain() Count { return Count{arms: len(r.Items), record: record} }

// Offered counts in tallies of rows of alternatives, whose arms are the items, and with sides these on the left
// side. A tie is an answer if the alternatives offer it.
func (r *Rankings) Offered(rows *choice.Alternatives, sides bool) Count {
	return Count{rows.Rows().Len(), rows.Offer().Ties, sides, func(t *choice.Tally, answer choice.Answer, weight float64) {
		for stage := range rows.Stages(answer) {
			record(t, choice.Answer{Question: stage.Rows, Picks: []int{stage.Picked}}, weight)
		}
	}}
}

func record(t *choice.Tally, answer choice.Answer, weight float64) {
	if err := t.AddWeighted(answer, weight); err != nil {
		panic("recorded: " + err.Error())
	}
}

// count adds an answer to a tally.
func (r *Rankings) count(by Count, a answer, times float64, t *choice.Tally) {
	places, given := r.of(a), choice.Answer{Question: make(choice.Question, 0, a.size)}
	for slot, p := range places {
		given.Question = append(given.Question, int(p.item)+picked(by.sides && slot == 0)*len(r.Items))
	}
	if len(places) == 2 && places[0].rank != places[1].rank { // most are votes
		given.Picks = []int{picked(places[1].rank == 1)}
		by.record(t, given, times)
		return
	}
	ranks := r.ranks(a)
	switch tied := hasTies(ranks); {
	case tied && !by.ties:
		stages(ranks, func(left []int, slot int, weight float64) {
			one := choice.Answer{Picks: []int{slices.Index(left, slot)}}
			for _, at := range left {
				one.Question = append(one.Question, given.Question[at])
			}
			by.record(t, one, times*weight)
		})
		return
	case tied:
		given.Picks = []int{choice.Tie}
	default:
		given.Picks = appendPicks(nil, ranks)
		if worst := slices.Index(ranks, worstRank); worst >= 0 && by.arms > len(r.Items) {
			given.Picks = append(given.Picks, worst)
		}
	}
	by.record(t, given, times)
}

// Tally counts all answers.
func (r *Rankings) Tally(by Count) *choice.Tally {
	tally := choice.NewTally(by.arms)
	for _, a := range r.answers {
		r.count(by, a, a.times, tally)
	}
	return tally
}

// Clusters iterates over the tallies of clusters, whose scores are added: the answers of each respondent, or
// single answers. times is the number of equal clusters that a tally stands for. A tally is valid until the
// next iteration.
func (r *Rankings) Clusters(by Count, byRespondent bool) iter.Seq2[*choice.Tally, float64] {
	return func(yield func(*choice.Tally, float64) bool) {
		tally := choice.NewTally(by.arms)
		if !byRespondent {
			for _, a := range r.answers {
				tally.Reset()
				if r.count(by, a, 1, tally); !yield(tally, a.times) {
					return
				}
			}
			return
		}
		groups := make([][]answer, r.RespondentCount)
		for _, a := range r.answers {
			groups[a.respondent] = append(groups[a.respondent], a)
		}
		for _, group := range groups {
			tally.Reset()
			for _, a := range group {
				r.count(by, a, a.times, tally)
			}
			if !yield(tally, 1) {
				return
			}
		}
	}
}

// maxRepeated is the largest number of answers that are repeated by their counts.
const maxRepeated = 1_000_000

// Answers returns the answers without ties, in the order of the file, about a catalogue in which each item
// but the first has an indicator.
func (r *Rankings) Answers() (*Answers, error) {
	const maxItems = 500
	if len(r.Items) > maxItems || r.Len() > maxRepeated {
		return nil, fmt.Errorf("--checks needs at most %d items and %d answers, got %d and %d",
			maxItems, maxRepeated, len(r.Items), r.Len())
	}
	made := &Answers{}
	for _, a := range r.answers {
		ranks := r.ranks(a)
		if hasTies(ranks) {
			continue
		}
		one := choice.Answer{Picks: appendPicks(nil, ranks)}
		if r.RespondentCount > 0 {
			one.Respondent = r.respondents.names[a.respondent]
		}
		for _, p := range r.of(a) {
			one.Question = append(one.Question, int(p.item))
		}
		for range int(a.times) {
			made.Answers = append(made.Answers, one)
		}
	}
	var err error
	made.Catalogue, err = choice.NewNames(r.Items)
	return made, err
}

// The columns of answers in long form.
const (
	taskColumn        = "task"
	alternativeColumn = "alternative"
	rankColumn        = "rank"
	respondentColumn  = "respondent"
	worstColumn       = "worst"
)

// SideName is the name of the parameter of the advantage of the left side.
const SideName = "left side"

// ReadItemsWith reads answers about items whose features are the columns of a file of arms with a column id.
func ReadItemsWith(given, arms Source, items ItemForm, form LongForm) (*Choices, error) {
	known, err := readArms(arms)
	if err != nil {
		return nil, err
	}
	r, err := ReadItems(given, given.Name, items)
	if err != nil {
		return nil, err
	}
	if r.Len() > maxRepeated {
		return nil, r.errorAt(answer{}, "--arms needs at most %d answers, got %d", maxRepeated, r.Len())
	}
	form.Task, form.Alternative, form.Rank, form.Where = taskColumn, alternativeColumn, rankColumn, nil
	form.armsNamed = true
	if items.Side {
		form.Features = append(slices.Clip(form.Features), SideName)
	}
	if form.Worst = ""; r.BestWorst {
		form.Worst = worstColumn
	}
	if form.Respondent != "" {
		form.Respondent = respondentColumn
	}
	header := append([]string{taskColumn, alternativeColumn, rankColumn, respondentColumn, worstColumn, SideName}, known.header...)
	choices, err := readChoices(table.NewRows(table.Derivation{
		File: given.Name, Header: header,
		Each: func(yield func([]string, int) error) error { return r.eachRow(known, yield) },
	}), form)
	if err != nil {
		return nil, err
	}
	choices.Hints = append(r.Hints, choices.Hints...)
	return choices, nil
}

// eachRow calls yield for every item of every answer, with the columns of its arm.
func (r *Rankings) eachRow(arms *armTable, yield func(row []string, line int) error) error {
	task := 0
	for _, a := range r.answers {
		person := ""
		if r.RespondentCount > 0 {
			person = r.respondents.names[a.respondent]
		}
		for range int(a.times) {
			task++
			for slot, p := range r.of(a) {
				texts, found := arms.texts[r.Items[p.item]]
				if !found {
					return r.errorAt(a, "%s has no arm %q", arms.source, r.Items[p.item])
				}
				rank := ""
				if p.rank > 0 {
					rank = strconv.Itoa(int(p.rank))
				}
				row := []string{
					strconv.Itoa(task), r.Items[p.item], rank, person,
					strconv.Itoa(picked(p.rank == worstRank)), strconv.Itoa(picked(slot == 0)),
				}
				if err := yield(append(row, texts...), int(a.line)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ReadItems reads answers about items, in any shape of [ItemForm], from columns in any format that
// catalogues have, a PrefLib file or lists in JSON. file is the file name in errors.
func ReadItems(source io.Reader, file string, form ItemForm) (*Rankings, error) {
	text, err := table.Unpacked(source)
	if err != nil {
		return nil, table.ReadError(file, err)
	}
	r := &Rankings{file: file, items: newLevels(), respondents: newLevels(), allOffered: len(form.Offered) > 0}
	for _, name := range form.Offered {
		if name != "all" {
			r.item(name)
		}
	}
	switch start, _ := text.Peek(text.Size()); {
	case isPrefLib(file, start):
		err = r.readPrefLib(text)
	case listOfLists.Match(start):
		err = r.readLists(text)
	default:
		err = r.readColumns(text, form)
	}
	if err != nil {
		return nil, err
	}
	return r.finish(form)
}
