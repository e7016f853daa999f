package simulate

import (
	"container/heap"
	"context"
	"errors"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
)

// handEnds is after how many usual times of an answer a hand ends without one: five minutes at 12 seconds.
const handEnds = 25.0

// visits are the people of a run, from their arrival until they have answered or left.
type visits struct {
	experiment  Experiment
	strategy    strategy.Strategy
	respondents crowd.Respondent
	run         *Run
	clock       *rand.Rand
	now, next   float64 // time, and the next arrival
	events      events
}

// A visit is one person.
type visit struct {
	who           crowd.Respondent
	name, segment string
	habits        crowd.Habits
	hand          []choice.Question // dealt, in this order
	left          int               // questions that are not dealt yet
	answered      int
}

// An event is the next answer of a person, or that they have gone.
type event struct {
	at    float64
	visit *visit
	gone  bool
}

type events []event //nolint:recvcheck // as package heap has it

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any) {
	if next, ok := x.(event); ok {
		*e = append(*e, next)
	}
}

func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// all lets people come and answer until the strategy stops, or the questions are used up.
func (v *visits) all(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if most := v.experiment.MaxQuestions; most > 0 && v.run.Questions >= most {
			return nil
		}
		var err error
		if len(v.events) == 0 || v.experiment.Arrivals > 0 && v.next <= v.events[0].at {
			err = v.arrive()
		} else if e, ok := heap.Pop(&v.events).(event); ok {
			v.now = e.at
			err = v.happen(e)
		}
		if errors.Is(err, strategy.ErrStopped) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// arrive brings the next person, and deals them a hand if the strategy is about people.
func (v *visits) arrive() error {
	if v.experiment.Arrivals > 0 {
		v.now = v.next
		v.next += v.clock.ExpFloat64() / v.experiment.Arrivals
	}
	person := &visit{who: v.respondents, left: 1}
	if people, named := v.respondents.(*crowd.People); named {
		person.who, person.name, person.segment, person.left = people.Arrive(), people.Name(), people.Segment(), people.Each
	}
	if habitual, ok := person.who.(crowd.Habitual); ok {
		person.habits = habitual.Habits
	}
	v.run.People++
	return v.plan(person)
}

// ask asks a person the next question, or all of their questions where the strategy is about people.
func (v *visits) ask(person *visit) error {
	dealer, personal := v.strategy.(strategy.Dealer)
	if personal {
		dealer.Begin(person.left)
	}
	for person.left > 0 && (personal || len(person.hand) == 0) {
		person.left--
		q, err := v.strategy.Ask()
		if errors.Is(err, strategy.ErrStopped) && len(person.hand) > 0 {
			break
		}
		if err != nil {
			return err
		}
		person.hand = append(person.hand, q)
	}
	if personal {
		return dealer.Deal(person.name, person.segment, person.hand)
	}
	return nil
}

// plan plans the next answer of a person, or that they are gone.
func (v *visits) plan(person *visit) error {
	if stay := person.habits.Stay; stay > 0 && person.answered >= stay {
		heap.Push(&v.events, event{v.now + handEnds, person, true})
		return nil
	}
	if len(person.hand) == 0 {
		if err := v.ask(person); err != nil {
			return err
		}
	}
	pace := person.habits.Pace
	if pace == 0 {
		pace = 1
	}
	heap.Push(&v.events, event{v.now + pace*v.clock.ExpFloat64(), person, false})
	return nil
}

// happen lets a person answer, or leave.
func (v *visits) happen(e event) error {
	if e.gone {
		return v.end(e.visit)
	}
	person := e.visit
	q := person.hand[0]
	person.hand = person.hand[1:]
	if skip := person.habits.Skip; skip == nil || !skip(q) {
		if err := v.answer(person, q); err != nil {
			return err
		}
	}
	if len(person.hand)+person.left > 0 {
		return v.plan(person)
	}
	return v.end(person)
}

// answer lets a person answer a question.
func (v *visits) answer(person *visit, q choice.Question) error {
	person.answered++
	v.run.Questions++
	for _, arm := range q {
		v.run.Shown[arm]++
	}
	picks := min(max(v.experiment.Picks, 1), len(q))
	err := v.strategy.Tell(choice.Answer{
		Question: q, Picks: person.who.Pick(q, picks), Respondent: person.name, Segment: person.segment,
	})
	if err == nil && v.experiment.Each != nil {
		v.experiment.Each(v.run.Number, v.run.Questions, v.strategy)
	}
	if err == nil && len(person.hand) > 0 && v.strategy.Verdict().Status != strategy.Asking {
		return strategy.ErrStopped
	}
	return err
}

// end ends the hand of a person.
func (v *visits) end(person *visit) error {
	if dealer, ok := v.strategy.(strategy.Dealer); ok {
		return dealer.End(person.name)
	}
	return nil
}
