package results

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strings"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study/overview"
	"bestpick/internal/web/respond"
	"bestpick/strategy"
)

// The standings of an arm, which end the keys of their messages.
const (
	standingBest     = "best"
	standingLeader   = "leader"
	standingPossible = "possible"
	standingOut      = "out"    // for good
	standingBehind   = "behind" // of a segment: its leader is not worse, within ε
)

// An armRow is an arm in the ranking and in the table.
type armRow struct {
	// Share is the share of people who choose the arm over the leader, where it is Estimated, between Low and High where
	// it is Bounded. First and Last bound the rank of a bounded arm.
	strategy.Share

	Name, ID, About  string
	Picture          template.URL
	Standing         string
	Misfit           string // more or less often picked than the model explains
	Shown, Picked    int
	Chosen, Compared int // answers that chose it over the leader; answers that chose either

	First, Last           int
	Estimated, Bounded    bool
	Withdrawn             bool
	Withdrawable, Leading bool
	arm                   int
	key                   string // for sorting
}

// maxProfiles is the maximum number of profiles for which the table lists all of them, shown or not.
const maxProfiles = 10_000

// armRows returns all arms or, for a large product, the profiles that were shown.
func (v View) armRows() []armRow {
	counted, duels := map[int]overview.Count{}, map[int]overview.Duel{}
	if v.overview != nil {
		for _, c := range v.overview.Arms {
			counted[c.Arm] = c
		}
		for _, d := range v.overview.Duels {
			duels[d.Arm] = d
		}
	}
	estimate, misfits := v.estimates(), v.misfits()
	withdrawn := map[int]bool{}
	for _, arm := range v.Study.Withdrawn {
		withdrawn[arm] = true
	}
	var list []armRow
	add := func(arm int) {
		r := estimate(arm)
		r.arm, r.Withdrawn, r.Misfit = arm, withdrawn[arm], misfits[arm]
		r.Shown, r.Picked, r.Chosen, r.Compared = counted[arm].Shown, counted[arm].Picked, duels[arm].Chosen, duels[arm].Compared
		r.Leading = arm == v.Verdict.Leader && v.Verdict.HasLeader()
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
	for _, arm := range v.Verdict.Arms() {
		some[arm] = arm >= 0
	}
	for arm, is := range some {
		if is {
			add(arm)
		}
	}
	return list
}

// ranks returns the leaderboard by arm, without one that is about another leader.
func (v View) ranks() map[int]strategy.Rank {
	ranks := map[int]strategy.Rank{}
	if board := v.Verdict.Leaderboard; board != nil && v.Verdict.HasLeader() {
		for _, r := range board.Ranks {
			ranks[r.Arm] = r
		}
	}
	if leader, known := ranks[v.Verdict.Leader]; known && (leader.Low != 0 || leader.High != 0) {
		return nil
	}
	return ranks
}

// SharesText returns of whom the shares of the ranking are, and whether their ranges are proven. It is empty without a leader.
func (v View) SharesText() string {
	facts := v.Facts()
	if facts.Leader == "" {
		return ""
	}
	return v.Shares(facts, len(v.ranks()) > 0)
}

// estimates returns a function that estimates the share of people who choose an arm over the leader: by the leaderboard,
// with an interval, or by the people who compared the two, or by the model.
func (v View) estimates() func(arm int) armRow {
	ranks, contenders := v.ranks(), map[int]strategy.Standing{}
	if !v.Verdict.HasLeader() {
		return func(int) armRow { return armRow{} }
	}
	for _, c := range v.Verdict.Contenders {
		contenders[c.Arm] = c
	}
	utilities := v.utilities()
	return func(arm int) armRow {
		if r, known := ranks[arm]; known {
			return armRow{Share: r.Share(), First: r.First, Last: r.Last, Estimated: true, Bounded: true}
		}
		share := contenders[arm].Chosen
		if share == 0 && utilities != nil {
			share = 1 / (1 + math.Exp(utilities[v.Verdict.Leader]-utilities[arm]))
		}
		return armRow{Share: strategy.Share{Estimate: share}, Estimated: share > 0}
	}
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
	byShare  = "share"
	byName   = "option"
	byShown  = "shown"
	byPicked = "picked"
)

// sortRows sorts arms by a column, and ties in the order of the catalogue.
func (v View) sortRows(list []armRow, q tableQuery) {
	if name := v.names(); q.Sort == byName {
		for i := range list {
			list[i].key = strings.ToLower(name(list[i].arm))
		}
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
		default:
			order = v.compareRanks(a, b)
		}
		if q.Reverse {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.arm, b.arm))
	})
}

// compareRanks compares arms as they are ranked: withdrawn ones last, the best ones and then the leader first, then by the
// share of people who choose them over the leader. Before there is a leader, by how often they are picked when shown.
func (v View) compareRanks(a, b armRow) int {
	group := func(r armRow) int {
		switch {
		case r.Withdrawn:
			return 3
		case slices.Contains(v.Verdict.Top, r.arm) && len(v.Verdict.Top) < v.Present():
			return 0
		case r.Leading:
			return 1
		}
		return 2
	}
	share := func(r armRow) float64 {
		if !r.Estimated && !v.Verdict.HasLeader() {
			return float64(r.Picked+1) / float64(r.Shown+v.Study.Settings.Strategy.K) // few questions say little
		}
		return r.Estimate
	}
	return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(share(b), share(a)))
}

// complete adds the texts of an arm to its row.
func (v View) complete(r *armRow, card archive.Card) {
	r.Name, r.ID = statement.ArmName(v.arms, card), card.ID
	r.Picture = respond.CardsOf(v.card, true, []int{r.arm})[0].Picture
	var about []string
	for _, a := range card.Attributes {
		about = append(about, a.Name+" "+a.Value)
	}
	r.About = strings.Join(about, " · ")
	switch {
	case r.Withdrawn:
		r.Standing = "withdrawn"
	case v.Verdict.Status == certified && (r.Leading || slices.Contains(v.Verdict.Top, r.arm)):
		r.Standing = standingBest
	case v.Verdict.IsOut(r.arm):
		r.Standing = standingOut
	case !v.Verdict.HasLeader():
	case r.Leading:
		r.Standing = standingLeader
	case v.Verdict.Status != certified:
		r.Standing = standingPossible
	}
	r.Withdrawable = v.Owner() && v.Changeable() && !r.Withdrawn && v.arms.Profiles == nil &&
		!v.Study.Settings.Strategy.Model.Clicks && v.Present() > v.Study.Settings.Strategy.K
}

// Ranking returns all arms as they are ranked.
func (v View) Ranking() []armRow {
	list := v.armRows()
	v.sortRows(list, tableQuery{Sort: byShare})
	for i := range list {
		v.complete(&list[i], v.card(list[i].arm))
	}
	return list
}
