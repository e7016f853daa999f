package api

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
	"bestpick/wire"
)

func (a *api) registerResults() {
	register(a, operation(
		"verdict", "GET "+oneStudy+"/verdict", tagResults, access.Viewer, "Read the verdict",
		"The current result: the leader, what is proven about it, and on how many people and answers it rests.",
	), func(ctx context.Context, in *ReadPath) (*readReply[wire.Verdict], error) {
		verdict, err := a.verdict(ctx, in.Study)
		return unlessKnown(*in, hashTag(verdict), verdict), err
	})
	register(a, operation(
		"contenders", "GET "+oneStudy+"/contenders", tagResults, access.Viewer,
		"List the arms that may still be best, closest to the leader first",
		"With the evidence against each of them. Others is the number of arms that are not listed.",
	), func(ctx context.Context, in *ReadPath) (*readReply[wire.Contenders], error) {
		verdict, err := a.verdict(ctx, in.Study)
		contenders := wire.Contenders{Contenders: verdict.Contenders, Others: verdict.Others}
		return unlessKnown(*in, hashTag(contenders), contenders), err
	})
	register(a, operation(
		"leaderboard", "GET "+oneStudy+"/leaderboard", tagResults, access.Viewer,
		"Rank the arms, with intervals and ranges of ranks",
		"Without ranks where the verdict has no leaderboard.",
	), func(ctx context.Context, in *StudyPath) (*reply[wire.Leaderboard], error) {
		verdict, err := a.verdict(ctx, in.Study)
		if verdict.Leaderboard == nil {
			return &reply[wire.Leaderboard]{wire.Leaderboard{Ranks: []wire.Rank{}}}, err
		}
		return &reply[wire.Leaderboard]{*verdict.Leaderboard}, err
	})
}

func (a *api) verdict(ctx context.Context, id string) (wire.Verdict, error) {
	progress, err := a.studies.Overview.Progress(ctx, id)
	if err != nil {
		return wire.Verdict{}, err
	}
	return verdictOf(ctx, a.studies, progress)
}

func verdictOf(ctx context.Context, studies *wiring.Service, p overview.Progress) (wire.Verdict, error) {
	arms, err := studies.Live.ArmsWith(ctx, p.Study, p.Verdict.Arms()...)
	if err != nil {
		return wire.Verdict{}, err
	}
	return writeVerdict(p, arms, studies.Live.Cards(p.Study, arms)), nil
}

// writeVerdict returns a verdict over arms, with the cards of the arms that it names.
func writeVerdict(p overview.Progress, arms *archive.Catalogue, card func(arm int) archive.Card) wire.Verdict {
	v, settings, forecast := p.Verdict, p.Study.Settings.Strategy, p.Verdict.Forecast.Shown(p.Verdict.Answered)
	w := wire.Verdict{
		State: string(p.Study.State), Reason: string(p.Study.Reason), Status: v.Status, Contenders: []wire.Contender{},
		Others:     v.Others,
		Assumption: string(v.Assumption), Answers: v.Answered, Misfits: []wire.Misfit{},
		Respondents: v.Respondents, Answering: v.Answering, Arrived: v.Arrived, Finished: v.Finished,
		Guiding: v.Guiding, Erased: v.Erased, ByHand: v.ByHand, From: v.From, Until: v.Until,
		Partial: v.Partial, Missing: v.Missing, Withstands: v.Withstands, FirstChoice: v.FirstChoice,
		Delta: settings.Delta, Epsilon: settings.Epsilon,
		Forecast: writeForecast(forecast),
		Model: wire.Fit{
			Status: v.Model.Status.String(), Sentence: v.Model.Sentence, Remedy: v.Model.Remedy, Evidence: v.Model.Evidence,
		},
		Plan: p.Plan, At: p.At, Digest: v.Digest,
	}
	for _, g := range p.Groups {
		w.Groups = append(w.Groups, wire.Group(g))
	}
	if p.Uncounted > 0 {
		w.Counting = &wire.Counting{Counted: p.Counted(), Total: p.Counted() + p.Uncounted}
	}
	if v.Model.Sentence != "" {
		w.Model.Check = v.Model.Check.String()
	}
	facts := statement.FactsOf(p, func(arm int) string { return statement.ArmName(arms, card(arm)) })
	w.Sentence, w.Statement = statement.Sentence(facts), statement.Claim(facts)
	for i, d := range v.Doubts {
		doubt := wire.Doubt{Kind: d.About, Chosen: d.Chosen, Otherwise: d.Otherwise, People: d.People, Text: facts.Doubts[i].Text()}
		if d.About != strategy.FewPeople {
			doubt.Arm, doubt.Rival = new(writeArm(card(d.Arm))), new(writeArm(card(d.Rival)))
		}
		w.Doubts = append(w.Doubts, doubt)
	}
	w.Signs = writeSigns(v.Signs, facts.Signs)
	nameArms(&w, v, card)
	w.EpsilonCertified = v.CertifiedEpsilon
	w.Leaderboard = writeLeaderboard(v, card)
	w.Segments, w.SegmentsDiffer = writeSegments(v.Segments, card), v.SegmentsDiffer
	w.Evidence, w.Threshold = p.Evidence()
	elimination := p.Elimination(arms.Arms)
	w.Rivals, w.Eliminated, w.Progress = elimination.Rivals, elimination.Eliminated, v.Progress
	return w
}

// writeSigns returns signs of fraud with the warnings.
func writeSigns(s study.Signs, warnings []study.Sign) wire.Signs {
	w := wire.Signs{
		Timed: s.Timed, Fast: s.Fast, People: s.People, Crowded: s.Crowded, Largest: s.Largest, Straight: s.Straight, Burst: s.Burst,
	}
	for _, sign := range warnings {
		w.Warnings = append(w.Warnings, wire.Sign{
			Kind: sign.Kind, Some: sign.Some, All: sign.All, Counted: sign.Counted, Text: statement.SignText(sign),
		})
	}
	return w
}

// nameArms adds the arms that a verdict names.
func nameArms(w *wire.Verdict, v study.Verdict, card func(arm int) archive.Card) {
	if v.HasLeader() {
		w.Leader = new(writeArm(card(v.Leader)))
	}
	if v.Proven.Share > 0 {
		w.Proven = &wire.Proven{Arm: writeArm(card(v.Proven.Arm)), Share: v.Proven.Share}
	}
	for _, c := range v.Contenders {
		w.Contenders = append(w.Contenders, wire.Contender{
			Arm: writeArm(card(c.Arm)), Evidence: c.Evidence, Lead: c.Lead, Low: c.Low, High: c.High, Chosen: c.Chosen,
			Compared: c.Compared,
		})
	}
	for _, m := range v.Misfits {
		w.Misfits = append(w.Misfits, wire.Misfit{Arm: writeArm(card(m.Arm)), Picked: m.Picked, Expected: m.Expected})
	}
	if len(v.Top) > 0 {
		w.Top = writeArms(v.Top, card)
	}
	w.Cycle = writeArms(v.Cycle, card)
	if v.Outside.Offered {
		w.Outside = &wire.Outside{Better: writeArms(v.Outside.Better, card), Worse: writeArms(v.Outside.Worse, card)}
	}
}

// writeLeaderboard returns a leaderboard, nil without one.
func writeLeaderboard(v study.Verdict, card func(arm int) archive.Card) *wire.Leaderboard {
	if v.Leaderboard == nil {
		return nil
	}
	written := &wire.Leaderboard{Answers: v.Leaderboard.Answers}
	for _, r := range v.Leaderboard.Ranks {
		share := r.Share()
		written.Ranks = append(written.Ranks, wire.Rank{
			Arm: writeArm(card(r.Arm)), Utility: r.Utility, Low: r.Low, High: r.High,
			Share: share.Estimate, ShareLow: share.Low, ShareHigh: share.High, First: r.First, Last: r.Last,
			Out: v.IsOut(r.Arm),
		})
	}
	return written
}

// writeSegments returns the verdicts about segments, nil without segments.
func writeSegments(all []strategy.SegmentVerdict, card func(arm int) archive.Card) []wire.SegmentVerdict {
	var written []wire.SegmentVerdict
	for _, s := range all {
		w := wire.SegmentVerdict{
			Segment: s.Segment, Status: s.Status.String(), Contenders: []wire.Arm{}, Others: s.Others,
			Respondents: s.Respondents, Answers: s.Answered, Forecast: writeForecast(s.Forecast.Shown(s.Answered)),
		}
		if named := writeArms(s.Contenders, card); len(named) > 0 {
			w.Leader, w.Contenders = &named[0], named[1:]
		}
		written = append(written, w)
	}
	return written
}

func writeForecast(f strategy.Forecast) wire.Forecast {
	return wire.Forecast{Known: f.Known, Median: f.Median, Low: f.Low, High: f.High, Hopeless: f.Hopeless, Epsilon: f.Epsilon}
}

func (a *api) registerJudges() {
	register(a, operation(
		"judges", "GET "+oneStudy+"/judges", tagResults, access.Owner, "Compare the respondents with one another",
		"Reports how much judges agree, how closely each follows the consensus of all others, and which ones seem "+
			"to answer at random. Computed on request from the last 100,000 outcomes, which can take seconds.",
	), func(ctx context.Context, in *StudyPath) (*reply[wire.Judges], error) {
		judges, err := a.studies.Overview.Judges(ctx, in.Study)
		if err != nil {
			return nil, err
		}
		return &reply[wire.Judges]{a.writeJudges(judges)}, nil
	})
}

func (a *api) writeJudges(j *overview.Judges) wire.Judges {
	w := wire.Judges{
		Answers: j.Answers, Agreement: j.Agreement, Expected: j.Expected, Error: overview.JudgesError, Unjudged: j.Unjudged,
		Judges: []wire.Judge{}, Estimates: []wire.Estimate{},
	}
	for _, r := range j.Judges {
		w.Judges = append(w.Judges, wire.Judge{
			Respondent: r.Name, Kind: j.Kind(r.Name).String(), Answers: r.Answers, Agreement: r.Agreement, Expected: r.Expected,
			Chance: r.Chance,
			Scale:  r.Scale, ScaleError: min(r.Error, math.MaxFloat64), P: r.P, Random: r.Random,
		})
	}
	card := a.studies.Live.Cards(j.Study, j.Arms)
	for arm, utility := range j.Utilities {
		w.Estimates = append(w.Estimates, wire.Estimate{Arm: writeArm(card(arm)), Utility: utility, Error: j.Errors[arm]})
	}
	slices.SortStableFunc(w.Estimates, func(x, y wire.Estimate) int { return cmp.Compare(y.Utility, x.Utility) })
	return w
}
