package recorded

import (
	"io"
	"iter"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/internal/table"
)

// Pairs names the columns of votes between two items.
type Pairs struct {
	Left, Right string // the items shown
	Winner      string // left, right or tie
	Respondent  string // optional
	Ties        bool   // the model has a probability of a tie
}

// Votes are recorded votes between pairs of items.
type Votes struct {
	Items           []string // in order of appearance
	RespondentCount int      // 0 if the data name none

	votes []vote
}

type vote struct {
	left, right int32
	outcome     outcome
	respondent  int32 // the number of the vote if the data name none
}

type outcome uint8

const (
	leftWins outcome = iota
	rightWins
	tie
)

// ReadPairs reads votes. file is the file name in errors.
func ReadPairs(source io.Reader, file string, columns Pairs) (*Votes, error) {
	rows, err := table.NewReader(source, file, table.Limits{})
	if err != nil {
		return nil, err
	}
	p := pairsReader{rows: rows, respondent: -1, items: map[string]int32{}, respondents: map[string]int32{}}
	if p.left, err = rows.Column(columns.Left); err != nil {
		return nil, err
	}
	if p.right, err = rows.Column(columns.Right); err != nil {
		return nil, err
	}
	if p.winner, err = rows.Column(columns.Winner); err != nil {
		return nil, err
	}
	if columns.Respondent != "" {
		if p.respondent, err = rows.Column(columns.Respondent); err != nil {
			return nil, err
		}
	}
	if err := rows.Each(p.addRow); err != nil {
		return nil, err
	}
	p.votes.RespondentCount = len(p.respondents)
	return &p.votes, nil
}

type pairsReader struct {
	rows                            *table.Reader
	left, right, winner, respondent int // columns; respondent -1 if unused
	items, respondents              map[string]int32
	votes                           Votes
}

// addRow adds the current row.
func (p *pairsReader) addRow() error {
	v := vote{respondent: int32(len(p.votes.votes))}
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
	switch text := p.rows.Text(p.winner); strings.ToLower(text) {
	case "left":
		v.outcome = leftWins
	case "right":
		v.outcome = rightWins
	case "tie":
		v.outcome = tie
	case "":
		return p.rows.Missing(p.winner)
	default:
		return p.rows.Errorf(p.winner, "%q is not left, right or tie", text)
	}
	if p.respondent >= 0 {
		person := p.rows.Text(p.respondent)
		if person == "" {
			return p.rows.Missing(p.respondent)
		}
		v.respondent = number(p.respondents, person)
	}
	p.votes.votes = append(p.votes.votes, v)
	return nil
}

func (p *pairsReader) item(column int) (int32, error) {
	name := p.rows.Text(column)
	if name == "" {
		return 0, p.rows.Missing(column)
	}
	at := number(p.items, name)
	if int(at) == len(p.votes.Items) {
		p.votes.Items = append(p.votes.Items, strings.Clone(name))
	}
	return at, nil
}

// Len returns the number of votes.
func (v *Votes) Len() int { return len(v.votes) }

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

// ByRespondent iterates over the tallies of respondents, or of votes if the data name
// no respondents. A tally is valid until the next iteration.
func (v *Votes) ByRespondent(by Count) iter.Seq[*choice.Tally] {
	return func(yield func(*choice.Tally) bool) {
		sorted := slices.SortedStableFunc(slices.Values(v.votes), func(a, b vote) int {
			return int(a.respondent - b.respondent)
		})
		tally := choice.NewTally(by.arms)
		for i, one := range sorted {
			if i > 0 && sorted[i-1].respondent != one.respondent {
				if !yield(tally) {
					return
				}
				tally.Reset()
			}
			by.add(one, tally)
		}
		yield(tally)
	}
}

// countTie adds a vote to a tally of rows.
func (v vote) countTie(rows *choice.Alternatives, tally *choice.Tally) {
	pick := map[outcome]int{leftWins: 0, rightWins: 1, tie: choice.Tie}[v.outcome]
	answer := choice.Answer{Question: choice.Question{int(v.left), int(v.right)}, Picks: []int{pick}}
	if err := rows.Count(tally, answer); err != nil {
		panic("recorded: " + err.Error())
	}
}

// count adds a vote to a tally, a tie as half a win each.
func (v vote) count(tally *choice.Tally) {
	question := choice.Question{int(v.left), int(v.right)}
	weight, picks := 1.0, []int{0}
	switch v.outcome {
	case rightWins:
		picks = []int{1}
	case tie:
		weight, picks = 0.5, []int{0, 1}
	case leftWins:
	}
	for _, slot := range picks {
		if err := tally.AddWeighted(choice.Answer{Question: question, Picks: []int{slot}}, weight); err != nil {
			panic("recorded: " + err.Error())
		}
	}
}
