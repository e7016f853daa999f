//go:build long

package api_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/study/replay"
	"bestpick/wire"
)

// TestLongMajorityOverHTTP runs 100 studies with the default guarantee over HTTP, with people of two
// segments 60° apart, of whom some skip questions and some leave early. Every study is certified or
// spends its budget, and its log verifies. In every other study there is a clear favourite. A certificate is wrong if more than 55 in 100 people choose
// another option over the certified one.
//
// At most 5 of 100 certificates may be wrong, since δ = 0.05. If the probability of a wrong one were
// δ exactly, more than 5 would be wrong with probability 0.38; the bound is conservative, and in 400
// simulated runs of this kind none was wrong. At 0.5% the test would fail with probability 10⁻⁵, and
// at 0.12, more than twice δ, it passes with probability 0.02.
func TestLongMajorityOverHTTP(t *testing.T) {
	s := begin(t, setting{alone: true})
	const runs, most = 100, 5
	var certified, wrong, answers, people int
	for seed := range uint64(runs) {
		p := newDivided(seed)
		for next := seed + runs; seed%2 == 0 && p.favourite() > 0.4; next += runs {
			p = newDivided(next)
		}
		v := s.divided(p, seed)
		answers, people = answers+v.Answers, people+v.Respondents
		switch {
		case v.Reason == "certified" && v.Assumption == "majority":
			certified++
			if p.beaten(v.Leader.ID) > 0.55 {
				wrong++
			}
		case v.Reason != "spent":
			t.Errorf("study %d ended unexplained: %+v", seed, v)
		}
	}
	t.Logf("%d studies: %d certified, %d wrong, %d answers and %d people on average", runs, certified, wrong, answers/runs, people/runs)
	if wrong > most {
		t.Errorf("%d certificates are wrong", wrong)
	}
	if certified < runs/2 {
		t.Errorf("only %d studies were certified", certified)
	}
}

// A divided crowd has two segments of the same size.
type divided struct {
	arms  [][]float64
	theta [2][]float64
	rng   *rand.Rand
}

func newDivided(seed uint64) *divided {
	const arms, norm = 8, 2
	rng := rand.New(rand.NewPCG(seed, 60))
	p := &divided{rng: rng}
	for range arms {
		p.arms = append(p.arms, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	angle := 2 * math.Pi * rng.Float64()
	for i := range p.theta {
		p.theta[i] = []float64{norm * math.Cos(angle), norm * math.Sin(angle)}
		angle += math.Pi / 3
	}
	return p
}

// file returns the catalogue.
func (p *divided) file() client.File {
	var text strings.Builder
	text.WriteString("id,x,y\n")
	for i, arm := range p.arms {
		fmt.Fprintf(&text, "a%d,%g,%g\n", i, arm[0], arm[1])
	}
	return file("arms.csv", text.String())
}

func (p *divided) utility(id string, segment int) float64 {
	var arm int
	if _, err := fmt.Sscanf(id, "a%d", &arm); err != nil {
		panic(err)
	}
	return p.arms[arm][0]*p.theta[segment][0] + p.arms[arm][1]*p.theta[segment][1]
}

// beaten returns the largest share of people who choose another arm over the given one.
func (p *divided) beaten(id string) float64 {
	most := 0.0
	for i := range p.arms {
		share := 0.0
		for segment := range p.theta {
			share += 1 / (1 + math.Exp(p.utility(id, segment)-p.utility(fmt.Sprint("a", i), segment))) / 2
		}
		if fmt.Sprint("a", i) != id {
			most = max(most, share)
		}
	}
	return most
}

// favourite returns the share of people who choose another arm over the least beaten one, at most.
func (p *divided) favourite() float64 {
	least := 1.0
	for i := range p.arms {
		least = min(least, p.beaten(fmt.Sprint("a", i)))
	}
	return least
}

// pick returns the pick of a person of a segment.
func (p *divided) pick(q wire.Question, segment int) string {
	best, most := "", math.Inf(-1)
	for _, arm := range q.Arms {
		if like := p.utility(arm.ID, segment) - math.Log(p.rng.ExpFloat64()); like > most {
			best, most = arm.ID, like
		}
	}
	return best
}

// divided runs a study with a divided crowd to its end, verifies its log, and returns the verdict.
func (s *stage) divided(p *divided, seed uint64) wire.Verdict {
	s.Helper()
	const budget, each = 900, 5
	created, err := s.owner.Create(s.Context(), client.NewStudy{
		Name: "Divided", Settings: wire.Settings{Grace: -1, Each: each, Budget: budget, Seed: seed + 1}, Catalogue: p.file(),
	})
	s.must(err)
	id := created.Study.ID
	_, err = s.owner.Open(s.Context(), id)
	s.must(err)
	for person := 0; s.visits(p, id, person, each); person++ {
		if person%20 == 19 {
			s.pass(40 * time.Minute) // sessions of people who have left end
		}
	}
	verdict := s.ended(id)
	var export bytes.Buffer
	s.must(s.owner.Export(s.Context(), id, "log", "", &export))
	report, err := replay.Verify(&export)
	s.must(err)
	if report.Verdict.Digest != verdict.Digest || report.Verdict.Respondents != verdict.Respondents {
		s.Errorf("verified as %+v, the verdict is %+v", report.Verdict, verdict)
	}
	return verdict
}

// visits has a person answer their questions, and reports whether the study goes on.
func (s *stage) visits(p *divided, id string, person, each int) bool {
	s.Helper()
	segment, stays := p.rng.IntN(2), each
	if p.rng.IntN(10) == 0 {
		stays = 1 + p.rng.IntN(each)
	}
	for range stays {
		q, err := s.tryAsk(id, fmt.Sprint("person ", person))
		if client.Is(err, wire.StudyDone) {
			return false
		}
		s.must(err)
		if p.rng.IntN(20) == 0 {
			err = s.respondent.Skip(s.Context(), id, q.Token)
		} else {
			err = s.respondent.Answer(s.Context(), id, q.Token, p.pick(q, segment))
		}
		if client.Is(err, wire.StudyDone) {
			return false
		}
		s.must(err)
	}
	return true
}

// ended waits until a study has ended and returns its verdict.
func (s *stage) ended(id string) wire.Verdict {
	s.Helper()
	for range 1000 {
		verdict := s.verdict(id)
		if verdict.State == "done" {
			return verdict
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.Fatal("the study has not ended")
	return wire.Verdict{}
}
