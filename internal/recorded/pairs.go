package recorded

import (
	"io"
	"iter"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/internal/table"
)

// Pairs names the columns of votes between two items: Left, Right and Winner, or Winner and Loser. If none
// is named, usual names are recognised: left, right and winner; model_a, model_b and winner; winner and
// loser.
type Pairs struct {
	Left, Right string // the items shown
	Winner      string // left, right or tie; the name of the column or of the item that won
	Loser       string // instead of Left and Right: Winner and Loser are items
	Respondent  string // optional
	Count       string // optional: the number of equal votes that a row stands for
	Ties        bool   // the model has a probability of a tie

	Where []Condition // selects rows
}

// Votes are recorded votes between pairs of items.
type Votes struct {
	Items           []string // in order of appearance
	RespondentCount int      // 0 if the data name none
	Hints           []string // about columns that are not used, but look as if they should be

	votes []vote
	total int // votes, with their counts
}

type vote struct {
	left, right int32
	outcome     outcome
	respondent  int32 // 0 if the data name none
	times       float64
}

type outcome uint8

const (
	leftWins outcome = iota
	rightWins
	tie
)

// ReadPairs reads votes, in any format that catalogues have. file is the file name in errors.
func ReadPairs(source io.Reader, file string, columns Pairs) (*Votes, error) {
	r, err := openRows(source, file, columns.Where)
	if err != nil {
		return nil, err
	}
	columns, err = columns.orUsual(r)
	if err != nil {
		return nil, err
	}
	p, err := newPairsReader(r, columns)
	if err != nil {
		return nil, err
	}
	if err := r.Each(p.addRow); err != nil {
		return nil, err
	}
	p.votes.RespondentCount = len(p.respondents.names)
	p.votes.Items = p.items.names
	p.votes.Hints = p.hints.listVotes(len(p.votes.votes))
	return &p.votes, nil
}

// orUsual returns the columns, those with usual names if none is named.
func (c Pairs) orUsual(r *table.Reader) (Pairs, error) {
	if c.Left != "" || c.Right != "" || c.Winner != "" || c.Loser != "" {
		return c, nil
	}
	const winner = "winner"
	for _, usual := range []Pairs{
		{Winner: winner, Loser: "loser"},
		{Left: "model_a", Right: "model_b", Winner: winner},
		{Left: "left", Right: "right", Winner: winner},
	} {
		if !slices.ContainsFunc([]string{usual.Left, usual.Right, usual.Winner, usual.Loser},
			func(name string) bool { return name != "" && !hasColumn(r, name) }) {
			c.Left, c.Right, c.Winner, c.Loser = usual.Left, usual.Right, usual.Winner, usual.Loser
			return c, nil
		}
	}
	return c, r.ErrorAt(0, "",
		"choices need --features or --constants; votes need the columns left, right and winner, or winner and loser, "+
			"or flags that name them")
}

type pairsReader struct {
	rows                                          *table.Reader
	columns                                       Pairs
	left, right, winner, loser, respondent, count int // columns, −1 if unused
	items, respondents                            levels
	votes                                         Votes
	hints                                         *hints
}

func newPairsReader(r *table.Reader, columns Pairs) (*pairsReader, error) {
	at, err := optionalColumns(r, columns.Left, columns.Right, columns.Winner, columns.Loser, columns.Respondent, columns.Count)
	if err != nil {
		return nil, err
	}
	p := &pairsReader{
		rows: r, columns: columns, items: newLevels(), respondents: newLevels(), hints: newVoteHints(r, columns),
		left: at[0], right: at[1], winner: at[2], loser: at[3], respondent: at[4], count: at[5],
	}
	if p.loser >= 0 {
		p.left, p.right = p.winner, p.loser
	}
	return p, nil
}

// addRow adds the current row.
func (p *pairsReader) addRow() error {
	v := vote{times: 1}
	var err error
	if v.left, err = p.item(p.left); err != nil {
		return err
	}
	if v.right, err = p.item(p.right); err != nil {
		return err
	}
	if v.left == v.right {
		return p.rows.Errorf(p.right, "both sides are %q", p.rows.Text(p.right))
	}
	if p.loser < 0 {
		if v.outcome, err = p.outcome(); err != nil {
			return err
		}
	}
	if p.respondent >= 0 {
		person := p.rows.Text(p.respondent)
		if person == "" {
			return p.rows.Missing(p.respondent)
		}
		v.respondent = int32(p.respondents.add(person))
	}
	if p.count >= 0 {
		if v.times, err = p.times(); err != nil {
			return err
		}
	}
	p.hints.addRow()
	p.votes.votes = append(p.votes.votes, v)
	p.votes.total += int(v.times)
	return nil
}

// outcome returns which side of the current row won: by its side, by the name of its column, or by the item.
func (p *pairsReader) outcome() (outcome, error) {
	text := p.rows.Text(p.winner)
	switch lower := strings.ToLower(text); {
	case lower == "left", text == p.columns.Left:
		return leftWins, nil
	case lower == "right", text == p.columns.Right:
		return rightWins, nil
	case lower == "tie", strings.HasPrefix(lower, "tie ("): // tie (bothbad)
		return tie, nil
	case text == "":
		return 0, p.rows.Missing(p.winner)
	case text == p.rows.Text(p.left):
		return leftWins, nil
	case text == p.rows.Text(p.right):
		return rightWins, nil
	}
	return 0, p.rows.Errorf(p.winner, "%q is not left, right or tie, nor one of the two items", text)
}

// times returns the number of votes of the current row.
func (p *pairsReader) times() (float64, error) {
	const most = 1e9
	x, err := p.rows.Number(p.count)
	if err == nil && !(x >= 1 && x <= most && x == float64(int(x))) {
		err = p.rows.Errorf(p.count, "a count must be a whole number from 1 to %d, got %s", int(most), p.rows.Text(p.count))
	}
	return x, err
}

func (p *pairsReader) item(column int) (int32, error) {
	name := p.rows.Text(column)
	if name == "" {
		return 0, p.rows.Missing(column)
	}
	return int32(p.items.add(name)), nil
}

// Len returns the number of votes.
func (v *Votes) Len() int { return v.total }

// A Count counts votes in tallies.
type Count struct {
	arms int
	add  func(v vote, t *choice.Tally)
}

// HalfWins counts a tie as half a win each, in tallies of the items.
func (v *Votes) HalfWins() Count { return Count{len(v.Items), vote.count} }

// Ties counts a tie as an answer of its own, in tallies of rows of alternatives that offer ties.
func (v *Votes) Ties(rows *choice.Alternatives) Count {
	return Count{rows.Rows().Len(), func(v vote, t *choice.Tally) { v.countTie(rows, t) }}
}

// Tally counts all votes.
func (v *Votes) Tally(by Count) *choice.Tally {
	tally := choice.NewTally(by.arms)
	for _, one := range v.votes {
		by.add(one, tally)
	}
	return tally
}

// Clusters are groups of votes whose scores are added: the votes of each respondent, or single votes. A
// row that stands for several votes is then one vote in its tally, and Times says of how many.
type Clusters struct {
	Times []float64 // equal clusters that a tally stands for

	groups [][]vote
}

// Clusters returns the votes of each respondent, or single votes.
func (v *Votes) Clusters(byRespondent bool) *Clusters {
	c := &Clusters{}
	if !byRespondent {
		for _, one := range v.votes {
			c.Times = append(c.Times, one.times)
			one.times = 1
			c.groups = append(c.groups, []vote{one})
		}
		return c
	}
	c.groups = make([][]vote, v.RespondentCount)
	for _, one := range v.votes {
		c.groups[one.respondent] = append(c.groups[one.respondent], one)
	}
	c.Times = slices.Repeat([]float64{1}, len(c.groups))
	return c
}

// Tallies iterates over the tallies of the clusters. A tally is valid until the next iteration.
func (c *Clusters) Tallies(by Count) iter.Seq[*choice.Tally] {
	return func(yield func(*choice.Tally) bool) {
		tally := choice.NewTally(by.arms)
		for _, group := range c.groups {
			tally.Reset()
			for _, one := range group {
				by.add(one, tally)
			}
			if !yield(tally) {
				return
			}
		}
	}
}

// countTie adds a vote to a tally of rows.
func (v vote) countTie(rows *choice.Alternatives, tally *choice.Tally) {
	pick := map[outcome]int{leftWins: 0, rightWins: 1, tie: choice.Tie}[v.outcome]
	answer := choice.Answer{Question: choice.Question{int(v.left), int(v.right)}, Picks: []int{pick}}
	for stage := range rows.Stages(answer) {
		add(tally, stage.Rows, stage.Picked, v.times)
	}
}

// count adds a vote to a tally, a tie as half a win each.
func (v vote) count(tally *choice.Tally) {
	question := choice.Question{int(v.left), int(v.right)}
	weight, picks := v.times, []int{0}
	switch v.outcome {
	case rightWins:
		picks = []int{1}
	case tie:
		weight, picks = v.times/2, []int{0, 1}
	case leftWins:
	}
	for _, slot := range picks {
		add(tally, question, slot, weight)
	}
}

// add adds the pick of a slot to a tally.
func add(tally *choice.Tally, question choice.Question, slot int, weight float64) {
	if err := tally.AddWeighted(choice.Answer{Question: question, Picks: []int{slot}}, weight); err != nil {
		panic("recorded: " + err.Error())
	}
}
