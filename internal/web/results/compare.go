package results

import (
	"context"
	"net/http"
	"slices"

	"bestpick/internal/study"
	"bestpick/internal/study/overview"
)

// A comparison compares the groups of a profile question, as an estimate.
type comparison struct {
	Question string
	Groups   []overview.Compared
	Rows     []comparedRow
	More     string // the number of omitted rows, as text
}

// A comparedRow has, for each group, the share of its people who choose an option over the leader, empty where too few
// compared the two.
type comparedRow struct {
	Name  string
	Cells []comparedCell
}

type comparedCell struct{ Share, Counts string }

// Profiled returns the profile questions by which groups can be compared. It leaves out the question of the segments,
// because the verdict has certificates for them.
func (v View) Profiled() (questions []study.ProfileQuestion) {
	for _, q := range v.Study.Profile {
		if !q.Segment && v.SignedIn() && v.Begun() {
			questions = append(questions, q)
		}
	}
	return questions
}

// compare adds the comparison that a request asks for.
func (p *Pages) compare(ctx context.Context, r *http.Request, v *View) (err error) {
	questions := v.Profiled()
	at := slices.IndexFunc(questions, func(q study.ProfileQuestion) bool { return q.Name == r.FormValue("by") })
	if at < 0 {
		return nil
	}
	v.Compared = &comparison{Question: questions[at].Name}
	v.Compared.Groups, err = p.Overview.Compare(ctx, v.Study, questions[at], v.Verdict.Leader)
	if err == nil && v.Leader() != nil {
		v.addCompared()
	}
	return err
}

// addCompared adds a row for each option that some group has compared with the leader often enough.
func (v View) addCompared() {
	const most, least = 20, 5 // rows, and comparisons
	for _, ranked := range v.Ranking() {
		row, known := comparedRow{Name: ranked.Name}, false
		for _, g := range v.Compared.Groups {
			var cell comparedCell
			for _, d := range g.Duels {
				if d.Arm == ranked.arm && d.Compared >= least {
					cell = comparedCell{
						v.Percent(float64(d.Chosen) / float64(d.Compared)),
						v.Must("shown.of", "picked", v.Count(d.Chosen), "shown", v.Count(d.Compared)),
					}
					known = true
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		if known {
			v.Compared.Rows = append(v.Compared.Rows, row)
		}
	}
	if more := len(v.Compared.Rows) - most; more > 0 {
		v.Compared.Rows, v.Compared.More = v.Compared.Rows[:most], v.Must("rows.more", "count", v.Count(more))
	}
}
