package recorded

import (
	"fmt"
	"io"
	"iter"
	"maps"
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

func newRankings(file string) *Rankings {
	return &Rankings{file: file, items: newLevels(), respondents: newLevels()}
}

// item returns the number of an item.
func (r *Rankings) item(name string) int32 {
	at := r.items.add(name)
	if at == len(r.lastSeen) {
		r.lastSeen = append(r.lastSeen, 0)
	}
	return int32(at)
}

// add adds an answer with the items in the order shown. Ranks need not be consecutive. Items that share the
// last place, with none below, are unranked, unless all share one.
func (r *Rankings) add(places []place, a answer) error {
	a.first, a.size = int32(len(r.places)), int32(len(places))
	number := int32(len(r.answers) + r.useless + 1)
	counts, unranked := map[int32]int{}, 0
	for _, p := range places {
		if r.lastSeen[p.item] == number {
			return r.errorAt(a, "%q appears twice", r.items.names[p.item])
		}
		r.lastSeen[p.item] = number
		if p.rank > 0 {
			counts[p.rank]++
		} else {
			unranked++
		}
	}
	ranks := slices.Sorted(maps.Keys(counts))
	if last := len(ranks) - 1; last >= 0 && unranked == 0 && counts[ranks[last]] > 1 && last > 0 {
		ranks = ranks[:last]
	}
	for at, rank := range ranks {
		if counts[rank] > maxTiedItems && counts[rank] < len(places) {
			return r.errorAt(a, "%d items share place %d; at most %d may, except in the last place", counts[rank], at+1, maxTiedItems)
		}
	}
	if len(ranks) == 0 || len(places) < 2 {
		r.useless++
		return nil
	}
	for _, p := range places {
		if p.rank > 0 {
			at, _ := slices.BinarySearch(ranks, p.rank)
			if p.rank = int32(at + 1); at == len(ranks) {
				p.rank = 0
			}
		}
		r.places = append(r.places, p)
	}
	r.widest = max(r.widest, len(places))
	r.answers = append(r.answers, a)
	r.total += a.times
	return nil
}

func (r *Rankings) errorAt(a answer, format string, arguments ...any) error {
	return &table.Error{File: r.file, Line: int(a.line), Problem: table.Problemf("", format, arguments...)}
}

// offer puts the items that an order does not list on offer in every answer, unranked: those of the names,
// or all of the file.
func (r *Rankings) offer(names []string) error {
	const most = 100_000_000
	if slices.Equal(names, []string{"all"}) {
		names = r.items.names
	}
	offered := make([]int32, len(names))
	for i, name := range names {
		offered[i] = r.item(name)
	}
	if len(r.answers)*len(offered) > most {
		return r.errorAt(answer{}, "%d items in each of %d rankings are too many", len(offered), len(r.answers))
	}
	given := *r
	r.answers, r.places, r.total, r.useless = nil, nil, 0, 0
	for i := range r.lastSeen {
		r.lastSeen[i] = 0
	}
	for _, a := range given.answers {
		places := slices.Clone(given.of(a))
		for _, item := range offered {
			if !slices.ContainsFunc(places, func(p place) bool { return p.item == item }) {
				places = append(places, place{item: item})
			}
		}
		if err := r.add(places, a); err != nil {
			return err
		}
	}
	return nil
}

// finish checks that there is something to fit, and that the terms of the form fit the answers.
func (r *Rankings) finish(form ItemForm) (*Rankings, error) {
	r.Items, r.Pairs = r.items.names, r.widest == 2
	switch n := len(r.Items); {
	case n < 2 || len(r.answers) == 0:
		return nil, r.errorAt(answer{}, "no answer compares two items")
	case n > maxTermItems && (form.Ties || form.Side || r.BestWorst):
		return nil, r.errorAt(answer{}, "--ties, --side and --worst need at most %d items, got %d", maxTermItems, n)
	case form.Side && !r.Pairs:
		return nil, r.errorAt(answer{}, "--side needs answers about two items, got %d", r.widest)
	case form.Base != "" && !slices.Contains(r.Items, form.Base):
		return nil, r.errorAt(answer{}, "--base: there is no item %q", form.Base)
	}
	if r.useless > 0 {
		r.Hints = append(r.Hints, fmt.Sprintf("%d of %d answers rank none of two or more items; they carry no information and are left out",
			r.useless, len(r.answers)+r.useless))
	}
	if form.Ties {
		return r, r.checkTies()
	}
	return r, nil
}

// maxTermItems bounds the memory of models with further terms, which have as many columns as rows: 32 MB.
const maxTermItems = 2000

// of returns the places of an answer.
func (r *Rankings) of(a answer) []place { return r.places[a.first : a.first+a.size] }

// Len returns the number of answers.
func (r *Rankings) Len() int { return int(r.total) }

// checkTies returns an error if a model with a probability of ties cannot hold an answer: a tie must be
// between all items on offer, at most [choice.MaxTied].
func (r *Rankings) checkTies() error {
	for _, a := range r.answers {
		ranks := r.ranks(a, nil)
		if firsts, last := count(ranks, 1), slices.Max(ranks); int(a.size) > choice.MaxTied || firsts > 1 && firsts < len(ranks) ||
			last > 1 && hasTies(ranks) {
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

// ranks appends the ranks of an answer.
func (r *Rankings) ranks(a answer, to []int) []int {
	for _, p := range r.of(a) {
		to = append(to, int(p.rank))
	}
	return to
}

// hasTies reports whether two ranks are equal.
func hasTies(ranks []int) bool {
	seen := make([]bool, max(slices.Max(ranks), 0)+1)
	for _, rank := range ranks {
		if rank > 0 && seen[rank] {
			return true
		}
		seen[max(rank, 0)] = true
	}
	return false
}

// stages calls choose for every choice of a ranking with ties: the slots left, the one picked of them, and
// the weight. Tied items count as if all their orders had been given equally often: of m tied items, s given
// ones are left with probability 1/C(m, s), and each is next with probability 1/s. For two it is half a win
// each. Ranks count from 1 without gaps; 0 is unranked. More than maxTiedItems tied items are unranked.
func stages(ranks []int, choose func(left []int, slot int, weight float64)) {
	factorials := [maxTiedItems + 1]float64{1, 1, 2, 6, 24, 120, 720}
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
		m := len(tied)
		if m == 0 || m > maxTiedItems {
			return
		}
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
}

// A Count counts answers in tallies.
type Count struct {
	arms int
	add  func(a answer, times float64, t *choice.Tally)
}

// Plain counts in tallies of the items, ties as all orders of the tied items equally often.
func (r *Rankings) Plain() Count {
	var question, picks, ranks []int
	return Count{len(r.Items), func(a answer, times float64, t *choice.Tally) {
		ranks = r.ranks(a, ranks[:0])
		question = question[:0]
		for _, p := range r.of(a) {
			question = append(question, int(p.item))
		}
		if !hasTies(ranks) {
			picks = appendPicks(picks[:0], ranks)
			add(t, question, picks, times)
			return
		}
		stages(ranks, func(left []int, slot int, weight float64) {
			add(t, question, []int{slot}, times*weight, left...)
		})
	}}
}

// Offered counts in tallies of rows of alternatives. With sides, the item in the first slot is an arm after
// all items: that item on the left side. A tie is an answer if the alternatives offer it.
func (r *Rankings) Offered(rows *choice.Alternatives, sides bool) Count {
	return Count{rows.Rows().Len(), func(a answer, times float64, t *choice.Tally) {
		given := choice.Answer{}
		for slot, p := range r.of(a) {
			arm := int(p.item)
			if sides && slot == 0 {
				arm += len(r.Items)
			}
			given.Question = append(given.Question, arm)
		}
		ranks := r.ranks(a, nil)
		record := func(answer choice.Answer, weight float64) {
			for stage := range rows.Stages(answer) {
				add(t, stage.Rows, []int{stage.Picked}, weight)
			}
		}
		switch tied := hasTies(ranks); {
		case tied && rows.Offer().Ties:
			given.Picks = []int{choice.Tie}
			record(given, times)
		case tied:
			stages(ranks, func(left []int, slot int, weight float64) {
				record(choice.Answer{Question: chosenOf(given.Question, left), Picks: []int{slices.Index(left, slot)}}, times*weight)
			})
		default:
			given.Picks = appendPicks(nil, ranks)
			if worst := slices.Index(ranks, worstRank); worst >= 0 {
				given.Picks = append(given.Picks, worst)
			}
			record(given, times)
		}
	}}
}

// chosenOf returns the elements at some places.
func chosenOf(all []int, at []int) []int {
	some := make([]int, len(at))
	for i, place := range at {
		some[i] = all[place]
	}
	return some
}

// add adds picks of slots to a tally, from the slots left, or all.
func add(tally *choice.Tally, question choice.Question, picks []int, weight float64, left ...int) {
	if len(left) > 0 {
		picks = []int{slices.Index(left, picks[0])}
		question = chosenOf(question, left)
	}
	if err := tally.AddWeighted(choice.Answer{Question: question, Picks: picks}, weight); err != nil {
		panic("recorded: " + err.Error())
	}
}

// Tally counts all answers.
func (r *Rankings) Tally(by Count) *choice.Tally {
	tally := choice.NewTally(by.arms)
	for _, a := range r.answers {
		by.add(a, a.times, tally)
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
				if by.add(a, 1, tally); !yield(tally, a.times) {
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
				by.add(a, a.times, tally)
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
		return nil, fmt.Errorf("--checks needs at most %d items and %d answers, got %d and %d", maxItems, maxRepeated, len(r.Items), r.Len())
	}
	features := make([][]float64, len(r.Items))
	for i := range features {
		features[i] = make([]float64, len(r.Items)-1)
		if i > 0 {
			features[i][i-1] = 1
		}
	}
	made := &Answers{}
	for _, a := range r.answers {
		ranks := r.ranks(a, nil)
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
	made.Catalogue, err = choice.NewCatalogue(r.Items, r.Items[1:], features)
	return made, err
}

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
	form.Task, form.Alternative, form.Rank, form.Where = "task", "alternative", "rank", nil
	if items.Side {
		form.Features = append(slices.Clip(form.Features), SideName)
	}
	if form.Worst = ""; r.BestWorst {
		form.Worst = "worst"
	}
	if form.Respondent != "" {
		form.Respondent = "respondent"
	}
	header := append([]string{"task", "alternative", "rank", "respondent", "worst", SideName}, known.header...)
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
	r := newRankings(file)
	switch start, _ := text.Peek(text.Size()); {
	case isPrefLib(file, start):
		err = r.readPrefLib(text)
	case listOfLists.Match(start):
		err = r.readLists(text)
	default:
		err = r.readColumns(text, form)
	}
	if err == nil && len(form.Offered) > 0 {
		err = r.offer(form.Offered)
	}
	if err != nil {
		return nil, err
	}
	return r.finish(form)
}
