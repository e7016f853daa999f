package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/instances"
	"bestpick/internal/terminal"
	"bestpick/simulate"
	"bestpick/strategy"
)

// simulateReport is the JSON document of `bestpick simulate`, and the content of its text.
type simulateReport struct {
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
	Cyclic    int             `json:"cyclic"`           // runs that certify that there is no favourite
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

	limit int  // of the questions of a run
	named bool // people have names, and runs are complete

	majority bool // what is assumed
	title    string
	ids      []string
	summary  string // of the assumptions
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

func newSimulateReport(c *simulateCommand, own instances.Instance, instance simulate.Instance, runs []simulate.Run) *simulateReport {
	summary := simulate.Summarise(runs)
	best, gap := instance.Best()
	r := &simulateReport{
		Strategy: c.Strategy, Runs: summary.Runs, Stopped: summary.Stopped, Limited: summary.Runs - summary.Stopped, Correct: summary.Correct,
		Certified: summary.Certified, Wrong: summary.Wrong, Majority: summary.ByMajority, Beaten: summary.MajorityWrong, Refuted: map[string]int{},
		Share: map[string]float64{}, Best: instance.Catalogue.ID(best), Gap: gap, limit: c.limit(),
		title: fmt.Sprintf("%s on %s, K = %d, δ = %g, %s crowd", c.Strategy, own.Name, c.arms(), c.Delta, c.Crowd),
	}
	if c.CrowdFrom != "" {
		r.title = fmt.Sprintf("%s on %s, K = %d, δ = %g", c.Strategy, own.Name, c.arms(), c.Delta)
	}
	r.majority = c.Assume == string(strategy.Majority)
	for check, runs := range summary.By {
		r.Refuted[check.String()] = runs
	}
	if summary.Runs > 0 {
		r.Questions, r.People = &summary.Questions, &summary.People
		r.named = instance.Beaten != nil
	}
	for _, arm := range listed(instance.Catalogue, summary.Share) {
		id := instance.Catalogue.ID(arm)
		r.ids = append(r.ids, id)
		r.Share[id] = summary.Share[arm]
	}
	r.Cyclic, r.Differ, r.Outside = summary.Cyclic, summary.SegmentsDiffer, summary.Outside
	for _, s := range summary.Segments {
		r.Segments = append(r.Segments, newSegmentReport(s, instance.Catalogue))
	}
	r.Top = topOf(instance.Catalogue, runs)
	if c.Budget > 0 {
		r.Budget = newBudgetReport(summary, c.Budget)
	}
	if c.Leaderboard || c.JSON {
		r.setLeaderboard(summary, instance, runs)
	}
	if last := len(runs) - 1; own.Encoding != nil && last >= 0 && runs[last].Theta != nil {
		r.setEffects(own, runs[last].Theta)
	}
	return r
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

// printSegments prints the verdicts about segments.
func (r *simulateReport) printSegments(text *strings.Builder) {
	if len(r.Segments) == 0 {
		return
	}
	for _, s := range r.Segments {
		fmt.Fprintf(text, "segment    %s: certified in %d of %d runs", terminal.Visible(s.Segment), s.Certified, r.Runs)
		for _, id := range s.ids {
			fmt.Fprintf(text, ", %s %d", terminal.Visible(id), s.Favourites[id])
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(text, "differ     %d runs certify that no arm is the favourite of all segments\n", r.Differ)
}

// setEffects adds the estimates of the last run, by the names of the catalogue, beside the true values.
func (r *simulateReport) setEffects(own instances.Instance, theta []float64) {
	truth := own.Encoding.Effects(own.Theta)
	for i, e := range own.Encoding.Effects(theta) {
		r.Effects = append(r.Effects, effectReport{e, truth[i].Utility})
	}
}

// An effectReport is an estimated effect and its true value.
type effectReport struct {
	encode.Effect

	True float64 `json:"true"`
}

// listed returns all arms. Of very many arms, or of profiles, it returns the arms that were shown, most often
// first.
func listed(c *choice.Catalogue, share map[int]float64) []int {
	const fewArms = 1000
	if len(share) == 0 {
		return nil
	}
	if n := c.Len(); n <= fewArms && c.Product() == nil {
		all := make([]int, n)
		for arm := range all {
			all[arm] = arm
		}
		return all
	}
	return slices.SortedFunc(maps.Keys(share), func(a, b int) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), cmp.Compare(a, b))
	})
}

func (r *simulateReport) setAssumptions(a evidence.Assumptions) {
	r.summary = a.String()
	r.Assumptions = &assumptions{
		Hold: a.Hold(), KappaUsed: a.KappaUsed, Kappa: a.Kappa, LambdaTilde: a.LambdaTilde, LambdaMin: a.LambdaMin,
	}
	if a.Needed <= math.MaxFloat64 {
		r.Assumptions.Needed = &a.Needed
	}
}

func (r *simulateReport) printText(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\n", r.title)
	fmt.Fprintf(&text, "runs       %d, %d stopped by their own rule, %d with a best arm (%s, gap %.3g)\n", r.Runs, r.Stopped, r.Correct, terminal.Visible(r.Best), r.Gap)
	if r.Limited > 0 && r.Budget == nil {
		fmt.Fprintf(&text, "limit      %d of %d runs ended undecided at the limit of %d questions (--max-questions)\n", r.Limited, r.Runs, r.limit)
	}
	if q := r.Questions; q != nil {
		fmt.Fprintf(&text, "questions  %.0f ± %.0f (sd %.0f, from %.0f to %.0f)\n", q.Mean, q.SE, q.SD, q.Min, q.Max)
		r.printShares(&text)
	}
	if r.Strategy == certified {
		fmt.Fprintf(&text, "certified  %d, of these %d with another arm\n", r.Certified, r.Wrong)
		if r.named {
			fmt.Fprintf(&text, "majority   %d certified by majority; %d of all certified arms lose to another by more than ε\n", r.Majority, r.Beaten)
			fmt.Fprintf(&text, "people     %.0f ± %.0f (from %.0f to %.0f)\n", r.People.Mean, r.People.SE, r.People.Min, r.People.Max)
		}
		if r.Cyclic > 0 {
			fmt.Fprintf(&text, "cyclic     %d runs certify that there is no favourite\n", r.Cyclic)
		}
		printTop(&text, r.Top)
		r.Budget.print(&text, r.Runs)
		r.printSegments(&text)
		if o := r.Outside; o != nil {
			fmt.Fprintf(&text, "none       %.3g arms are certified to be better than none of them and %.3g worse, on average; the leader in %d runs; %d runs are wrong about one\n", o.Better, o.Worse, o.Leader, o.Wrong)
		}
		if !r.majority {
			fmt.Fprintf(&text, "model      %s\n", r.model())
		}
	}
	for i, e := range r.Effects {
		head := "          "
		if i == 0 {
			head = "effects   "
		}
		fmt.Fprintf(&text, "%s %s (in truth %s)\n", head, terminal.Visible(e.String()), strings.ReplaceAll(fmt.Sprintf("%+.3g", e.True), "-", "−"))
	}
	r.printLeaderboard(&text)
	if r.summary != "" {
		fmt.Fprintf(&text, "bound      %s\n", r.summary)
	}
	fmt.Fprintf(&text, "time       %.1f s\n", r.Seconds)
	_, err := io.WriteString(w, text.String())
	return err
}

// printShares prints how often arms were shown, in one line, or one line per arm if their ids are lists.
func (r *simulateReport) printShares(text *strings.Builder) {
	const maxArms, maxLines = 12, 4
	most, between := maxArms, " "
	if slices.ContainsFunc(r.ids, func(id string) bool { return strings.Contains(id, ", ") }) {
		most, between = maxLines, "\n           "
	}
	text.WriteString("share     ")
	for at, id := range r.ids {
		separator := between
		if at == 0 {
			separator = " "
		}
		if at == most {
			fmt.Fprintf(text, "%sand %d more", separator, len(r.ids)-most)
			break
		}
		fmt.Fprintf(text, "%s%s %.3f", separator, terminal.Visible(id), r.Share[id])
	}
	text.WriteString("\n")
}

// model returns in words in how many runs the answers refuted the model, and by which check.
func (r *simulateReport) model() string {
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
