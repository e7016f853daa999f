package examples_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"bestpick/choice"
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
