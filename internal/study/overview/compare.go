package overview

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"bestpick/internal/study"
)

// A Compared is the group of respondents with one answer to a profile question. Its counts are estimates.
type Compared struct {
	Answer string // a choice, or the lower or upper half of numbers, such as ≤ 34
	People int    // who have answered a question of the study
	Duels  []Duel // with the leader
}

// Compare returns the groups of a profile question: the choices in their order, or two halves of numbers. It counts the
// last [maxJudged] outcomes of the log.
func (s *Reader) Compare(ctx context.Context, st study.Study, q study.ProfileQuestion, leader int) ([]Compared, error) {
	names, of, err := s.groupsOf(ctx, st.ID, q)
	if err != nil {
		return nil, err
	}
	window, err := s.window(ctx, st.ID)
	if err != nil {
		return nil, err
	}
	if _, _, _, err := window.judges(ctx); err != nil { // finds the undos
		return nil, err
	}
	groups, counts := make([]Compared, len(names)), make([]duels, len(names))
	for i, name := range names {
		groups[i].Answer, counts[i] = name, duels{}
	}
	seen, shown := map[string]bool{}, map[int]bool{}
	err = window.answers(ctx, func(o study.Outcome) {
		at, known := of[o.Respondent]
		if !known {
			return
		}
		if !seen[o.Respondent] {
			seen[o.Respondent] = true
			groups[at].People++
		}
		if len(shown) <= mostDuelled && slices.Contains(o.Shown, leader) {
			for _, arm := range o.Shown {
				shown[arm] = true
			}
			counts[at].add(o.Shown, o.Picks[0])
		}
	})
	var arms []Count
	for arm := range shown {
		arms = append(arms, Count{Arm: arm})
	}
	for i := range groups {
		groups[i].Duels = counts[i].against(leader, arms)
	}
	return groups, err
}

// groupsOf returns the names of the groups of a profile question, and the group of each respondent.
func (s *Reader) groupsOf(
	ctx context.Context, id string, q study.ProfileQuestion,
) (names []string, of map[string]int, err error) {
	numbers := map[string]float64{}
	of = map[string]int{}
	for _, c := range q.Choices {
		if !c.Excluded {
			names = append(names, c.Text)
		}
	}
	for p, err := range study.AllProfiles(ctx, s.Store, id) {
		if err != nil {
			return nil, nil, err
		}
		answer, has := p.Answers[q.Name]
		if !has {
			continue
		}
		if at := slices.Index(names, answer); at >= 0 {
			of[p.Respondent] = at
		} else if x, err := strconv.ParseFloat(answer, 64); err == nil && len(q.Choices) == 0 {
			numbers[p.Respondent] = x
		}
	}
	if len(numbers) == 0 {
		return names, of, nil
	}
	sorted := slices.Sorted(maps.Values(numbers))
	median := sorted[(len(sorted)-1)/2]
	for respondent, x := range numbers {
		if of[respondent] = 0; x > median {
			of[respondent] = 1
		}
	}
	text := strconv.FormatFloat(median, 'g', -1, 64)
	return []string{"≤ " + text, "> " + text}, of, nil
}
