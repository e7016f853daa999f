package majority_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

func catalogue(t *testing.T, rows ...[]float64) *choice.Catalogue {
	t.Helper()
	ids := make([]string, len(rows))
	for i := range ids {
		ids[i] = string(rune('a' + i))
	}
	c, err := choice.NewCatalogue(ids, []string{"x", "y"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// square is four arms at the corners of a square, and one in the middle.
func square(t *testing.T) *choice.Catalogue {
	t.Helper()
	return catalogue(t, []float64{1, 1}, []float64{1, -1}, []float64{-1, 1}, []float64{-1, -1}, []float64{0, 0})
}

func newRace(t *testing.T, c *choice.Catalogue, s majority.Settings) *majority.Race {
	t.Helper()
	r, err := majority.New(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// deal deals a person a hand of questions. It reports false if the race has stopped.
func deal(t *testing.T, r *majority.Race, name, segment string, each int) ([]choice.Question, bool) {
	t.Helper()
	var hand []choice.Question
	for range each {
		q, err := r.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			return nil, false
		}
		if err != nil {
			t.Fatal(err)
		}
		hand = append(hand, q)
	}
	if err := r.Deal(name, segment, hand); err != nil {
		t.Fatal(err)
	}
	return hand, true
}

// tell tells an answer.
func tell(t *testing.T, r *majority.Race, a choice.Answer) {
	t.Helper()
	if err := r.Tell(a); err != nil {
		t.Fatal(err)
	}
}

// answerAll lets named people of a population answer each questions each, until the race is decided or a number
// of people have answered. It returns the last verdict.
func answerAll(t *testing.T, r *majority.Race, p crowd.Population, people, each int, rng *rand.Rand) strategy.Verdict {
	t.Helper()
	for range people {
		person := &crowd.Person{Utilities: p(rng), Rng: rng}
		name := strconv.FormatUint(rng.Uint64(), 10)
		hand, asking := deal(t, r, name, "", each)
		if !asking {
			break
		}
		for _, q := range hand {
			tell(t, r, choice.Answer{Question: q, Picks: person.Pick(q, 1), Respondent: name})
		}
	}
	return r.Verdict()
}

// steady is a population of people with the same utilities.
func steady(utilities ...float64) crowd.Population {
	return func(*rand.Rand) []float64 { return utilities }
}

// TestMajorityDecides: the features mislead, because the arm in the middle is the favourite, which no
// linear utility allows. The race finds it and names its assumption.
func TestMajorityDecides(t *testing.T) {
	for _, each := range []int{1, 7} {
		r := newRace(t, square(t), majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2})
		v := answerAll(t, r, steady(0, 0.2, -0.5, -1, 1), 2000, each, rand.New(rand.NewPCG(1, 1)))
		if v.Status != strategy.Certified || v.Leader != 4 || v.Assumption != strategy.Majority || v.Respondents == 0 ||
			v.Respondents > v.Answered {
			t.Errorf("%d answers each: %+v", each, v)
		}
		if v.Proven.Arm != 4 || v.Proven.Share > 0.551 || v.Missing != 1 || v.Partial || !(v.FirstChoice > 0.2 && v.FirstChoice < 0.6) {
			t.Errorf("%d answers each: proven %+v, missing %v, partial %v, first choice of %v", each, v.Proven, v.Missing, v.Partial,
				v.FirstChoice)
		}
	}
}

func snapshotOf(t *testing.T, r *majority.Race) []byte {
	t.Helper()
	data, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestHands: a person has one hand, which ends with its last answer, or when the caller ends it; later answers
// only guide, and a person without an answer is no respondent. Questions that a hand leaves are not asked again.
func TestHands(t *testing.T) {
	r := newRace(t, square(t), majority.Settings{K: 2, Epsilon: 0.2})
	expect := func(what string, complete, answering, answered int) {
		t.Helper()
		if v := r.Verdict(); v.Respondents != complete || v.Answering != answering || v.Answered != answered {
			t.Errorf("%s: %d respondents, %d answering, %d answers", what, v.Respondents, v.Answering, v.Answered)
		}
	}
	answer := func(name string, q choice.Question) {
		t.Helper()
		tell(t, r, choice.Answer{Question: q, Picks: []int{0}, Respondent: name})
	}
	end := func(name string) {
		t.Helper()
		if err := r.End(name); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := deal(t, r, "a", "", 2)
	b, _ := deal(t, r, "b", "", 3)
	expect("dealt", 0, 0, 0)
	answer("b", b[1])
	answer("a", a[1])
	expect("open", 0, 2, 2)
	answer("a", a[0])
	expect("one hand is complete", 1, 1, 3)
	if !r.Ended("a") || r.Ended("b") || r.Ended("c") {
		t.Error("wrong hands have ended")
	}
	more, _ := deal(t, r, "a", "", 2) // a second hand
	answer("a", more[0])
	end("a")
	expect("late", 1, 1, 4)
	q, err := r.Ask()
	if err != nil {
		t.Fatal(err)
	}
	answer("", q)
	expect("without a name", 2, 1, 5)
	deal(t, r, "c", "", 2)
	end("c")
	end("")
	expect("without answers", 2, 1, 5)
	end("b")
	expect("all", 3, 0, 5)
	if v := r.Verdict(); v.Arrived != 4 || v.Finished != 2 {
		t.Errorf("%d people arrived and %d finished", v.Arrived, v.Finished)
	}
	if err := r.Tell(choice.Answer{Question: b[0], Picks: []int{0}, Respondent: "b"}); !errors.Is(err, strategy.ErrNotAsked) {
		t.Errorf("a question of a hand that has ended: %v", err)
	}
}

// TestWithdrawalSettlesNothing: an owner who withdraws an option once a person has chosen the leader in a question without it
// gains nothing by taking the other question of the two off their hand. While that one counted for the rival, the person added
// at most log(1 + 2·(0.55 − 0.45)/2) to the evidence; if it were left out, they would add log(1 + 2·0.45) or little less.
func TestWithdrawalSettlesNothing(t *testing.T) {
	evidence := map[bool]float64{}
	for _, anna := range []bool{false, true} {
		r := newRace(t, square(t), majority.Settings{K: 2, Epsilon: 0.2, LookEvery: -1})
		leader := answerAll(t, r, steady(1, 0, 0, 0, 0), 6, 10, rand.New(rand.NewPCG(1, 1))).Leader
		const rival = 2
		hand := []choice.Question{{leader, rival}, {leader, rival, 4}}
		if anna {
			if err := r.Deal("anna", "", hand); err != nil {
				t.Fatal(err)
			}
			if err := r.Recount(choice.Answer{Question: hand[0], Picks: []int{0}, Respondent: "anna"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Withdraw(4); err != nil || r.Ended("anna") != anna {
			t.Fatalf("%v; the hand ended: %v", err, r.Ended("anna"))
		}
		standings := r.Verdict().Standings
		at := slices.IndexFunc(standings, func(s strategy.Standing) bool { return s.Arm == rival })
		evidence[anna] = standings[at].Evidence
	}
	if more := evidence[true] - evidence[false]; !(more > 0 && more <= math.Log1p(0.1)) {
		t.Errorf("the evidence is %v, without the person %v", evidence[true], evidence[false])
	}
}

// TestRedeal: the end of a hand that an earlier strategy dealt settles no equal question of another hand.
func TestRedeal(t *testing.T) {
	r := newRace(t, square(t), majority.Settings{K: 2, Epsilon: 0.2})
	hand, _ := deal(t, r, "a", "", 2)
	if err := errors.Join(r.Redeal("b", "", hand), r.End("b")); err != nil {
		t.Fatal(err)
	}
	for _, q := range hand {
		tell(t, r, choice.Answer{Question: q, Picks: []int{0}, Respondent: "a"})
	}
	if v := r.Verdict(); v.Arrived != 2 || v.Finished != 1 || v.Answered != 2 {
		t.Errorf("%d people arrived, %d finished, %d answers", v.Arrived, v.Finished, v.Answered)
	}
}

// TestImportGuides: imported answers guide the questions and are no evidence, and neither are later
// answers of their respondents. A hand that was dealt before is evidence.
func TestImportGuides(t *testing.T) {
	r := newRace(t, square(t), majority.Settings{K: 2, Epsilon: 0.2})
	early, _ := deal(t, r, "a", "", 1)
	for i := range 400 {
		for _, name := range []string{"", "a", "b", fmt.Sprint("c", i)} {
			if err := r.Import(choice.Answer{Question: choice.Question{0, 1 + i%4}, Picks: []int{0}, Respondent: name}); err != nil {
				t.Fatal(err)
			}
		}
	}
	v := r.Verdict()
	if v.Status != strategy.Asking || v.Respondents != 0 || v.Leader != 0 || v.Answered != 1600 {
		t.Errorf("after the import: %+v", v)
	}
	late, _ := deal(t, r, "b", "", 1)
	for _, c := range []struct {
		name     string
		question choice.Question
		complete int
	}{{"b", late[0], 0}, {"a", early[0], 1}} {
		tell(t, r, choice.Answer{Question: c.question, Picks: []int{0}, Respondent: c.name})
		if got := r.Verdict().Respondents; got != c.complete || !r.Ended(c.name) {
			t.Errorf("after the answer of %s there are %d respondents, want %d", c.name, got, c.complete)
		}
	}
}

// TestNoFavouriteIsCertified: people who prefer a to b, b to c and c to a, two thirds each, have no
// favourite. The race certifies that, and names the three. A restored race does the same.
func TestNoFavouriteIsCertified(t *testing.T) {
	cycle := func(rng *rand.Rand) []float64 {
		u := []float64{0, 0, 0, -2, -2}
		first := rng.IntN(3)
		for rank := range 3 {
			u[(first+rank)%3] = 4 * float64(2-rank)
		}
		return u
	}
	c := square(t)
	r := newRace(t, c, majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2})
	v := answerAll(t, r, cycle, 900, 1, rand.New(rand.NewPCG(6, 6)))
	if named := slices.Sorted(slices.Values(v.Cycle)); v.Status != strategy.Asking || !slices.Equal(named, []int{0, 1, 2}) {
		t.Fatalf("after 900 answers: %+v", v)
	}
	copied, err := majority.Restore(c, snapshotOf(t, r))
	if err != nil {
		t.Fatal(err)
	}
	for _, race := range []*majority.Race{r, copied} {
		v = answerAll(t, race, cycle, 3000, 1, rand.New(rand.NewPCG(7, 7)))
		named := slices.Sorted(slices.Values(v.Cycle))
		if v.Status != strategy.Cyclic || !slices.Equal(named, []int{0, 1, 2}) || v.Forecast.Known {
			t.Errorf("%+v", v)
		}
		if _, err := race.Ask(); !errors.Is(err, strategy.ErrStopped) {
			t.Errorf("asks on: %v", err)
		}
	}
	if !bytes.Equal(snapshotOf(t, r), snapshotOf(t, copied)) {
		t.Error("snapshots differ")
	}
	if err := r.Withdraw(0); err != nil { // the cycle is broken
		t.Fatal(err)
	}
	if v := r.Verdict(); v.Status == strategy.Cyclic || v.Leader != 1 {
		t.Errorf("without an arm of the cycle: %+v", v)
	}
}

// answerMore lets a number of people answer a question each, unless the race stops, and returns its verdict.
func answerMore(t *testing.T, r *majority.Race, name string, people int, rng *rand.Rand, utilities ...float64) strategy.Verdict {
	t.Helper()
	for n := range people {
		q, err := r.Ask()
		if err != nil {
			break
		}
		person := &crowd.Person{Utilities: utilities, Rng: rng}
		if err := r.Tell(choice.Answer{Question: q, Picks: person.Pick(q, 1), Respondent: fmt.Sprint(name, n)}); err != nil {
			t.Fatal(err)
		}
	}
	return r.Verdict()
}

// TestMajorityArmsComeAndGo: a withdrawn arm is not certified, and a better arm that is added is.
func TestMajorityArmsComeAndGo(t *testing.T) {
	c := square(t)
	r := newRace(t, c.First(4), majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2})
	rng := rand.New(rand.NewPCG(7, 7))
	v := answerAll(t, r, steady(1, 0.5, 0, 0, 3), 1000, 2, rng)
	if v.Status != strategy.Certified || v.Leader != 0 {
		t.Fatalf("%+v", v)
	}
	if err := r.Extend(c); err != nil {
		t.Fatal(err)
	}
	if r.Verdict().Status != strategy.Asking {
		t.Fatal("the decision stands although there is a new arm")
	}
	if v = answerMore(t, r, "extended", 2000, rng, 1, 0.5, 0, 0, 3); v.Status != strategy.Certified || v.Leader != 4 {
		t.Fatalf("%+v", v)
	}
	if err := r.Withdraw(4); err != nil {
		t.Fatal(err)
	}
	if v = answerMore(t, r, "withdrawn", 2000, rng, 1, 0.5, 0, 0, 3); v.Status != strategy.Certified || v.Leader != 0 {
		t.Errorf("%+v", v)
	}
}

// TestMajorityTop: the two best of four arms are certified, one after the other, also by a race that is restored in
// between, and again after one of them is withdrawn.
func TestMajorityTop(t *testing.T) {
	c := square(t)
	rng := rand.New(rand.NewPCG(7, 7))
	r := newRace(t, c.First(4), majority.Settings{K: 2, Delta: 0.1, Epsilon: 0.2, Top: 2})
	for people := 0; r.Verdict().Status == strategy.Asking; people += 10 {
		v := answerMore(t, r, fmt.Sprint(people, " "), 10, rng, 0, 2, 1, 4)
		if len(v.Top) != 2 || v.Leader != v.Top[0] || people > 3000 {
			t.Fatalf("after %d people: %+v", people, v)
		}
		restored, err := majority.Restore(c.First(4), snapshotOf(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if got := restored.Verdict(); !reflect.DeepEqual(got, v) {
			t.Fatalf("restored: %+v, want %+v", got, v)
		}
		r = restored
	}
	if v := r.Verdict(); v.Status != strategy.Certified || !slices.Equal(v.Top, []int{3, 1}) {
		t.Fatalf("%+v", v)
	}
	if err := r.Withdraw(3); err != nil {
		t.Fatal(err)
	}
	if v := answerMore(t, r, "later", 3000, rng, 0, 2, 1, 4); v.Status != strategy.Certified || !slices.Equal(v.Top, []int{1, 2}) {
		t.Errorf("%+v", v)
	}
	if err := r.Withdraw(0); err == nil {
		t.Error("of two arms two are sought")
	}
}
