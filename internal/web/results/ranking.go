package results

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/strategy"
)

// The standings of an arm, which end the keys of their messages.
const (
	standingBest     = "best"
	standingLeader   = "leader"
	standingPossible = "possible"
	standingRefuted  = "refuted"
)

// An armRow is a row of the table of arms.
type armRow struct {
	Name, ID, About       string
	Standing              string
	Misfit                string // more or less often picked than the model explains
	Shown, Picked         int
	Share, Utility        float64
	Estimated, Withdrawn  bool
	Withdrawable, Leading bool
	arm, rank             int
	key                   string // for sorting
}

// maxProfiles is the maximum number of profiles for which the table lists all of them, shown or not.
const maxProfiles = 10_000

// armRows returns all arms or, for a large product, the profiles that were shown.
func (v View) armRows() []armRow {
	counted := map[int][2]int{}
	if v.overview != nil {
		for _, c := range v.overview.Arms {
			counted[c.Arm] = [2]int{c.Shown, c.Picked}
		}
	}
	utilities := v.utilities()
	ranks := map[int]int{}
	if v.Verdict.Leader >= 0 {
		ranks[v.Verdict.Leader] = 1
	}
	for i, c := range v.contenders() {
		ranks[c.Arm] = 2 + i
	}
	misfits := v.misfits()
	withdrawn := map[int]bool{}
	for _, arm := range v.Study.Withdrawn {
		withdrawn[arm] = true
	}
	var list []armRow
	add := func(arm int) {
		r := armRow{
			arm: arm, rank: ranks[arm], Shown: counted[arm][0], Picked: counted[arm][1], Withdrawn: withdrawn[arm], Misfit: misfits[arm],
		}
		if r.Shown > 0 {
			r.Share = float64(r.Picked) / float64(r.Shown)
		}
		if utilities != nil && v.Verdict.Leader >= 0 {
			r.Utility, r.Estimated = utilities[arm]-utilities[v.Verdict.Leader], true
		}
		list = append(list, r)
	}
	if n := v.arms.Arms.Len(); v.arms.Profiles == nil || n <= maxProfiles {
		for arm := range n {
			add(arm)
		}
		return list
	}
	some := map[int]bool{}
	for arm := range counted {
		some[arm] = true
	}
	for arm := range ranks {
		some[arm] = true
	}
	for arm := range some {
		add(arm)
	}
	return list
}

// TooEarly reports whether estimates under the model say nothing yet: there are few answers, or they are separated, so
// that an estimate or its standard error is larger than any plausible taste.
func (v View) TooEarly() bool {
	const leastAnswers, mostUtility = 10, 10 // utility 10 is odds of 22,000 to 1
	if v.Verdict.Status == certified {
		return false
	}
	if v.Verdict.Answered < leastAnswers {
		return true
	}
	if !v.ByMajority() {
		for _, c := range v.Verdict.Contenders {
			if math.Abs(c.Lead) > mostUtility {
				return true
			}
		}
	}
	if v.overview == nil {
		return false
	}
	for _, w := range v.overview.Utilities {
		if math.Abs(w.Utility) > mostUtility || w.Error > mostUtility {
			return true
		}
	}
	return false
}

// utilities returns the estimated utilities of all arms, or nil if there are none to show.
func (v View) utilities() []float64 {
	if v.overview == nil || v.TooEarly() {
		return nil
	}
	return v.overview.Estimates(v.arms.Arms)
}

// contenders returns the contenders, the closest to the leader first. If the verdict rests on the model, their leads are
// the estimates of the table. Those of the verdict are the centres of its intervals, where a contender may be ahead.
func (v View) contenders() []strategy.Standing {
	contenders := slices.Clone(v.Verdict.Contenders)
	utilities := v.utilities()
	if v.ByMajority() || utilities == nil {
		return contenders
	}
	for i, c := range contenders {
		contenders[i].Lead = utilities[v.Verdict.Leader] - utilities[c.Arm]
	}
	slices.SortStableFunc(contenders, func(a, b strategy.Standing) int { return cmp.Compare(a.Lead, b.Lead) })
	return contenders
}

// misfits returns the arms that the model does not explain: whether they were picked more or less often.
func (v View) misfits() map[int]string {
	found := map[int]string{}
	for _, m := range v.Verdict.Misfits {
		if found[m.Arm] = "less"; m.Picked > m.Expected {
			found[m.Arm] = "more"
		}
	}
	return found
}

// A tableQuery selects and sorts the rows of the table of arms.
type tableQuery struct {
	Search  string
	Sort    string // a column
	Reverse bool   // reverses the default order of the column
	Page    int    // from 1
}

// The columns of the table.
const (
	byStanding = "standing"
	byName     = "option"
	byShown    = "shown"
	byPicked   = "picked"
	byShare    = "share"
	byUtility  = "utility"
)

// sortRows sorts arms by a column, and ties in the order of the catalogue.
func (v View) sortRows(list []armRow, q tableQuery) {
	if name := v.names(); q.Sort == byName {
		for i := range list {
			list[i].key = strings.ToLower(name(list[i].arm))
		}
	}
	last := len(v.Verdict.Contenders) + 2 // after all contenders
	rank := func(r armRow) int {
		switch {
		case r.Withdrawn:
			return last + 1
		case r.rank == 0:
			return last
		}
		return r.rank
	}
	slices.SortFunc(list, func(a, b armRow) int {
		var order int
		switch q.Sort {
		case byName:
			order = cmp.Compare(a.key, b.key)
		case byShown:
			order = cmp.Compare(b.Shown, a.Shown)
		case byPicked:
			order = cmp.Compare(b.Picked, a.Picked)
		case byShare:
			order = cmp.Compare(b.Share, a.Share)
		case byUtility:
			order = cmp.Compare(b.Utility, a.Utility)
		default:
			order = cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Utility, a.Utility))
		}
		if q.Reverse {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.arm, b.arm))
	})
}

// complete adds the texts of an arm to its row.
func (v View) complete(r *armRow, card archive.Card) {
	r.Name, r.ID = statement.ArmName(v.arms, card), card.ID
	var about []string
	for _, a := range card.Attributes {
		about = append(about, a.Name+" "+a.Value)
	}
	r.About = strings.Join(about, " · ")
	switch {
	case r.Withdrawn:
		r.Standing = "withdrawn"
	case v.Verdict.Answered == 0:
	case r.rank == 1:
		r.Standing, r.Leading = standingLeader, true
		if v.Verdict.Status == certified {
			r.Standing = standingBest
		}
	case r.rank > 1:
		r.Standing = standingPossible
	case v.Verdict.Leader >= 0 && v.Verdict.Others == 0:
		r.Standing = standingRefuted
	}
	r.Withdrawable = v.Owner() && v.Changeable() && !r.Withdrawn && v.arms.Profiles == nil &&
		!v.Study.Settings.Strategy.Model.Clicks && v.Present() > v.Study.Settings.Strategy.K
}

// Ranking returns all arms in the order of the table.
func (v View) Ranking() []armRow {
	list := v.armRows()
	v.sortRows(list, tableQuery{Sort: byStanding})
	for i := range list {
		v.complete(&list[i], v.card(list[i].arm))
	}
	return list
}

// TopRanking returns the first arms of the ranking, for a report.
func (v View) TopRanking() []armRow {
	const most = 20
	list := v.Ranking()
	return list[:min(len(list), most)]
}
