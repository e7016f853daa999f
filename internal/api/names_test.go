package api_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/wire"
)

// twelveModels are options without attributes, as JSON Lines.
func twelveModels() client.File {
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, "{\"id\":\"model-%d\"}\n", i)
	}
	return file("models.jsonl", lines.String())
}

// bestModel runs a study of twelve models in pairs to its end, with respondents for whom model-7 is
// better than the next by 1.5, and returns what it certifies, nothing if it does not.
func (s *stage) bestModel(seed uint64) string {
	s.Helper()
	created, err := s.owner.Create(s.Context(), client.NewStudy{
		Name: "Models", Settings: linear(wire.Settings{K: 2, Grace: -1, Seed: seed}), Catalogue: twelveModels(),
	})
	s.must(err)
	_, err = s.owner.Open(s.Context(), created.Study.ID)
	s.must(err)
	rng := rand.New(rand.NewPCG(seed, 12))
	utilities := map[string]float64{}
	for i := range 12 {
		utilities[fmt.Sprintf("model-%d", i)] = rng.Float64()
	}
	utilities["model-7"] = 2.5
	for n := 0; ; n++ {
		q, err := s.tryAsk(created.Study.ID, fmt.Sprint("person ", n/10))
		if client.Is(err, wire.StudyDone) {
			break
		}
		s.must(err)
		best, most := "", math.Inf(-1)
		for _, arm := range q.Arms {
			if like := utilities[arm.ID] - math.Log(rng.ExpFloat64()); like > most {
				best, most = arm.ID, like
			}
		}
		if err := s.respondent.Answer(s.Context(), created.Study.ID, q.Token, best); !client.Is(err, wire.StudyDone) {
			s.must(err)
		}
	}
	verdict := s.verdict(created.Study.ID)
	if verdict.Status != "certified" {
		return ""
	}
	return verdict.Leader.ID
}

// TestNamesOnly: options without attributes make a study, which certifies the best of them and says
// that attributes would help.
func TestNamesOnly(t *testing.T) {
	s := begin(t, setting{})
	created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Models", Catalogue: twelveModels()})
	s.must(err)
	if len(created.Warnings) != 1 || !strings.Contains(created.Warnings[0].Text, "columns that describe them would reduce the number of answers") {
		t.Errorf("%+v", created.Warnings)
	}
	if best := s.bestModel(1); best != "model-7" {
		t.Errorf("the best is %q", best)
	}
}

// TestColumns: an owner can say what columns are.
func TestColumns(t *testing.T) {
	s := begin(t, setting{idle: true})
	create := func(columns wire.Columns) (wire.Created, error) {
		return s.owner.Create(t.Context(), client.NewStudy{Name: "Shoes", Columns: columns, Catalogue: file("shoes.csv", "name,size,price\nA,40,$10\nB,41,$12\nC,42,\nD,40,$9\n")})
	}
	created, err := create(wire.Columns{Kinds: map[string]string{"size": "category"}, Missing: map[string]string{"price": "drop"}})
	s.must(err)
	if created.Study.Arms != 3 {
		t.Errorf("%d arms", created.Study.Arms)
	}
	created, err = create(wire.Columns{})
	s.must(err)
	if created.Study.Arms != 4 || len(created.Warnings) == 0 || created.Warnings[0].Text != "missing values: options without price (1) get the mean and an indicator" {
		t.Errorf("%+v", created)
	}
	_, err = create(wire.Columns{Kinds: map[string]string{"size": "shoe"}})
	s.refused(err, 422, wire.Invalid, "body.columns.kinds")
	_, err = create(wire.Columns{Missing: map[string]string{"price": "guess"}})
	s.refused(err, 422, wire.Invalid, "body.columns.missing")
}
