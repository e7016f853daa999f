package simulate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/internal/catalogue/archive"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/majority"
	"bestpick/strategy/racing"
)

// Judging compares 12 models by their replies to 200 prompts.
const (
	judgedModels  = 12
	judgedPrompts = 200
	judgingDelta  = 0.05
)

// A judgedRun is the result of a study with three judges, the last of whom picks at random.
type judgedRun struct {
	verdict strategy.Verdict
	ranks   int
	random  bool // the random judge is called random
	wrong   bool // an honest judge is called random
}

// judge runs a study whose prompts change the utilities of the replies.
func judge(t *testing.T, seed uint64) (run judgedRun) {
	t.Helper()
	ids, judges := make([]string, judgedModels), []string{"anna", "ben", "random"}
	for i := range ids {
		ids[i] = fmt.Sprintf("model-%d", i)
	}
	arms := must(choice.NewNames(ids))
	race := must(racing.New(arms, racing.Settings{K: 2, Delta: judgingDelta, Model: racing.Model{Clicks: true}, Seed: seed}))
	jury := must(checks.NewJury(arms, choice.Offer{}, judges))
	rng := rand.New(rand.NewPCG(seed, 28))
	utilities := replies(rng)
	contexts := archive.Contexts{Names: make([]string, judgedPrompts)}
	for position := int64(0); race.Verdict().Status == strategy.Asking && position < 20_000; position++ {
		question := must(race.Ask())
		who, prompt := rng.IntN(len(judges)), contexts.At(seed, position)
		pick := rng.IntN(len(question))
		if judges[who] != "random" {
			pick = choice.SamplePick(rng, []float64{utilities[question[0]][prompt], utilities[question[1]][prompt]})
		}
		answer := choice.Answer{Question: question, Picks: []int{pick}, Respondent: judges[who]}
		if err := race.Tell(answer); err != nil {
			t.Fatal(err)
		}
		if err := jury.Tell(answer); err != nil {
			t.Fatal(err)
		}
	}
	report := must(jury.Report(judgingDelta, func() error { return nil }))
	run.verdict, run.ranks = race.Verdict(), len(report.Utilities)
	for _, j := range report.Judges {
		run.random = run.random || j.Random && j.Name == "random"
		run.wrong = run.wrong || j.Random && j.Name != "random"
	}
	return run
}

// replies returns the utilities of the replies of each model to each prompt. Model 3 is the best on
// average.
func replies(rng *rand.Rand) [][]float64 {
	utilities := make([][]float64, judgedModels)
	for model := range utilities {
		utilities[model] = make([]float64, judgedPrompts)
		for prompt := range utilities[model] {
			utilities[model][prompt] = 0.3*rng.NormFloat64() - 0.15*float64((model+judgedModels-3)%judgedModels)
			if model != 3 {
				utilities[model][prompt] -= 0.5
			}
		}
	}
	return utilities
}

// TestJudges: the best of 12 models is certified although one of three judges picks at random, and that
// judge is found.
func TestJudges(t *testing.T) {
	var found []uint64
	for seed := range uint64(3) {
		run := judge(t, seed)
		if run.verdict.Status != strategy.Certified || run.verdict.Leader != 3 || run.ranks != judgedModels {
			t.Errorf("seed %d: %v, leader %d", seed, run.verdict.Status, run.verdict.Leader)
		}
		if run.random {
			found = append(found, seed)
		}
		t.Logf("seed %d: %d answers, random judge found: %v, honest judge called random: %v", seed, run.verdict.Answered,
			run.random, run.wrong)
	}
	if len(slices.Compact(found)) < 2 {
		t.Errorf("the random judge was found in %d of 3 runs", len(found))
	}
}

// A skewed study has people of two groups, 80% of them of the first one, where the population has as many of both. In
// each group a share of the people choose the second arm of three over the first, and all choose these two over the third.
type skewed struct {
	second   [2]float64 // share of each group
	weighted bool
	fakes    int // that the race withstands
	people   int // at most
}

// run returns the verdict, and after how many people.
func (k skewed) run(t *testing.T, c *choice.Catalogue, seed uint64) (strategy.Verdict, int) {
	t.Helper()
	names := []string{"north", "south"}
	settings := majority.Settings{K: 2, Delta: attackDelta, Epsilon: 0.2, Segments: names, Fakes: k.fakes, Seed: seed}
	if k.weighted {
		settings.Weights = []float64{1, 1}
	}
	race, err := majority.New(c, settings)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 43))
	var hands strategy.Hands
	for person := range k.people {
		group := 0
		if rng.Float64() < 0.2 {
			group = 1
		}
		wish := []float64{1, 0, -1}
		if rng.Float64() < k.second[group] {
			wish = []float64{0, 1, -1}
		}
		hand, err := hands.Deal(race, strconv.Itoa(person), names[group], attackEach)
		if err != nil {
			t.Fatal(err)
		}
		for _, card := range hand {
			best := 0
			if wish[card.Question[1]] > wish[card.Question[0]] {
				best = 1
			}
			if err := hands.Tell(race, card, []int{best}); err != nil {
				t.Fatal(err)
			}
			if v := race.Verdict(); v.Status != strategy.Asking {
				return v, person + 1
			}
		}
	}
	return race.Verdict(), k.people
}

// wrong counts the studies that certify the first arm, which 55% or more of the population choose the second over, or
// prove that fewer do. It also counts the studies that certify any arm.
func (k skewed) wrong(t *testing.T, runs int) (wrong, certified int) {
	t.Helper()
	c, err := choice.NewNames([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(runs) {
		v, _ := k.run(t, c, seed)
		if v.Status == strategy.Certified {
			certified++
		}
		if v.Status == strategy.Certified && v.Leader != 1 || v.Proven.Arm == 0 && v.Proven.Share > 0 && v.Proven.Share < 0.55-1e-9 {
			wrong++
		}
	}
	return wrong, certified
}

// seconds has the shares of the two groups who choose the second arm: exactly 55% of the population, and 56%.
func seconds() [][2]float64 {
	return [][2]float64{{0.25, 0.85}, {0.85, 0.25}, {0.65, 0.45}, {0.3, 0.82}}
}

// TestWeights: where the groups of the sample are not in proportion, a weighted race certifies a wrong arm in at most δ
// of the studies. Of 20 more than 5 have a probability of 1.1% at most. Without weights most are wrong.
func TestWeights(t *testing.T) {
	for _, second := range seconds() {
		if wrong, _ := (skewed{second: second, weighted: true, people: 150}).wrong(t, 20); wrong > 5 {
			t.Errorf("%v: %d of 20 studies", second, wrong)
		}
	}
	if wrong, _ := (skewed{second: seconds()[0], people: 150}).wrong(t, 20); wrong < 10 {
		t.Errorf("%d of 20 studies without weights are wrong", wrong)
	}
	agree := skewed{second: [2]float64{0.9, 0.7}, weighted: true, fakes: 2, people: 400}
	if wrong, certified := agree.wrong(t, 10); wrong > 0 || certified < 10 {
		t.Errorf("where groups agree, %d of 10 studies are certified and %d wrong", certified, wrong)
	}
}

// An attack lets fakes vote for the second arm of three, which 55% of the genuine people choose the first arm over: as
// many as make a certificate of it wrong. They see all that the race knows. comes says whether a fake comes now, and
// wish returns the arm that they rank first; a fake ranks the leader last.
type attack struct {
	name  string
	comes func(s stage) bool
	wish  func(v strategy.Verdict) int
}

// A stage is what fakes see before the next person arrives.
type stage struct {
	verdict strategy.Verdict
	arrived int // people
	left    int // people until the study is over
	fakes   int // that have not come yet
	rng     *rand.Rand
}

const (
	bad          = 1   // the arm that is wrong to certify
	attackPeople = 150 // in a study
	attackEach   = 2
	attackDelta  = 0.1
)

// attacks returns the five attacks.
func attacks() []attack {
	forBad := func(strategy.Verdict) int { return bad }
	runnerUp := func(v strategy.Verdict) int {
		if len(v.Standings) == 0 {
			return bad
		}
		return v.Standings[0].Arm
	}
	return []attack{
		{"first", func(stage) bool { return true }, forBad},
		{"last", func(s stage) bool {
			missing := math.Inf(1) // of the evidence
			if s.verdict.Leader == bad {
				missing = 0
				for _, rival := range s.verdict.Standings {
					missing = max(missing, math.Log(1/attackDelta)-rival.Evidence)
				}
			}
			return missing < 0.5*float64(s.fakes) || s.left <= s.fakes
		}, forBad},
		{"close", func(s stage) bool {
			return s.left <= s.fakes || slices.ContainsFunc(s.verdict.Standings, func(rival strategy.Standing) bool {
				return rival.Compared > 0 && rival.Chosen > 0.48 && rival.Chosen < 0.52
			})
		}, forBad},
		{"against the leader", func(s stage) bool {
			return s.left <= s.fakes || s.arrived > 0 && s.verdict.Leader != bad && s.rng.IntN(3) == 0
		}, forBad},
		{"for the runner-up", func(s stage) bool { return s.rng.IntN(s.left) < s.fakes }, runnerUp},
	}
}

// attacked counts the studies that certify a wrong arm, or prove something false, with some fakes among the people.
func attacked(t *testing.T, a attack, fakes, withstand, runs int) (wrong int) {
	t.Helper()
	c, err := choice.NewNames([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for run := range runs {
		if isDeceived(t, c, a, fakes, withstand, uint64(run)) {
			wrong++
		}
	}
	return wrong
}

func isDeceived(t *testing.T, c *choice.Catalogue, a attack, fakes, withstand int, seed uint64) bool {
	t.Helper()
	race, err := majority.New(c, majority.Settings{
		K: 2, Delta: attackDelta, Epsilon: 0.2, Fakes: withstand,
		LookEvery: -1, Seed: seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := stage{fakes: fakes, rng: rand.New(rand.NewPCG(seed, 41))}
	var hands strategy.Hands
	for s.arrived < attackPeople {
		s.left = attackPeople - s.arrived
		s.verdict = race.Verdict()
		wish := []float64{1, 0, -1}
		if s.rng.Float64() >= 0.55 {
			wish = []float64{0, 1, -1}
		}
		if s.fakes > 0 && a.comes(s) {
			s.fakes--
			wish = make([]float64, 3)
			wish[s.verdict.Leader]--
			wish[a.wish(s.verdict)] = 1
		}
		hand, err := hands.Deal(race, strconv.Itoa(s.arrived), "", attackEach)
		if err != nil {
			t.Fatal(err)
		}
		s.arrived++
		for _, card := range hand {
			best := 0
			if wish[card.Question[1]] > wish[card.Question[0]] {
				best = 1
			}
			if err := hands.Tell(race, card, []int{best}); err != nil {
				t.Fatal(err)
			}
			v := race.Verdict()
			if v.Status == strategy.Certified {
				return v.Leader != 0
			}
			if v.Proven.Share > 0 && v.Proven.Share < []float64{0.45, 0.55, 1}[v.Proven.Arm]-1e-9 {
				return true
			}
			if v.Status != strategy.Asking {
				return v.Status == strategy.Cyclic
			}
		}
	}
	return false
}

// TestFakes: a race that withstands two fakes is deceived by each attack in at most δ of the studies. Of 20 more than 5
// have a probability of 1.1% at most. Without that, ten fakes who come first deceive most races.
func TestFakes(t *testing.T) {
	for _, a := range attacks() {
		if wrong := attacked(t, a, 2, 2, 20); wrong > 5 {
			t.Errorf("%s: %d of 20 studies", a.name, wrong)
		}
	}
	if wrong := attacked(t, attacks()[0], 10, 0, 20); wrong < 10 {
		t.Errorf("ten fakes deceive only %d of 20 studies that withstand none", wrong)
	}
}

const closingDelta = 0.1

// closings runs studies whose owner wants a wrong arm and closes at the best moment for it. Closing settles nothing,
// so that the owner publishes the verdict of this moment: the race looks after every answer. It counts the runs with a
// moment at which the certificate, or what is proven without one, is false. People come while others answer.
func closings(t *testing.T, kind simulate.Trouble, n, runs, answers int) (wrong int) {
	t.Helper()
	in, crowd, err := kind.Of(n)
	if err != nil {
		t.Fatal(err)
	}
	var lock sync.Mutex
	deceived := map[int]bool{}
	e := simulate.Experiment{
		Instance: in, Crowd: crowd, Picks: 2, Epsilon: 0.2, Runs: runs, Seed: 1, MaxQuestions: answers, Arrivals: 4,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(in.Catalogue, racing.Settings{
				K: 3, Delta: closingDelta, Epsilon: 0.2, Assume: strategy.Majority, LookEvery: -1, Seed: seed,
			})
		},
		Each: func(r, _ int, s strategy.Strategy) {
			v := s.Verdict()
			if v.Proven.Share > 0 && !in.IsMajorityBest(v.Proven.Arm, v.Proven.Share-0.5) ||
				v.Status == strategy.Certified && !in.IsMajorityBest(v.Leader, evidence.Points(0.2)) {
				lock.Lock()
				defer lock.Unlock()
				deceived[r] = true
			}
		},
	}
	must(e.Run(t.Context()))
	return len(deceived)
}

// TestOwnerCloses: an owner who closes at the best moment publishes something false in at most δ of the runs. With
// 20 runs at δ = 0.1 more than 5 have a probability of 1.1% at most.
func TestOwnerCloses(t *testing.T) {
	for _, kind := range []simulate.Trouble{{Kind: "pace"}, {Kind: "leavers", Strength: 2}} {
		if wrong := closings(t, kind, 3, 20, 150); wrong > 5 {
			t.Errorf("%s: %d of 20 runs", kind.Kind, wrong)
		}
	}
}
