package instances

import (
	"fmt"
	"io"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/internal/recorded"
	"bestpick/simulate"
)

// ReadRecorded reads recorded choices in long form, with the columns task, respondent and chosen. It returns an
// instance with n of their alternatives, drawn with the seed, and the part-worths of the respondents.
func ReadRecorded(source io.Reader, name string, features []string, n int, seed uint64) (Instance, error) {
	data, err := recorded.ReadLong(source, name, recorded.LongForm{
		Task: "task", Chosen: "chosen", Respondent: "respondent", Features: features, Answers: true,
	})
	if err != nil {
		return Instance{}, err
	}
	all := data.Answers.Catalogue
	if n < 2 || n > all.Len() {
		return Instance{}, fmt.Errorf("--n must be from 2 to %d, the number of different alternatives in %s, got %d", all.Len(), name, n)
	}
	people, mean, err := simulate.PartWorths(all, data.Answers.Answers)
	if err != nil {
		return Instance{}, fmt.Errorf("%s: %w", name, err)
	}
	var ids []string
	var rows [][]float64
	for _, arm := range rand.New(rand.NewPCG(seed, 0)).Perm(all.Len())[:n] {
		ids, rows = append(ids, all.ID(arm)), append(rows, all.Arm(arm))
	}
	drawn, err := choice.NewCatalogue(ids, all.Features(), rows)
	return Instance{
		Instance: simulate.Instance{Catalogue: drawn, Theta: mean}, PartWorths: people,
		Name: fmt.Sprintf("%s (%d alternatives, %d people)", name, n, len(people)),
	}, err
}
