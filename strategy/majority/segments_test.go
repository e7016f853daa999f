package majority_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// twoSegments are the settings of a majority race with segments "north" and "south".
func twoSegments() majority.Settings {
	return majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2, Segments: []string{"north", "south"}}
}

// answerInSegments lets people of the two segments in turn answer each questions each, until the race is decided or
// a number of people have answered.
func answerInSegments(t *testing.T, r *majority.Race, north, south []float64, people, each int, rng *rand.Rand) strategy.Verdict {
	t.Helper()
	for n := range people {
		person, segment := &crowd.Person{Utilities: north, Rng: rng}, "north"
		if n%2 == 1 {
			person, segment = &crowd.Person{Utilities: south, Rng: rng}, "south"
		}
		name := strconv.FormatUint(rng.Uint64(), 10)
		hand, asking := deal(t, r, name, segment, each)
		if !asking {
			break
		}
		for _, q := range hand {
			tell(t, r, choice.Answer{Question: q, Picks: person.Pick(q, 1), Respondent: name, Segment: segment})
		}
	}
	return r.Verdict()
}

// TestSegmentsHaveVerdicts: north and south want different arms, equally much, so that all people together
// find them equally good. Each segment's favourite is certified, and that no arm is majority-best in
// both.
func TestSegmentsHaveVerdicts(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	for _, each := range []int{1, 6} {
		settings := twoSegments()
		settings.K, settings.Epsilon = 3, 0 // so that the tie of all people is not certified first
		v := answerInSegments(t, newRace(t, c, settings), []float64{2, 0, 0}, []float64{0, 0, 2}, 300, each,
			rand.New(rand.NewPCG(1, 1)))
		if len(v.Segments) != 2 || !v.SegmentsDiffer {
			t.Fatalf("%d answers each: %+v", each, v)
		}
		people, answers := 0, 0
		for i, favourite := range []int{0, 2} {
			s := v.Segments[i]
			if s.Segment != []string{"north", "south"}[i] || s.Status != strategy.Certified || s.Leader != favourite ||
				!slices.Equal(s.Contenders, []int{favourite}) || s.Forecast.Known {
				t.Errorf("%d answers each: %+v", each, s)
			}
			people, answers = people+s.Respondents, answers+s.Answered
		}
		if people != v.Respondents || answers != people*each {
			t.Errorf("%d people and %d answers in segments, %d people in all", people, answers, v.Respondents)
		}
	}
}

// TestExclusionReopens: after an exclusion neither a decision nor what is certified of segments, or of all of them, stands
// until it is certified again, with more people, without the person.
func TestExclusionReopens(t *testing.T) {
	c := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0})
	best := map[string][]float64{"north": {2, 0, 0}, "south": {0, 0, 2}}
	for what, reached := range map[string]func(strategy.Verdict) bool{
		"a segment": func(v strategy.Verdict) bool { return v.Segments[0].Status == strategy.Certified },
		"differ":    func(v strategy.Verdict) bool { return v.SegmentsDiffer },
		"all":       func(v strategy.Verdict) bool { return v.Status == strategy.Certified },
	} {
		settings, south := twoSegments(), best["south"]
		settings.K, settings.Epsilon = 3, 0
		if what == "all" {
			settings.Epsilon, south = 0.2, best["north"]
		}
		r, rng := newRace(t, c, settings), rand.New(rand.NewPCG(1, 1))
		var v strategy.Verdict
		for n := 0; n < 500 && (n == 0 || !reached(v)); n++ {
			v = answerInSegments(t, r, best["north"], south, 2, 1, rng)
		}
		if err := r.Exclude(); err != nil {
			t.Fatal(err)
		}
		after := r.Verdict()
		again := answerInSegments(t, r, best["north"], south, 300, 1, rng)
		if !reached(v) || reached(after) || reached(again) == (what == "differ") {
			t.Errorf("%s: before the exclusion %+v, after it %+v, in the end %+v", what, v, after, again)
		}
		if what == "all" && v.Proven.Share == 0 || after.Proven.Share+again.Proven.Share+again.Missing != 0 {
			t.Errorf("%s: proven %v before, then %v and %v; missing %v", what, v.Proven, after.Proven, again.Proven, again.Missing)
		}
	}
}

// TestSegmentsForecast: while a segment is undecided, its verdict has contenders, and once there is evidence against
// all of them the answers that it would take.
func TestSegmentsForecast(t *testing.T) {
	known := 0
	for seed := range uint64(5) {
		r, rng := newRace(t, square(t), twoSegments()), rand.New(rand.NewPCG(seed, 2))
		if s := r.Verdict().Segments; len(s) != 2 || s[0].Leader != -1 || s[0].Status != strategy.Asking {
			t.Fatalf("at first: %+v", s)
		}
		for range 20 {
			v := answerInSegments(t, r, []float64{2, 0, 0, 0, -1}, []float64{0, 0, 0, 2, -1}, 10, 2, rng)
			for _, s := range v.Segments {
				if s.Status == strategy.Asking && s.Leader >= 0 && (len(s.Contenders) < 2 || s.Contenders[0] != s.Leader) {
					t.Errorf("%+v", s)
				}
				if s.Forecast.Known {
					known++
				}
			}
		}
	}
	if known == 0 {
		t.Error("no segment has a forecast at any time")
	}
}

// TestSegmentsAgree: where both segments want the same arm, it is not certified that they differ.
func TestSegmentsAgree(t *testing.T) {
	for seed := range uint64(5) {
		settings := twoSegments()
		settings.Seed = seed
		v := answerInSegments(t, newRace(t, square(t), settings), []float64{1, 0, 0.8, 0, -1}, []float64{1, 0.8, 0, 0, -1},
			1500, 1, rand.New(rand.NewPCG(3, seed)))
		if v.Status != strategy.Certified || v.Leader != 0 || v.SegmentsDiffer {
			t.Errorf("seed %d: %+v", seed, v)
		}
	}
}

// TestSegmentOfTheHand: a respondent belongs to the segment that they arrived with. Segments that are not
// declared are refused.
func TestSegmentOfTheHand(t *testing.T) {
	r := newRace(t, square(t), twoSegments())
	hand, _ := deal(t, r, "a", "south", 3)
	for i, segment := range []string{"south", "north", "north"} {
		tell(t, r, choice.Answer{Question: hand[i], Picks: []int{0}, Respondent: "a", Segment: segment})
	}
	q, err := r.Ask()
	if err != nil {
		t.Fatal(err)
	}
	for _, segment := range []string{"east", ""} {
		if r.Tell(choice.Answer{Question: q, Picks: []int{0}, Respondent: "b", Segment: segment}) == nil ||
			r.Deal("b", segment, []choice.Question{q}) == nil {
			t.Errorf("the unknown segment %q is accepted", segment)
		}
	}
	tell(t, r, choice.Answer{Question: q, Picks: []int{0}, Segment: "north"})
	s := r.Verdict().Segments
	if s[0].Respondents != 1 || s[0].Answered != 1 || s[1].Respondents != 1 || s[1].Answered != 3 {
		t.Errorf("%+v", s)
	}
}

// TestSegmentsAreRestored: a race restored from a snapshot at any time ends in the same state as the
// original.
func TestSegmentsAreRestored(t *testing.T) {
	c := square(t)
	north, south := []float64{2, 0, 0, 0, -1}, []float64{0, 0, 0, 2, -1}
	for _, people := range []int{0, 1, 30, 300} {
		r := newRace(t, c, twoSegments())
		answerInSegments(t, r, north, south, people, 3, rand.New(rand.NewPCG(4, 4)))
		if hand, asking := deal(t, r, "open", "south", 3); asking { // one respondent is open
			tell(t, r, choice.Answer{Question: hand[1], Picks: []int{0}, Respondent: "open", Segment: "south"})
		}
		copied, err := majority.Restore(c, snapshotOf(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(copied.Verdict()) != fmt.Sprint(r.Verdict()) {
			t.Errorf("after %d people: %+v\nnot %+v", people, copied.Verdict(), r.Verdict())
		}
		for _, race := range []*majority.Race{r, copied} {
			if err := race.End("open"); err != nil {
				t.Fatal(err)
			}
			answerInSegments(t, race, north, south, 200, 2, rand.New(rand.NewPCG(5, 5)))
		}
		if !bytes.Equal(snapshotOf(t, r), snapshotOf(t, copied)) {
			t.Errorf("after %d people: snapshots differ", people)
		}
	}
}

// TestSnapshotsWithoutSegments: a race without segments has nothing about them in its snapshot or verdict.
func TestSnapshotsWithoutSegments(t *testing.T) {
	r := newRace(t, square(t), majority.Settings{K: 2, Epsilon: 0.2})
	v := answerAll(t, r, steady(1, 0, 0, 0, 0), 20, 2, rand.New(rand.NewPCG(6, 6)))
	if v.Segments != nil || v.SegmentsDiffer || strings.Contains(string(snapshotOf(t, r)), "segments") {
		t.Errorf("%+v\n%s", v, snapshotOf(t, r))
	}
}

// TestSegmentsWhenArmsComeAndGo: a certificate of a segment ends when arms change, and a new favourite is certified.
func TestSegmentsWhenArmsComeAndGo(t *testing.T) {
	c := square(t)
	r := newRace(t, c.First(4), twoSegments())
	rng := rand.New(rand.NewPCG(7, 7))
	answerInSegments(t, r, []float64{2, 0, 0, 0}, []float64{2, 0, 0, 0}, 600, 1, rng)
	if err := r.Extend(c); err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Verdict().Segments {
		if s.Status != strategy.Asking {
			t.Errorf("extended: %+v", s)
		}
	}
	if err := r.Withdraw(1); err != nil {
		t.Fatal(err)
	}
	v := answerInSegments(t, r, []float64{2, 9, 0, 0, 5}, []float64{2, 9, 0, 0, 5}, 600, 1, rng)
	if v.Status != strategy.Certified || v.Leader != 4 || v.SegmentsDiffer {
		t.Errorf("%+v", v)
	}
	for _, s := range v.Segments {
		if s.Leader != 4 || slices.Contains(s.Contenders, 1) {
			t.Errorf("%+v", s)
		}
	}
}
