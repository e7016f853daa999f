package examples_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/serve"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/strategy/strategytest"
)

var update = flag.Bool("update", false, "write the example files anew")

// TestFilesAreSimulated compares the simulated files with what the functions below write.
// go test ./examples -update writes them.
func TestFilesAreSimulated(t *testing.T) {
	for name, write := range map[string]func(io.Writer){"mugs.csv": writeMugs, "headlines.csv": writeHeadlines} {
		var want bytes.Buffer
		write(&want)
		if *update {
			if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not as simulated; run go test ./examples -update", name)
		}
	}
}

// TestTutorial: docs/tutorial-go.md contains every program as it is.
func TestTutorial(t *testing.T) {
	document, err := os.ReadFile("../docs/tutorial-go.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"embed", "fit", "loop", "rounds", "simulate"} {
		program, err := os.ReadFile(name + "_test.go")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(document), "```go\n"+string(program)+"```") {
			t.Errorf("docs/tutorial-go.md does not contain %s", name)
		}
	}
}

// writeMugs writes choices between travel mugs: 60 respondents, 8 tasks each, 3 mugs per
// task. The utility of a mug is
//
//	−0.25·price + 4·litres + 0.8·leakproof + (0 steel, 0.4 black, −0.6 red).
func writeMugs(w io.Writer) {
	rng := rand.New(rand.NewPCG(2026, 1))
	colours := []string{"steel", "black", "red"}
	tint := []float64{0, 0.4, -0.6}
	fmt.Fprintln(w, "respondent,task,mug,chosen,price,litres,leakproof,colour")
	for respondent := 1; respondent <= 60; respondent++ {
		for task := 1; task <= 8; task++ {
			var lines [3]string
			utilities := make([]float64, len(lines))
			for i := range lines {
				price, litres := 8+rng.IntN(15), 0.3+0.05*float64(rng.IntN(5))
				leakproof, colour := rng.IntN(2), rng.IntN(len(colours))
				utilities[i] = -0.25*float64(price) + 4*litres + 0.8*float64(leakproof) + tint[colour]
				lines[i] = fmt.Sprintf("%d,%.2f,%d,%s", price, litres, leakproof, colours[colour])
			}
			pick := choice.SamplePick(rng, utilities)
			for i, line := range lines {
				chosen := 0
				if i == pick {
					chosen = 1
				}
				fmt.Fprintf(w, "%d,%d,%c,%d,%s\n", respondent, task, 'A'+i, chosen, line)
			}
		}
	}
}

// writeHeadlines writes votes between headlines: 600 votes on random pairs of 6, with
// utilities 1, 0.6, 0.2, 0, −0.5 and −1.3. If the noisy utilities are less than
// 0.3 apart, the voter says tie.
func writeHeadlines(w io.Writer) {
	rng := rand.New(rand.NewPCG(2026, 2))
	headlines := []string{
		"Coffee that waits for you", "Hot at noon, too", "One mug, every commute",
		"Now in three colours", "The mug, reinvented", "Mugs, mugs, mugs",
	}
	utilities := []float64{1, 0.6, 0.2, 0, -0.5, -1.3}
	fmt.Fprintln(w, "voter,left,right,winner")
	for range 600 {
		shown := rng.Perm(len(headlines))
		left, right := shown[0], shown[1]
		lead := utilities[left] + choice.Gumbel(rng) - utilities[right] - choice.Gumbel(rng)
		winner := "tie"
		switch {
		case lead > 0.3:
			winner = "left"
		case lead < -0.3:
			winner = "right"
		}
		fmt.Fprintf(w, "v%d,%q,%q,%s\n", 1+rng.IntN(40), headlines[left], headlines[right], winner)
	}
}

// Example_embed serves live studies under a path of its own web server.
func Example_embed() {
	ctx := context.Background()
	studies, err := serve.New(ctx, "studies.db", serve.Options{Prefix: "/picks"})
	if err != nil {
		log.Fatal(err)
	}
	go studies.Run(ctx)
	http.Handle("/picks/", studies)
	log.Fatal(http.ListenAndServe("localhost:8080", nil)) //nolint:gosec // a small example
}

// Example_fit estimates what people value from answers in memory.
func Example_fit() {
	lamps, err := choice.NewCatalogue(
		[]string{"orb", "dome", "reed"},
		[]string{"price", "dimmable"},
		[][]float64{{4.9, 0}, {5.9, 1}, {3.9, 0}},
	)
	if err != nil {
		log.Fatal(err)
	}
	tally := choice.NewTally(lamps.Len())
	for _, answer := range []struct {
		shown []int
		pick  int // the slot
		times int
	}{
		{[]int{0, 1}, 0, 40}, {[]int{0, 1}, 1, 60}, {[]int{0, 2}, 0, 40}, {[]int{0, 2}, 1, 60}, {[]int{1, 2}, 0, 50}, {[]int{1, 2}, 1, 50},
	} {
		for range answer.times {
			if err := tally.Add(choice.Answer{Question: answer.shown, Picks: []int{answer.pick}}); err != nil {
				log.Fatal(err)
			}
		}
	}
	var estimator choice.Estimator
	estimate, err := estimator.Estimate(choice.NewLinear(lamps, tally))
	if err != nil {
		log.Fatal(err)
	}
	for i, name := range estimate.Names {
		fmt.Printf("%s %.2f ± %.2f\n", name, estimate.Theta[i], math.Sqrt(estimate.Covariance.At(i, i)))
	}
	// Output:
	// price -0.41 ± 0.17
	// dimmable 0.81 ± 0.29
}

// Example_loop finds the favourite of people whose choices the program itself supplies.
func Example_loop() {
	lamps, err := choice.NewCatalogue(
		[]string{"orb", "dome", "reed", "arc"},
		[]string{"price", "height"},
		[][]float64{{4.9, 1.2}, {5.9, 0.8}, {3.9, 1.5}, {4.4, 2.0}},
	)
	if err != nil {
		log.Fatal(err)
	}
	race, err := racing.New(lamps, racing.Settings{K: 2, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	people := crowd.NewMNL(lamps, []float64{-1, 2}, rand.New(rand.NewPCG(1, 2))) // they prefer cheap, tall lamps
	for {
		question, err := race.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := race.Tell(choice.Answer{Question: question, Picks: people.Pick(question, 1)}); err != nil {
			log.Fatal(err)
		}
	}
	verdict := race.Verdict()
	fmt.Println(verdict.Status, lamps.ID(verdict.Leader), "after", verdict.Answered, "answers")
	// Output: certified arc after 258 answers
}

// Example_simulate measures how many questions a strategy needs, and how often it errs.
func Example_simulate() {
	instance, err := simulate.Sphere(10, 3, 3, 1) // 10 arms with 3 features
	if err != nil {
		log.Fatal(err)
	}
	runs, err := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(instance.Catalogue, racing.Settings{Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent {
			return crowd.NewMNL(instance.Catalogue, instance.Theta, rng)
		},
		Runs: 20,
	}.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	summary := simulate.Summarise(runs)
	fmt.Println(summary.Certified, "of", summary.Runs, "runs certified,", summary.Wrong, "wrongly")
	// Output: 20 of 20 runs certified, 0 wrongly
}

// perArm is how often rounds shows each arm.
const perArm = 20

// rounds shows every arm equally often, and decides for the arm that was picked most often. It certifies
// nothing.
type rounds struct {
	arms     *choice.Catalogue
	k        int
	asked    int // distinct questions so far
	answered int
	picks    []int // by arm, up to the decision
	ledger   strategy.Ledger
}

func newRounds(arms *choice.Catalogue, k int) *rounds {
	return &rounds{arms: arms, k: k, picks: make([]int, arms.Len())}
}

// total is the number of questions: question i shows the arms i, i+1, … in a circle.
func (r *rounds) total() int { return perArm * r.arms.Len() / r.k }

func (r *rounds) decided() bool { return r.answered >= r.total() }

func (r *rounds) Ask() (choice.Question, error) {
	if r.decided() {
		return nil, strategy.ErrStopped
	}
	if lost, ok := r.ledger.AskAgain(); ok {
		return lost, nil
	}
	if r.asked == r.total() {
		return nil, strategy.ErrWaiting
	}
	question := make(choice.Question, r.k)
	for slot := range question {
		question[slot] = (r.asked + slot) % r.arms.Len()
	}
	r.asked++
	return r.ledger.Ask(question), nil
}

func (r *rounds) Tell(answer choice.Answer) error {
	if err := answer.Check(r.arms.Len()); err != nil {
		return err
	}
	if err := r.ledger.Settle(answer.Question); err != nil {
		return err
	}
	if !r.decided() {
		r.picks[answer.Question[answer.Picks[0]]]++
	}
	r.answered++
	return nil
}

func (r *rounds) Lose(question choice.Question) error { return r.ledger.Lose(question) }

func (r *rounds) Verdict() strategy.Verdict {
	v := strategy.Verdict{Asked: r.answered + r.ledger.Total, Answered: r.answered}
	for arm, picks := range r.picks {
		if picks > r.picks[v.Leader] {
			v.Leader = arm
		}
	}
	v.Contenders = []int{v.Leader}
	if r.decided() {
		v.Status = strategy.Decided
	} else {
		for arm := range r.arms.Len() {
			if arm != v.Leader {
				v.Contenders = append(v.Contenders, arm)
			}
		}
	}
	v.Elimination = strategy.NewElimination(r.arms, 0, len(v.Contenders)-1)
	return v
}

// TestRounds: the strategy passes the conformance suite.
func TestRounds(t *testing.T) {
	strategytest.Run(t, strategytest.Subject{
		New: func(arms *choice.Catalogue, k int, _ uint64) (strategy.Strategy, error) {
			return newRounds(arms, k), nil
		},
		K: []int{2, 3}, Questions: 100,
	})
}
