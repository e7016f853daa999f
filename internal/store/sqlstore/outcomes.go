package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"bestpick/internal/study"
)

// OutcomeColumns are the columns of the table outcomes that [Dialect.Log] selects.
const OutcomeColumns = `number, outcomes.position, kind, shown, picks, respondent, segment, plan, asked, at, note`

// LastOutcome returns the last outcome of a question.
func (s *Store) LastOutcome(ctx context.Context, id string, position study.Position) (study.Outcome, error) {
	return scanOutcome(row(ctx, s.db, `
		SELECT `+OutcomeColumns+` FROM studies
		JOIN questions ON questions.study = key JOIN outcomes USING (study, number)
		WHERE id = $1 AND questions.position = $2`, id, position))
}

// Log returns outcomes in order. Their numbers have no gaps.
func (s *Store) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	after = max(after, 0)
	upto := after + min(int64(max(limit, 0)), math.MaxInt64-after)
	return list(ctx, s, id, scanOutcome, s.d.Log, after, upto)
}

// Length returns the number of the last outcome.
func (s *Store) Length(ctx context.Context, id string) (last int64, err error) {
	err = row(ctx, s.db, `SELECT outcomes FROM progress JOIN studies ON key = study WHERE id = $1`, id).Scan(&last)
	return last, Found(err)
}

// Undone returns the outcomes after a number that take back an answer up to that number.
func (s *Store) Undone(ctx context.Context, id string, after int64) ([]study.Outcome, error) {
	return list(ctx, s, id, scanOutcome, `
		SELECT `+OutcomeColumns+` FROM outcomes
		WHERE study = `+KeyOf+` AND number > $2 AND undoes IS NOT NULL AND undoes <= $2 ORDER BY number`, after)
}

func scanOutcome(row Row) (o study.Outcome, err error) {
	var shown, picks, note []byte
	err = row.Scan(&o.Number, &o.Position, &o.Kind, &shown, &picks, &o.Respondent, &o.Segment, &o.Plan, &o.Asked, &o.At, &note)
	if err != nil {
		return study.Outcome{}, Found(err)
	}
	o.Asked, o.At = utc(o.Asked), utc(o.At)
	if len(note) > 0 {
		err = json.Unmarshal(note, &o.Note)
	}
	var into any = &o.Shown
	if o.Kind == study.Arrived {
		into = &o.Hand
	}
	return o, errors.Join(err, json.Unmarshal(shown, into), json.Unmarshal(picks, &o.Picks))
}

// Respondent returns the history of one respondent.
func (s *Store) Respondent(ctx context.Context, id, respondent string) (h study.History, err error) {
	k, err := s.Key(ctx, id)
	if err != nil || !study.IsText(respondent) {
		return h, err
	}
	var shown []byte
	if err := s.db.QueryRow(ctx, s.d.History, k, respondent).Scan(&h.Questions, &shown); err != nil || shown == nil {
		return h, err
	}
	err = json.Unmarshal(shown, &h.LastShown)
	return h, err
}

// Batches returns the names of imported batches.
func (s *Store) Batches(ctx context.Context, id string) ([]string, error) {
	names, err := list(ctx, s, id, Column[string], `SELECT name FROM batches WHERE study = `+KeyOf)
	slices.Sort(names)
	return names, err
}

// Claim claims the next unclaimed questions. The claimed questions are a prefix of all questions, so one number identifies them.
func (s *Store) Claim(ctx context.Context, id string, n int, now time.Time) (c study.Claim, err error) {
	err = s.alone(ctx, id, func(tx Querier, p Progress) error {
		c = study.Claim{First: study.Position(p.Claimed), At: now}
		most, err := p.reserve(min(int64(max(n, 0)), p.Planned-p.Claimed), now)
		if p.Budget > 0 { // processes share what is left
			most = min(most, (p.Budget-p.Answers-p.Held+3)/4)
		}
		end := p.Claimed + most
		c.Low = most == 0 || p.Planned-end < 2*int64(n)
		if err != nil || most == 0 {
			return err
		}
		if c.Questions, c.Plans, err = questions(ctx, tx, p.Study, p.Claimed, end); err != nil {
			return err
		}
		return s.d.claim(ctx, tx, p.Study, p.Claimed, end, now)
	})
	if err != nil {
		return study.Claim{}, err
	}
	return c, nil
}

// deals groups calls of Deal: those for a study that arrive during a transaction share the next one.
type deals struct {
	mutex   sync.Mutex
	waiting map[string][]*deal // by study; an entry exists while a transaction is running
	running sync.WaitGroup
}

// A deal is a pending call of Deal.
type deal struct {
	n         int
	withdrawn []int
	arrival   study.Outcome

	dealt study.Outcome
	err   error
	done  chan struct{}
}

// Deal claims the next questions as the hand of a person, and appends their arrival to the log.
func (s *Store) Deal(ctx context.Context, id string, n int, withdrawn []int, arrival study.Outcome) (study.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return study.Outcome{}, err
	}
	d := &deal{n: max(n, 1), withdrawn: withdrawn, arrival: arrival, done: make(chan struct{})}
	s.deals.mutex.Lock()
	queue, busy := s.deals.waiting[id]
	s.deals.waiting[id] = append(queue, d)
	s.deals.mutex.Unlock()
	if !busy {
		s.deals.running.Go(func() { s.dealAll(context.WithoutCancel(ctx), id) })
	}
	select {
	case <-d.done:
		return d.dealt, d.err
	case <-ctx.Done():
		return study.Outcome{}, ctx.Err()
	}
}

// dealAll deals the hands of a study until no call of Deal is waiting.
func (s *Store) dealAll(ctx context.Context, id string) {
	for {
		s.deals.mutex.Lock()
		queue := s.deals.waiting[id]
		if s.deals.waiting[id] = nil; len(queue) == 0 {
			delete(s.deals.waiting, id)
			s.deals.mutex.Unlock()
			return
		}
		s.deals.mutex.Unlock()
		err := s.alone(ctx, id, func(tx Querier, p Progress) error { return s.dealHands(ctx, tx, p, queue) })
		for _, d := range queue {
			if err != nil {
				d.err = err
			}
			if d.err != nil {
				d.dealt = study.Outcome{}
			}
			close(d.done)
		}
	}
}

// WaitForDeals waits until no call of Deal is running.
func (s *Store) WaitForDeals() { s.deals.running.Wait() }

// dealHands deals hands in a transaction, in order. An error fails all of them.
func (s *Store) dealHands(ctx context.Context, tx Querier, p Progress, queue []*deal) error {
	var deck [][]int // unclaimed questions
	var plans []int
	first, before := p.Claimed, p.Outcomes
	for _, d := range queue {
		if d.dealt, d.err = s.d.arrival(ctx, tx, p.Study, d.arrival.Respondent); d.err == nil {
			continue
		} else if !errors.Is(d.err, study.ErrNotFound) {
			return d.err
		}
		most, err := p.reserve(int64(d.n), d.arrival.At)
		if d.err = err; err != nil {
			continue
		}
		n := int(most)
		if deck == nil && first < p.Planned {
			if deck, plans, err = questions(ctx, tx, p.Study, first, p.needed(queue)); err != nil {
				return err
			}
		}
		for at := shows(deck, n, d.withdrawn); at >= 0; at = shows(deck, n, d.withdrawn) {
			first, deck, plans = first+int64(at)+1, deck[at+1:], plans[at+1:]
		}
		if d.err = study.ErrNoQuestion; len(deck) < n {
			continue
		}
		d.dealt = d.arrival
		d.dealt.Kind, d.dealt.Position, d.dealt.Number = study.Arrived, study.OutsideDeck, p.Outcomes+1
		d.dealt.Plan, d.dealt.Asked = plans[n-1], d.arrival.At
		d.dealt.Hand = &study.Hand{First: study.Position(first), Cards: deck[:n:n]}
		if d.dealt.Hand.Nth, d.err = countNetwork(ctx, tx, p.Study, d.arrival); d.err != nil {
			return d.err
		}
		var e Entry
		if e, d.err = newEntry(d.dealt); d.err != nil {
			continue
		}
		if _, err := tx.Exec(ctx, s.d.Arrive, p.Study, e.Respondent, e.Number, e.ShownJSON, e.Segment, e.At, e.Plan); err != nil {
			return err
		}
		p.Outcomes, p.Claimed, p.Held = e.Number, first+most, p.Held+most
		first, deck, plans = p.Claimed, deck[n:], plans[n:]
	}
	if p.Outcomes == before {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE progress SET claimed = $1, outcomes = $2, held = $3 WHERE study = $4`, p.Claimed, p.Outcomes,
		p.Held, p.Study)
	return err
}

// needed returns the end of the questions that deals can take: of all if they leave some out.
func (p *Progress) needed(queue []*deal) int64 {
	end := p.Claimed
	for _, d := range queue {
		if end += int64(d.n); len(d.withdrawn) > 0 {
			return p.Planned
		}
	}
	return min(end, p.Planned)
}

// countNetwork counts a person who arrives, and returns how many people of their network have arrived in this hour. It
// returns 0 if the network is unknown.
func countNetwork(ctx context.Context, tx Querier, k int64, arrival study.Outcome) (nth int, err error) {
	if arrival.Network == "" {
		return 0, nil
	}
	hour := arrival.At.Unix() / int64(time.Hour/time.Second)
	err = tx.QueryRow(ctx, `
		INSERT INTO networks (study, hour, network, people) VALUES ($1, $2, $3, 1)
		ON CONFLICT (study, hour, network) DO UPDATE SET people = networks.people + 1 RETURNING people`,
		k, hour, arrival.Network).Scan(&nth)
	if err == nil && nth == 1 {
		_, err = tx.Exec(ctx, `DELETE FROM networks WHERE study = $1 AND hour < $2`, k, hour)
	}
	return nth, err
}

// shows returns the last of the first n questions of a deck that shows a withdrawn arm, −1 if none does or there are fewer.
func shows(deck [][]int, n int, withdrawn []int) int {
	if len(deck) < n {
		return -1
	}
	for at, question := range slices.Backward(deck[:n]) {
		if slices.ContainsFunc(question, func(arm int) bool { return slices.Contains(withdrawn, arm) }) {
			return at
		}
	}
	return -1
}

// Hand returns the arrival of a respondent and the settled positions of their hand.
func (s *Store) Hand(ctx context.Context, id, respondent string) (arrival study.Outcome, settled []study.Position, err error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return arrival, nil, err
	}
	if arrival, err = s.d.arrival(ctx, s.db, k, respondent); err != nil {
		return study.Outcome{}, nil, err
	}
	settled, err = s.d.settled(ctx, s.db, k, *arrival.Hand)
	return arrival, settled, err
}

// arrival returns the arrival of a respondent, or ErrNotFound.
func (d *Dialect) arrival(ctx context.Context, q Querier, k int64, respondent string) (study.Outcome, error) {
	if respondent == "" || !study.IsText(respondent) {
		return study.Outcome{}, study.ErrNotFound
	}
	return scanOutcome(q.QueryRow(ctx, d.Arrival, k, respondent))
}

// settled returns the positions of a hand that have standing outcomes.
func (d *Dialect) settled(ctx context.Context, q Querier, k int64, hand study.Hand) ([]study.Position, error) {
	rows, err := q.Query(ctx, `
		SELECT position FROM questions WHERE study = $1 AND position >= $2 AND position < $3 AND NOT (`+d.Open+`)`,
		k, hand.First, int64(hand.First)+int64(len(hand.Cards)))
	return Collect(rows, err, Column[study.Position])
}

// claim marks the questions with positions first ≤ p < end as claimed.
func (d *Dialect) claim(ctx context.Context, tx Querier, k, first, end int64, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE progress SET claimed = $1, held = held + $2, waits = coalesce(waits, $4) WHERE study = $3`,
		end, end-first, k, at)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, d.Claims, k, first, end, at)
	return err
}

// questions returns the questions with positions first ≤ p < end, and the numbers of their plans. Unclaimed questions
// are in the last plans, so the search goes back from the last one.
func questions(ctx context.Context, tx Querier, k, first, end int64) (list [][]int, of []int, err error) {
	rows, err := tx.Query(ctx, selectPlans+`
		WHERE study = $1 AND first < $3
			AND number >= coalesce((SELECT number FROM plans WHERE study = $1 AND first <= $2 ORDER BY number DESC LIMIT 1), 0)
		ORDER BY number`, k, first, end)
	plans, err := Collect(rows, err, scanPlan)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range plans {
		from, to := max(first-int64(p.First), 0), min(end-int64(p.First), int64(len(p.Questions)))
		for i := from; i < to; i++ {
			list, of = append(list, p.Questions[i]), append(of, p.Number)
		}
	}
	return list, of, nil
}

// Overdue returns claimed questions without a standing outcome.
func (s *Store) Overdue(ctx context.Context, id string, before time.Time, limit int) ([]study.Position, error) {
	return list(ctx, s, id, Column[study.Position], `
		SELECT position FROM questions WHERE study = `+KeyOf+` AND `+s.d.Open+` AND claimed < $2 ORDER BY claimed, position LIMIT $3`,
		before, max(limit, 0))
}

// An Entry is a valid outcome, with its lists and its note as JSON.
type Entry struct {
	study.Outcome

	ShownJSON, PicksJSON string
	NoteJSON             string // empty without a note
}

// recordEntries returns the entries of a call of Record, or an error if any outcome is invalid.
func recordEntries(outcomes []study.Outcome) ([]Entry, error) {
	entries := make([]Entry, len(outcomes))
	for i, o := range outcomes {
		switch o.Kind {
		case study.Imported:
			return nil, fmt.Errorf("store: outcome %d must not be imported: use Import", i+1)
		case study.Erased:
			return nil, fmt.Errorf("store: outcome %d must not be erased", i+1)
		case study.Arrived:
			return nil, fmt.Errorf("store: outcome %d must not be an arrival: use Deal", i+1)
		case study.Answered, study.Skipped, study.Undone, study.Lost:
		}
		var err error
		if entries[i], err = newEntry(o); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// AdoptedEntries returns the entries of a study from another store, or an error if any part is invalid.
func AdoptedEntries(w study.Archive) ([]Entry, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	for _, batch := range w.Batches {
		if err := checkBatch(batch); err != nil {
			return nil, err
		}
	}
	entries := make([]Entry, len(w.Outcomes))
	for i, o := range w.Outcomes {
		var err error
		if entries[i], err = newEntry(o); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func checkBatch(name string) error {
	const longest = 1000 // bytes, the limit of an index
	if len(name) > longest || !study.IsText(name) {
		return fmt.Errorf("store: invalid batch name %.100q: must be valid UTF-8 of at most %d bytes", name, longest)
	}
	return nil
}

// importedEntry returns the entry of the nth outcome of a batch.
func importedEntry(batch string, n int, o study.Outcome) (Entry, error) {
	if o.Kind != study.Imported {
		return Entry{}, fmt.Errorf("store: batch %q, outcome %d: the kind must be imported, got %q", batch, n, o.Kind)
	}
	e, err := newEntry(o)
	if err != nil {
		return Entry{}, fmt.Errorf("store: batch %q, outcome %d: %w", batch, n, err)
	}
	return e, nil
}

func newEntry(o study.Outcome) (Entry, error) {
	if err := o.Check(); err != nil {
		return Entry{}, err
	}
	var content any = o.Shown
	if o.Kind == study.Arrived {
		content = o.Hand
	}
	shown, err := json.Marshal(content)
	if err != nil {
		return Entry{}, err
	}
	picks, err := json.Marshal(o.Picks)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Outcome: o, ShownJSON: string(shown), PicksJSON: string(picks)}
	if o.Note.IsZero() {
		return e, nil
	}
	note, err := json.Marshal(o.Note)
	e.NoteJSON = string(note)
	return e, err
}
