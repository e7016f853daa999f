// Command docs makes parts of the documentation: the OpenAPI document of the HTTP API, for linters and generators of
// clients; and charts. Its tests take the screenshots of the five main pages.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/api"
	"bestpick/internal/paper"
	"bestpick/internal/study/wiring"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, arguments []string) error {
	switch {
	case len(arguments) == 1 && arguments[0] == "openapi":
		return printOpenAPI(ctx)
	case len(arguments) == 2 && arguments[0] == "pictures":
		return errors.Join(drawEvidence(ctx, arguments[1]), drawPictures(arguments[1]))
	default:
		return errors.New("usage: docs openapi | pictures FOLDER")
	}
}

// printOpenAPI prints the OpenAPI document of the HTTP API.
func printOpenAPI(ctx context.Context) error {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/openapi.json", nil)
	api.Handler(&wiring.Service{}, api.Options{Version: "development"}).ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return fmt.Errorf("the document has status %d", w.Code)
	}
	_, err := w.Body.WriteTo(os.Stdout)
	return err
}

// drawEvidence draws how the evidence rises, in a race of 12 options: the share of the evidence needed against each rival of the
// leader, averaged over the rivals, and the largest so far.
func drawEvidence(ctx context.Context, folder string) error {
	const options, picks, seed = 12, 2, 7
	rng := rand.New(rand.NewPCG(seed, seed))
	var names []string
	var utilities []float64
	for i := range options {
		names, utilities = append(names, fmt.Sprint("option ", i+1)), append(utilities, rng.NormFloat64())
	}
	arms, err := choice.NewNames(names)
	if err != nil {
		return err
	}
	settings := racing.Settings{Assume: strategy.Majority, Epsilon: racing.DefaultEpsilon}.WithDefaults()
	race, err := racing.New(arms, settings)
	if err != nil {
		return err
	}
	run := simulate.Experiment{
		Instance: simulate.Instance{Catalogue: arms, Theta: make([]float64, arms.Dim()), Utilities: utilities}, Picks: picks,
		Strategy: func(uint64) (strategy.Strategy, error) { return race, nil },
		Crowd:    func(rng *rand.Rand) crowd.Respondent { return &crowd.Person{Utilities: utilities, Rng: rng} },
	}
	curve := []paper.Point{{}}
	run.Each = func(_, question int, s strategy.Strategy) {
		v, share := s.Verdict(), 0.0
		for _, rival := range v.Standings {
			share += min(max(-rival.Evidence/math.Log(settings.Delta), 0), 1)
		}
		share = (share + float64(v.Elimination.Eliminated)) / (options - 1)
		curve = append(curve, paper.Point{X: float64(question), Y: max(100*share, curve[len(curve)-1].Y)})
	}
	done, err := run.One(ctx, 0)
	if err != nil {
		return err
	}
	end := float64(done.Questions)
	curve = append(curve, paper.Point{X: end, Y: 100})
	chart := paper.Chart{
		Title: fmt.Sprintf("12 options, certified after %d questions", done.Questions),
		X:     paper.Axis{Label: "questions"}, Y: paper.Axis{Label: "evidence that is needed, in percent"},
		Series: []paper.Series{
			{
				Name: "stop: 20 to 1 against each rival", At: []paper.Point{{X: 0, Y: 100}, {X: end, Y: 100}},
				Style: paper.Style{Colour: "black", Line: 1, Dashes: "5,4"},
			},
			{Name: "against all rivals so far", At: curve, Style: paper.Style{Colour: "#1f4e79", Line: 2.5}},
		},
	}
	return os.WriteFile(filepath.Join(folder, "evidence.svg"), chart.SVG(), 0o644) //nolint:gosec // documentation is public
}

// drawPictures draws the evidence of every check over time, for crowds that break the model in one way each.
func drawPictures(folder string) error {
	in, err := simulate.Sphere(6, 2, 2, 9)
	if err != nil {
		return err
	}
	for _, check := range checks.All() {
		curves, err := watch(in, check)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, "check-"+check.String()+".svg")
		if err := os.WriteFile(file, chartOf(curves, check).SVG(), 0o644); err != nil { //nolint:gosec // documentation is public
			return err
		}
	}
	return nil
}

// watch returns, for every check, the most evidence so far after each answer, as a power of
// ten.
func watch(in simulate.Instance, violation checks.Check) ([][]paper.Point, error) {
	const answers, k = 5000, 4
	in, people := simulate.Violation{Check: violation}.Of(in)
	rng := rand.New(rand.NewPCG(1, 99))
	respondent := people(rng)
	study, err := checks.NewStudy(in.Catalogue)
	if err != nil {
		return nil, err
	}
	curves := make([][]paper.Point, len(checks.All()))
	for t := range answers {
		q := choice.Question(rng.Perm(in.Catalogue.Len())[:k])
		if err := study.Tell(crowd.Answer(respondent, q, 1)); err != nil {
			return nil, err
		}
		if t%25 == 24 {
			for c, evidence := range study.Finding().Each {
				curves[c] = append(curves[c], paper.Point{X: float64(t + 1), Y: evidence / math.Ln10})
			}
		}
	}
	return curves, nil
}

// chartOf draws the curves of all checks, with that of the violated one wider.
func chartOf(curves [][]paper.Point, violation checks.Check) paper.Chart {
	threshold := math.Log10(20)
	c := paper.Chart{
		Title: fmt.Sprintf("answers of the crowd %q", violation),
		X:     paper.Axis{Label: "answers"},
		Y:     paper.Axis{Label: "evidence, as a power of ten"},
		Series: []paper.Series{{
			Name: "20 to 1: refuted", At: []paper.Point{{X: 0, Y: threshold}, {X: 5000, Y: threshold}},
			Style: paper.Style{Colour: "black", Line: 1, Dashes: "5,4"},
		}},
	}
	for i, colour := range []string{"#1f4e79", "#c55a11", "#3a7d44", "#7b3f99", "#b02a37", "#6b6b6b"} {
		check := checks.All()[i]
		s := paper.Series{Name: check.String(), At: curves[check], Style: paper.Style{Colour: colour, Line: 1.2}}
		if check == violation {
			s.Line = 3
		}
		c.Series = append(c.Series, s)
	}
	return c
}
