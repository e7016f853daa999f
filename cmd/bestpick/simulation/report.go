package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/cmd/bestpick/command"
	"bestpick/evidence"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/statement"
	"bestpick/internal/terminal"
	"bestpick/simulate"
	"bestpick/strategy"
)

// report is the JSON document of `bestpick simulate`, and the content of its text.
type report struct {
	Strategy  string          `json:"strategy"`
	Runs      int             `json:"runs"`
	Stopped   int             `json:"stopped"`
	Limited   int             `json:"limited"` // runs that ended at --max-questions
	Correct   int             `json:"correct"`
	Certified int             `json:"certified"`
	Wrong     int             `json:"certified_wrong"`
	Refuted   map[string]int  `json:"refuted"` // runs whose answers refute the model, by the check that says so most
	Majority  int             `json:"certified_by_majority"`
	Beaten    int             `json:"certified_beaten"` // by another arm, by more than half of the people and ε
	Doubtful  int             `json:"certified_doubtful,omitempty"`
	Cyclic    int             `json:"cyclic"` // runs that certify that there is no favourite
	Segments  []segmentReport `json:"segments,omitempty"`
	Differ    int             `json:"segments_differ,omitempty"`

	Outside *simulate.OutsideSummary `json:"outside,omitempty"` // where none of the arms is offered

	Questions   *simulate.Spread   `json:"questions"` // null where no run is complete
	People      *simulate.Spread   `json:"people"`    // respondents, likewise
	Share       map[string]float64 `json:"share"`
	Best        string             `json:"best"`
	Gap         float64            `json:"gap"`
	Effects     []effectReport     `json:"effects,omitempty"`           // of the last run, of an encoded catalogue
	Top         []string           `json:"top,omitempty"`               // of the last run, with --top
	Budget      *budgetReport      `json:"epsilon_certified,omitempty"` // with --budget
	Leaderboard []rankReport       `json:"leaderboard,omitempty"`
	Ranked      int                `json:"ranked,omitempty"`  // runs with a leaderboard
	Covered     int                `json:"covered,omitempty"` // of these, runs whose leaderboard holds
	Assumptions *assumptions       `json:"assumptions"`
	Seconds     float64            `json:"seconds"`

	title     string
	ids       []string // of the Share
	limit     int      // of the questions of a run
	budget    int      // of the answers of a run
	named     bool     // people have names, and runs are complete
	majority  bool     // what is assumed
	guarantee string   // and its assumptions, in words
}

// assumptions are the assumptions of the paper's bound, for the last run.
type assumptions struct {
	Hold        bool    `json:"hold"`
	KappaUsed   float64 `json:"kappa_used"`
	Kappa       float64 `json:"kappa"`
	LambdaTilde float64 `json:"lambda_tilde"`
	LambdaMin   float64 `json:"lambda_min"`

	// Needed is null where it is beyond all numbers.
	Needed *float64 `json:"lambda_min_needed"`
}

// A budgetReport has the smallest ε that runs certify when the budget is spent.
type budgetReport struct {
	simulate.Spread

	Stated int `json:"stated"` // runs that state it
	Holds  int `json:"holds"`  // of these, runs in which no arm is better by more than that
	People int `json:"people"` // of 100 that choose any single other arm over it, at most, at the mean
}

// A rankReport is an arm in the leaderboard of the last run.
type rankReport struct {
	Arm       string  `json:"arm"`
	Utility   float64 `json:"utility"` // minus the leader's, with its interval
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Share     float64 `json:"share"` // of choices between the arm and the leader, with its interval
	ShareLow  float64 `json:"share_low"`
	ShareHigh float64 `json:"share_high"`
	First     int     `json:"first"` // of the range of ranks
	Last      int     `json:"last"`
	True      float64 `json:"true"` // utility minus the leader's
}

// An effectReport is an estimated effect and its true value.
type effectReport struct {
	encode.Effect

	True float64 `json:"true"`
}

// A segmentReport has the verdicts of all runs about a segment.
type segmentReport struct {
	Segment    string         `json:"segment"`
	Certified  int            `json:"certified"`  // runs
	Favourites map[string]int `json:"favourites"` // runs that certify each arm, by id

	ids []string // of the favourites, the most frequent first
}

func newSegmentReport(s simulate.SegmentSummary, c *choice.Catalogue) segmentReport {
	r := segmentReport{Segment: s.Segment, Certified: s.Certified, Favourites: map[string]int{}}
	for _, arm := range slices.SortedFunc(maps.Keys(s.Favourites), func(a, b int) int {
		return cmp.Or(cmp.Compare(s.Favourites[b], s.Favourites[a]), cmp.Compare(a, b))
	}) {
		r.ids = append(r.ids, c.ID(arm))
		r.Favourites[c.ID(arm)] = s.Favourites[arm]
	}
	return r
}

func newReport(c *Command, own Instance, instance simulate.Instance, runs []simulate.Run) *report {
	summary := simulate.Summarise(runs)
	best, gap := instance.Best()
	r := &report{
		Strategy: c.Strategy, Runs: summary.Runs, Stopped: summary.Stopped, Limited: summary.Runs - summary.Stopped,
		Correct: summary.Correct, Certified: summary.Certified, Wrong: summary.Wrong,
		Majority: summary.ByMajority, Beaten: summary.MajorityWrong, Doubtful: summary.Doubtful, Cyclic: summary.Cyclic,
		Differ: summary.SegmentsDiffer, Outside: summary.Outside, Refuted: map[string]int{}, Share: map[string]float64{},
		Best: instance.Catalogue.ID(best), Gap: gap,
		limit: c.limit(), budget: c.Budget, majority: c.Assume == string(strategy.Majority),
		title: fmt.Sprintf("%s on %s, K = %d, δ = %g, %s crowd", c.Strategy, own.Name, c.arms(), c.Delta, c.Crowd),
	}
	for check, runs := range summary.By {
		r.Refuted[check.String()] = runs
	}
	for _, arm := range listed(instance.Catalogue, summary.Share) {
		id := instance.Catalogue.ID(arm)
		r.ids = append(r.ids, id)
		r.Share[id] = summary.Share[arm]
	}
	for _, s := range summary.Segments {
		r.Segments = append(r.Segments, newSegmentReport(s, instance.Catalogue))
	}
	if c.Budget > 0 {
		r.Budget = &budgetReport{Spread: summary.CertifiedEpsilon, Stated: summary.Stated, Holds: summary.Holds}
		if r.Budget.Stated > 0 {
			r.Budget.People = statement.People(r.Budget.Mean)
		}
	}
	if c.Leaderboard || c.JSON {
		r.Ranked, r.Covered = summary.Ranked, summary.Covered
	}
	if summary.Runs > 0 {
		r.Questions, r.People, r.named = &summary.Questions, &summary.People, instance.Chosen != nil
		r.setLast(own, instance, runs[len(runs)-1], c.Leaderboard || c.JSON)
	}
	return r
}

// setLast adds what is reported of the last run only.
func (r *report) setLast(own Instance, instance simulate.Instance, last simulate.Run, leaderboard bool) {
	for _, arm := range last.Top {
		r.Top = append(r.Top, instance.Catalogue.ID(arm))
	}
	if own.Encoding != nil && last.Theta != nil {
		truth := own.Encoding.Effects(own.Theta)
		for i, e := range own.Encoding.Effects(last.Theta) {
			r.Effects = append(r.Effects, effectReport{e, truth[i].Utility})
		}
	}
	if !leaderboard {
		return
	}
	for _, rank := range last.Leaderboard {
		share := rank.Share()
		r.Leaderboard = append(r.Leaderboard, rankReport{
			Arm: instance.Catalogue.ID(rank.Arm), Utility: rank.Utility, Low: rank.Low, High: rank.High,
			Share: share.Estimate, ShareLow: share.Low, ShareHigh: share.High, First: rank.First, Last: rank.Last,
			True: instance.Lead(rank.Arm, last.Leader, last.Assumption),
		})
	}
}

// listed returns all arms. Of very many arms, or of profiles, it returns the arms that were shown, most often first.
func listed(c *choice.Catalogue, share map[int]float64) []int {
	const fewArms = 1000
	if len(share) == 0 {
		return nil
	}
	if n := c.Len(); n <= fewArms && c.Product() == nil {
		return choice.UpTo(n)
	}
	return slices.SortedFunc(maps.Keys(share), func(a, b int) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), cmp.Compare(a, b))
	})
}

func (r *report) setAssumptions(a evidence.Assumptions) {
	r.guarantee = a.String()
	r.Assumptions = &assumptions{
		Hold: a.Hold(), KappaUsed: a.KappaUsed, Kappa: a.Kappa, LambdaTilde: a.LambdaTilde, LambdaMin: a.LambdaMin,
	}
	if a.Needed <= math.MaxFloat64 {
		r.Assumptions.Needed = &a.Needed
	}
}

func (r *report) text() string {
	var t command.Text
	t.Printf("%s\n\n", r.title)
	t.Row("runs", "%d, %d stopped by their own rule, %d with a best arm (%s, gap %.3g)",
		r.Runs, r.Stopped, r.Correct, terminal.Visible(r.Best), r.Gap)
	if r.Limited > 0 && r.Budget == nil {
		t.Row("limit", "%d of %d runs ended undecided at the limit of %d questions (--max-questions)", r.Limited, r.Runs, r.limit)
	}
	if q := r.Questions; q != nil {
		t.Row("questions", "%.0f ± %.0f (sd %.0f, from %.0f to %.0f)", q.Mean, q.SE, q.SD, q.Min, q.Max)
		r.addShares(&t)
	}
	if r.Strategy == certified {
		r.addCertified(&t)
	}
	label := "effects"
	for _, e := range r.Effects {
		t.Row(label, "%s (in truth %s)", terminal.Visible(e.String()), strings.ReplaceAll(fmt.Sprintf("%+.3g", e.True), "-", "−"))
		label = ""
	}
	r.addLeaderboard(&t)
	if r.guarantee != "" {
		t.Row("bound", "%s", r.guarantee)
	}
	t.Row("time", "%.1f s", r.Seconds)
	return t.String()
}

// addCertified adds what runs of racing certify.
func (r *report) addCertified(t *command.Text) {
	t.Row("certified", "%d, of these %d with another arm", r.Certified, r.Wrong)
	if p := r.People; r.named {
		t.Row("majority", "%d certified by majority; %d of all certified arms lose to another by more than ε", r.Majority, r.Beaten)
		if r.Doubtful > 0 {
			t.Row("doubtful", "%d certified runs, because people drift, leave or skip by what they choose, or slates differ from pairs",
				r.Doubtful)
		}
		t.Row("people", "%.0f ± %.0f (from %.0f to %.0f)", p.Mean, p.SE, p.Min, p.Max)
	}
	if r.Cyclic > 0 {
		t.Row("cyclic", "%d runs certify that there is no favourite", r.Cyclic)
	}
	if len(r.Top) > 0 {
		t.Row("top", "%s in the last run", terminal.Visible(strings.Join(r.Top, ", ")))
	}
	switch b := r.Budget; {
	case b == nil:
	case b.Stated == 0:
		t.Row("budget", "%d answers; no run states a certified ε", r.budget)
	default:
		t.Row("budget", "%d answers; certified ε %.3f ± %.3f (from %.3f to %.3f) in %d of %d runs, and it holds in %d: "+
			"at the mean, no single other arm is chosen over the leader by more than %d of 100 people",
			r.budget, b.Mean, b.SE, b.Min, b.Max, b.Stated, r.Runs, b.Holds, b.People)
	}
	for _, s := range r.Segments {
		var text command.Text
		text.Printf("%s: certified in %d of %d runs", s.Segment, s.Certified, r.Runs)
		for _, id := range s.ids {
			text.Printf(", %s %d", id, s.Favourites[id])
		}
		t.Row("segment", "%s", terminal.Visible(text.String()))
	}
	if len(r.Segments) > 0 {
		t.Row("differ", "%d runs certify that no arm is the favourite of all segments", r.Differ)
	}
	if o := r.Outside; o != nil {
		t.Row("none", "%.3g arms are certified to be better than none of them and %.3g worse, on average; "+
			"the leader in %d runs; %d runs are wrong about one", o.Better, o.Worse, o.Leader, o.Wrong)
	}
	if !r.majority {
		t.Row("model", "%s", r.model())
	}
}

// addShares adds how often arms were shown, in one line, or one line per arm if their ids are lists.
func (r *report) addShares(t *command.Text) {
	const maxArms, maxLines = 12, 4
	lists := slices.ContainsFunc(r.ids, func(id string) bool { return strings.Contains(id, ", ") })
	shown := r.ids[:min(len(r.ids), maxArms)]
	if lists {
		shown = r.ids[:min(len(r.ids), maxLines)]
	}
	var texts []string
	for _, id := range shown {
		texts = append(texts, fmt.Sprintf("%s %.3f", terminal.Visible(id), r.Share[id]))
	}
	if more := len(r.ids) - len(shown); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	if !lists {
		texts = []string{strings.Join(texts, " ")}
	}
	label := "share"
	for _, text := range texts {
		t.Row(label, "%s", text)
		label = ""
	}
}

// addLeaderboard adds one line for each of the best arms.
func (r *report) addLeaderboard(t *command.Text) {
	const maxRanks = 20
	if len(r.Leaderboard) == 0 {
		return
	}
	t.Row("ranks", "all intervals and ranks hold in %d of %d runs; the last run:", r.Covered, r.Ranked)
	for _, rank := range r.Leaderboard[:min(len(r.Leaderboard), maxRanks)] {
		ranks := strconv.Itoa(rank.First)
		if rank.Last > rank.First {
			ranks = fmt.Sprintf("%d to %d", rank.First, rank.Last)
		}
		t.Row("", "%-8s %s: utility %s (%s to %s, in truth %s), share against the leader %.0f%% (%.0f%% to %.0f%%)",
			ranks, terminal.Visible(rank.Arm), signed(rank.Utility), signed(rank.Low), signed(rank.High), signed(rank.True),
			100*rank.Share, 100*rank.ShareLow, 100*rank.ShareHigh)
	}
	if more := len(r.Leaderboard) - maxRanks; more > 0 {
		t.Row("", "and %d more", more)
	}
}

// signed formats a difference in utility.
func signed(x float64) string {
	text := fmt.Sprintf("%+.2f", x)
	if text == "-0.00" || text == "+0.00" {
		return "0.00"
	}
	return strings.ReplaceAll(text, "-", "−")
}

// model returns in words in how many runs the answers refuted the model, and by which check.
func (r *report) model() string {
	var by []string
	for _, check := range checks.All() {
		if runs := r.Refuted[check.String()]; runs > 0 {
			by = append(by, fmt.Sprintf("%s %d", check, runs))
		}
	}
	if by == nil {
		return "the answers fit it in all runs"
	}
	return "refuted by the answers in some runs: " + strings.Join(by, ", ")
}

// majorityGuarantee returns in words what a certificate by majority says, and what it assumes.
func (c *Command) majorityGuarantee() string {
	over, people, assumed := "the certified one", "people", "none of them is fake"
	if c.top() > 1 {
		over = "one of the certified ones"
	}
	if c.Fakes > 0 {
		assumed = fmt.Sprintf("at most %d of them are fake", c.Fakes)
	}
	ranked := c.Picks
	if c.BestWorst && c.arms() == 3 {
		ranked = 2
	}
	switch {
	case ranked < c.arms()-1:
		people = "people who pick one of the two, in the questions as they were asked,"
	case c.Outside || c.Ties:
		people = "people who choose one of the two"
	}
	if ranked > 1 && ranked >= c.arms()-1 {
		assumed += ", a third arm does not make people rank a rival below the certified arm"
	}
	return fmt.Sprintf("a single other arm is chosen over %s by more than %d of 100 %s with probability at most %g, "+
		"however often one looks, if people are drawn at random, %s, and which questions they answer does not depend on what they choose",
		over, statement.People(c.Epsilon), people, c.Delta, assumed)
}

// addGuarantee adds to the report under which assumptions the verdicts hold, and where the paper's
// bound makes them, whether they do.
func (c *Command) addGuarantee(report *report, experiment simulate.Experiment, runs []simulate.Run) {
	switch c.Strategy {
	case certified:
		if c.Assume == string(strategy.Majority) {
			report.guarantee = c.majorityGuarantee()
			break
		}
		model := "one softmax linear in the features"
		if !c.offer().IsPlain() {
			model = "the softmax of what is offered, linear in the features"
		}
		if len(c.Model) > 0 {
			model += ", with " + strings.Join(c.Model, " and ")
		}
		report.guarantee = fmt.Sprintf("wrong by more than ε = %g with probability at most %g, however often one looks, "+
			"if picks follow %s and whether an answer arrives does not depend on it", c.Epsilon, c.Delta, model)
	case pairsOnly:
		report.guarantee = "assumptions hold: no (the questions depend on the answers)"
	case rageGLM:
		report.guarantee = fmt.Sprintf("wrong with probability at most %g if κ = %g is at most σ'(x'θ*) for every pair; "+
			"that is not checked",
			c.Delta, min(c.Kappa, 0.25))
	case topTwo:
		report.guarantee = "no guarantee"
	case traceTheBest:
		report.guarantee = fmt.Sprintf("wrong by more than ε = %g with probability at most %g if picks follow a Plackett–Luce model",
			c.Epsilon, c.Delta)
	}
	arms := experiment.Instance.Catalogue
	for i := len(runs) - 1; i >= 0 && report.guarantee == ""; i-- {
		bound := evidence.PaperBound{Dim: arms.Dim(), Arms: arms.Len(), Delta: c.Delta, Kappa: c.Kappa}
		if a, ok := experiment.Assumptions(runs[i], bound); ok {
			report.setAssumptions(a)
		}
	}
}
