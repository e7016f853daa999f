package overview

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/strategy/racing"
)

// maxJudged is the number of outcomes, the last ones of the log, from which judges are compared.
const maxJudged = 100_000

// JudgesError is the approximate probability that a comparison calls one or more judges random although all follow the consensus.
const JudgesError = 0.05

// Judges compares respondents with one another, those with the most answers first.
type Judges struct {
	checks.JuryReport

	Study    study.Study
	Arms     *archive.Catalogue
	Unjudged int // respondents with too few answers, or beyond the maximum number of judges

	models map[string]bool // respondents whose last answer is that of a model
}

// Kind returns the kind of a respondent, as the last answer says.
func (j *Judges) Kind(respondent string) study.Judge {
	if j.models[respondent] {
		return study.Model
	}
	return study.Person
}

// Judges compares the respondents of a study with one another. It reads the last outcomes of the log twice and fits a model for
// each of up to [checks.MaxJudges] respondents, so it takes a while; its memory does not grow with the study.
func (s *Reader) Judges(ctx context.Context, id string) (*Judges, error) {
	st, err := s.Store.Study(ctx, id)
	if err != nil {
		return nil, err
	}
	window, err := s.window(ctx, id)
	if err != nil {
		return nil, err
	}
	models := map[string]bool{}
	names, unjudged, most, err := window.judges(ctx)
	if err != nil {
		return nil, err
	}
	arms, err := s.Live.ArmsWith(ctx, st, most)
	if err != nil {
		return nil, err
	}
	jury, err := checks.NewJury(arms.Arms, st.Settings.Strategy.Offer, names)
	if err != nil {
		return nil, study.Invalid("study", "judges can be compared in studies with at most 100 arms or 200 features")
	}
	err = window.answers(ctx, func(o study.Outcome) {
		models[o.Respondent] = o.Note.Judge == study.Model
		// an answer that the model cannot count is not compared
		_ = jury.Tell(choice.Answer{Question: o.Shown, Picks: o.Picks, Respondent: o.Respondent})
	})
	if err != nil {
		return nil, err
	}
	judges := &Judges{Study: st, Arms: arms, models: models, Unjudged: unjudged}
	return judges, s.Cores.Use(ctx, replay.Heavy, func(pause func() error) error {
		report, err := jury.Report(JudgesError, pause)
		if err == nil {
			judges.JuryReport = *report
		}
		return err
	})
}

// A window is a part of the log of a study.
type window struct {
	store       study.Outcomes
	id          string
	after, upto int64
	undone      map[study.Position]int64 // the number of the last undo of a question
}

// window returns the last maxJudged outcomes of a study.
func (s *Reader) window(ctx context.Context, id string) (window, error) {
	last, err := s.Store.Length(ctx, id)
	return window{s.Store, id, max(0, last-maxJudged), last, map[study.Position]int64{}}, err
}

// judges returns the names of the respondents with the most answers, the number of the others, and
// the highest number of an arm. It also finds the undos.
func (w window) judges(ctx context.Context) (names []string, others, most int, err error) {
	counts := map[string]int{}
	most = -1
	for o, err := range study.Log(ctx, w.store, w.id, w.after, w.upto) {
		if err != nil {
			return nil, 0, 0, err
		}
		switch o.Kind {
		case study.Undone:
			w.undone[o.Position] = o.Number
		case study.Answered, study.Imported:
			counts[o.Respondent]++
			most = max(most, slices.Max(o.Shown))
		case study.Skipped, study.Lost, study.Arrived, study.Erased:
		}
	}
	delete(counts, "") // unknown respondents
	names = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	judged := names[:min(len(names), checks.MaxJudges)]
	for len(judged) > 0 && counts[judged[len(judged)-1]] < checks.MinJudged {
		judged = judged[:len(judged)-1]
	}
	return judged, len(names) - len(judged), most, nil
}

// answers calls f with the answers that were not undone.
func (w window) answers(ctx context.Context, f func(study.Outcome)) error {
	for o, err := range study.Log(ctx, w.store, w.id, w.after, w.upto) {
		if err != nil {
			return err
		}
		if o.Kind == study.Imported || o.Kind == study.Answered && w.undone[o.Position] < o.Number {
			f(o)
		}
	}
	return nil
}

const (
	refitShare = 32  // a new estimate needs 1/32 more answers than the last one
	maxSteps   = 3e9 // operations of a Newton step: a few seconds
)

// A fitting estimates the part-worths of attribute levels from the counted answers, from time to time.
type fitting struct {
	answers int
	waiting []choice.Answer // not in the tally yet
	tally   *choice.Tally
	theta   []float64
	worths  []encode.PartWorth
	fitted  int // answers in the last estimate
}

// add adds an answer.
func (f *fitting) add(a choice.Answer) {
	f.answers++
	f.waiting = append(f.waiting, choice.Answer{Question: slices.Clone(a.Question), Picks: slices.Clone(a.Picks)})
}

// estimate computes a new estimate, if there are enough new answers and it does not take too long.
// Models with slots, intercepts or segments have no estimate.
func (f *fitting) estimate(arms *archive.Catalogue, settings racing.Settings) {
	d, model := arms.Arms.Dim(), settings.Model
	if model.Slots || model.Intercepts || len(model.Segments) > 0 {
		f.waiting = nil
		return
	}
	if f.answers == 0 || f.answers-f.fitted <= f.fitted/refitShare {
		return
	}
	alternatives := choice.NewAlternatives(arms.Arms, settings.Offer)
	rows := alternatives.Rows()
	if f.tally == nil {
		f.tally = choice.NewTally(rows.Len())
	}
	f.tally.Grow(max(rows.Len(), f.tally.Arms()))
	for _, a := range f.waiting {
		_ = alternatives.Count(f.tally, a) // cannot fail: a plan has counted the answer
	}
	f.waiting = nil
	if float64(f.tally.Distinct())*float64(settings.K)*float64(d)*float64(d) > maxSteps {
		return
	}
	const ridge = 1e-6 // on the mean, so that a maximum always exists
	estimator := choice.Estimator{RidgeOnMean: ridge}
	estimate, err := estimator.Estimate(choice.NewLinear(rows, f.tally))
	if err != nil || slices.ContainsFunc(estimate.Theta, math.IsNaN) {
		return
	}
	f.theta, f.fitted = estimate.Theta[:d], f.answers
	covariance, _ := estimate.Covariance.SliceSym(0, d).(*mat.SymDense) // without the constants of the offer
	f.worths = arms.PartWorths(f.theta, covariance)
}
