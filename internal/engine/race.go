package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/statement"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/prospects"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// A race is a strategy with its arms.
type race struct {
	arms     *archive.Encoded
	racing   racing.Race
	settings settings // with defaults, and the seed as given
	origin   origin
	hands    strategy.Hands
}

// An origin has the arms as given, so that a snapshot is complete.
type origin struct {
	Options json.RawMessage           `json:"options"`
	Kinds   map[string]catalogue.Kind `json:"kinds,omitempty"`
}

// newRace starts a race. With the same arms, settings and picks it asks the questions of the first run of
// bestpick simulate.
func newRace(r startRequest) (*race, error) {
	given := origin{slices.Clone(r.Options), r.Kinds}
	arms, err := given.open()
	if err != nil {
		return nil, err
	}
	with := r.Settings.apply(arms.Arms)
	if with.Picks < 1 || with.Picks >= with.K {
		return nil, fmt.Errorf("settings: picks must be at least 1 and less than k, got %d of %d", with.Picks, with.K)
	}
	derived := with.Settings
	derived.Seed = simulate.StrategySeed(with.Seed, 0)
	started, err := racing.New(arms.Arms, derived)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return &race{arms: arms, racing: started, settings: with, origin: given}, nil
}

// apply returns the settings of a race, with the guarantee of a live study.
func (w wanted) apply(arms *choice.Catalogue) settings {
	guarantee := racing.Guarantee{Assume: w.Assume, Epsilon: w.Epsilon, Verify: w.Verify, Fallback: w.Fallback, Fakes: w.Fakes}
	s := guarantee.Apply(w.Settings, arms)
	return settings{s, cmp.Or(w.Picks, s.DefaultPicks())}
}

// open reads the options as a file of arms is read. No option may be left out, because arms are positions.
func (o origin) open() (*archive.Encoded, error) {
	if !bytes.HasPrefix(o.Options, []byte("[")) {
		return nil, errors.New("options must be a list of names or of objects")
	}
	var list []json.RawMessage
	if err := json.Unmarshal(o.Options, &list); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	upload := read.Upload{Name: "options", Contents: bytes.NewReader(o.Options), Size: int64(len(o.Options))} //nolint:goconst // as in requests
	arms, err := archive.OpenUpload(upload, catalogue.Options{Kinds: o.Kinds}, 0)
	if err != nil {
		return nil, err
	}
	if arms.Arms.Len() != len(list) {
		return nil, fmt.Errorf("options: %d of %d can be used", arms.Arms.Len(), len(list))
	}
	return arms, nil
}

// started describes the race.
func (r *race) started() started {
	reply := started{Arms: r.arms.Arms.Len(), Settings: r.settings, Warnings: []wire.Warning{}}
	for _, w := range r.arms.Warnings {
		reply.Warnings = append(reply.Warnings, wire.Warning{Column: w.Column, Text: w.Text})
	}
	return reply
}

func (r *race) status() strategy.Status { return r.racing.Verdict().Status }

func (r *race) ask(a askRequest) (any, error) {
	card, err := r.hands.Ask(r.racing, a.Segment)
	if errors.Is(err, strategy.ErrStopped) {
		return asked{Status: r.status()}, nil
	}
	if err != nil {
		return nil, err
	}
	return asked{strategy.Asking, r.question(card)}, nil
}

func (r *race) deal(d dealRequest) (any, error) {
	cards, err := r.hands.Deal(r.racing, d.Respondent, d.Segment, d.Questions)
	if errors.Is(err, strategy.ErrStopped) {
		return dealt{r.status(), []question{}}, nil
	}
	hand := dealt{Status: strategy.Asking}
	for _, card := range cards {
		hand.Questions = append(hand.Questions, r.question(card))
	}
	return hand, err
}

func (r *race) question(c strategy.Card) question {
	return question{c.Question, min(r.settings.Picks, len(c.Question)-1), c.Person}
}

// card returns the outstanding question with some arms of a respondent. Without a respondent it is one of ask.
func (r *race) card(arms []int, respondent string) (strategy.Card, error) {
	var found []strategy.Card
	for _, c := range r.hands.Open {
		if slices.Equal(c.Question, arms) && (c.Person == respondent || respondent == "" && c.Alone()) {
			found = append(found, c)
		}
	}
	switch {
	case len(found) == 0:
		return strategy.Card{}, fmt.Errorf("arms must be those of an outstanding question of the respondent, in its order, got %v",
			arms)
	case len(found) > 1 && respondent == "":
		return strategy.Card{}, fmt.Errorf("%d people have the question %v: respondent must be the one in the reply to ask",
			len(found), arms)
	}
	return found[0], nil
}

func (r *race) tell(a answerRequest) (any, error) {
	picks := make([]int, len(a.Picks))
	for i, arm := range a.Picks {
		if picks[i] = slices.Index(a.Arms, arm); picks[i] < 0 {
			return nil, fmt.Errorf("picks must be among the arms %v, got %d", a.Arms, arm)
		}
	}
	card, err := r.card(a.Arms, a.Respondent)
	if err == nil {
		err = r.hands.Tell(r.racing, card, picks)
	}
	return counted{r.status()}, err
}

func (r *race) lose(q questionRequest) (any, error) {
	card, err := r.card(q.Arms, q.Respondent)
	if err == nil {
		err = r.hands.Skip(r.racing, card)
	}
	return counted{r.status()}, err
}

func (r *race) end(e endRequest) (any, error) {
	err := r.hands.End(r.racing, e.Respondent)
	return counted{r.status()}, err
}

func (r *race) verdict(plainRequest) (any, error) {
	v := r.racing.Verdict()
	f := v.Forecast.Shown(v.Answered)
	reply := verdict{
		Status: v.Status, Assumption: v.Assumption, Leader: v.Leader, Contenders: listed(v.Standings), Others: v.Others,
		Rivals: v.Elimination.Rivals, Eliminated: v.Elimination.Eliminated, Progress: v.Progress,
		Asked: v.Asked, Answers: v.Answered, Respondents: v.Respondents, Threshold: math.Log(1 / r.settings.Delta),
		Forecast: wire.Forecast{Known: f.Known, Median: f.Median, Low: f.Low, High: f.High, Hopeless: f.Hopeless, Epsilon: f.Epsilon},
		Model: wire.Fit{
			Status: v.Model.Status.String(), Sentence: v.Model.Sentence, Remedy: v.Model.Remedy, Evidence: v.Model.Evidence,
		},
		Misfits: listed(v.Misfits), Cycle: listed(v.Cycle),
	}
	reply.Partial, reply.Withstands = v.Partial, v.Withstands
	if v.Proven.Share > 0 {
		reply.Proven = &proven{v.Proven.Arm, v.Proven.Share}
	}
	if v.Model.Sentence != "" {
		reply.Model.Check = v.Model.Check.String()
	}
	name := func(arm int) string { card := r.arms.Card(arm); return cmp.Or(card.Label, card.ID) }
	for _, d := range v.Doubts {
		text := statement.NewDoubt(d, name).Text()
		reply.Doubts = append(reply.Doubts, doubt{d.About, d.Arm, d.Rival, d.Chosen, d.Otherwise, d.People, text})
	}
	if v.Status == strategy.Certified {
		facts := statement.Facts{
			Status: v.Status.String(), Assumption: v.Assumption, Leader: name(v.Leader), Delta: r.settings.Delta,
			Epsilon: r.settings.Epsilon, Partial: v.Partial, Missing: v.Missing, Fakes: r.settings.Fakes, Withstands: v.Withstands,
			People: v.Respondents + v.Answering, Left: v.Respondents - v.Finished,
			Choosers:  r.settings.Offer.Outside || r.settings.Offer.Ties,
			Segmented: v.Assumption == strategy.Linear && len(r.settings.Model.Segments) > 0, Ranking: r.settings.Top == racing.TopAll,
		}
		for _, arm := range v.Top {
			facts.Top = append(facts.Top, name(arm))
		}
		reply.Statement = statement.Claim(facts)
	}
	return reply, nil
}

// listed returns a list that is written as [] rather than null if it is empty.
func listed[T any](list []T) []T { return append([]T{}, list...) }

// estimate returns how many answers the race is expected to need, each by another person.
func (r *race) estimate(plainRequest) (any, error) {
	asked := prospects.Questionnaire{Settings: r.settings.Settings, Picks: r.settings.Picks}
	return prospects.New(r.arms.Arms).Expect(asked).Rounded(), nil
}

// leaderboard estimates the utilities of all arms, if there are answers and the model has no further effects.
func (r *race) leaderboard(plainRequest) (any, error) {
	theta := r.racing.Theta()
	if theta == nil {
		return leaderboard{[]place{}}, nil
	}
	places, mean := make([]place, r.arms.Arms.Len()), 0.0
	for arm := range places {
		places[arm] = place{Arm: arm, Utility: r.arms.Arms.Utility(arm, theta)}
		mean += places[arm].Utility / float64(len(places))
	}
	for arm := range places {
		places[arm].Utility -= mean
	}
	ranked, is := r.racing.(interface{ Leaderboard() []strategy.Rank })
	if is && r.racing.Verdict().Assumption == strategy.Majority {
		for _, rank := range ranked.Leaderboard() {
			share := rank.Share()
			places[rank.Arm].Share, places[rank.Arm].Low, places[rank.Arm].High = &share.Estimate, &share.Low, &share.High
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.Utility, a.Utility) })
	return leaderboard{places}, nil
}

// saved is a snapshot: all that a race needs to continue. State is a text, because a program that reads
// and writes JSON may write numbers in another way, and the state has a checksum.
type saved struct {
	origin

	Settings settings       `json:"settings"`
	Hands    strategy.Hands `json:"hands"`
	State    string         `json:"state"`
}

func (r *race) snapshot(plainRequest) (any, error) {
	state, err := r.racing.Snapshot()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(saved{r.origin, r.settings, r.hands, string(state)})
	return snapshotReply{string(text)}, err
}

// errSnapshot is the error for a text that is not a snapshot of this version.
var errSnapshot = errors.New("snapshot must be the text of a snapshot that this version of bestpick made")

// restoreRace returns the race of a snapshot.
func restoreRace(snapshot string) (*race, error) {
	var s saved
	if json.Unmarshal([]byte(snapshot), &s) != nil {
		return nil, errSnapshot
	}
	arms, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSnapshot, err)
	}
	restored, err := racing.Restore(arms.Arms, []byte(s.State))
	if err != nil {
		return nil, errSnapshot
	}
	return &race{arms, restored, s.Settings, s.origin, s.Hands}, nil
}
