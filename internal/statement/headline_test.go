package statement

import (
	"math"
	"slices"
	"testing"

	"bestpick/strategy"
)

// TestHeadline: every state of a study has a sentence.
func TestHeadline(t *testing.T) {
	racing := Facts{
		State: "open", Status: "asking", Answers: 310, Leader: "B", Others: []string{"C", "F"}, Delta: 0.05,
		Known: true, Low: 396, High: 911,
	}
	with := func(change func(*Facts)) Facts {
		f := racing
		change(&f)
		return f
	}
	for _, test := range []struct {
		want  string
		facts Facts
	}{
		{"B leads; C and F are still possible; about 710 to 1,200 answers in all.", racing},
		{"B leads; C is still possible; about 710 to 1,200 answers in all.", with(func(f *Facts) { f.Others = f.Others[:1] })},
		{
			"B leads; C, D and F are still possible; about 710 to 1,200 answers in all.",
			with(func(f *Facts) { f.Others = []string{"C", "D", "F"} }),
		},
		{
			"B leads; 1,002 others are still possible; at least 710 answers in all.",
			with(func(f *Facts) { f.More, f.High = 1000, 1e15 }),
		},
		{"B leads; C and F are still possible; a few more answers.", with(func(f *Facts) { f.Low, f.High = 0, 0.7 })},
		{
			"B leads; C and F are still possible; they may be too close to tell apart.",
			with(func(f *Facts) { f.Hopeless, f.Low, f.High = true, 20_000, math.Inf(1) }),
		},
		{
			"B leads; C and F are still possible; about 710 to 1,200 answers in all. Paused: no questions are asked.",
			with(func(f *Facts) { f.State = "paused" }),
		},
		{
			"B leads; C and F are still possible; too early to say how many answers it takes.",
			with(func(f *Facts) { f.Known, f.Low, f.High = false, 0, 0 }),
		},
		{
			"B leads; C, E and F are still possible; they may be too close to tell apart.",
			with(func(f *Facts) {
				f.Others, f.Known, f.Hopeless, f.Low, f.High = []string{"C", "E", "F"}, false, true, 0, 0
			}),
		},
		{"No answers counted yet.", with(func(f *Facts) { f.Answers = 0 })},
		{
			"B leads; C and F are still possible; at least 710 answers in all. Counting answers: 35,000 of 1,000,000 so far.",
			with(func(f *Facts) { f.High, f.Counted, f.Total = 0, 35_000, 1_000_000 }),
		},
		{
			"B leads; 2 others are still possible; too early to say how many answers it takes.",
			with(func(f *Facts) { f.Others, f.More, f.Low, f.High = nil, 2, 0, 0 }),
		},
		{
			"B leads, nearly tied with C; they may be too close to tell apart.",
			with(func(f *Facts) { f.Tied, f.Low, f.High = []string{"C"}, 0, 0 }),
		},
		{"No answers counted yet. Counting answers: 0 of 1,050 so far.", with(func(f *Facts) { f.Answers, f.Total = 0, 1050 })},
		{"Not open yet. No questions have been asked.", Facts{State: "draft", Status: "asking"}},
		{"B leads, nearly tied with C; about 710 to 1,200 answers in all.", with(func(f *Facts) { f.Tied = []string{"C"} })},
		{
			"Not decided within 310 answers. B leads, nearly tied with C and F.",
			with(func(f *Facts) {
				f.State, f.Reason, f.Tied = "done", "spent", []string{"C", "F"}
			}),
		},
		{
			"“A, B or C” leads; “D or E”, F G and “H, I or J” are still possible; about 710 to 1,200 answers in all.",
			with(func(f *Facts) {
				f.Leader, f.Others = "A, B or C", []string{"D or E", "F G", "H, I or J"}
			}),
		},
		{
			"All 3 options are ranked: B, C, F (95% sure).",
			with(func(f *Facts) {
				f.State, f.Status, f.Assumption, f.Ranking, f.Top = "done", "certified", strategy.Linear, true, []string{"B", "C", "F"}
			}),
		},
		{
			"All 12 options are ranked, the first ones B, B, B, B, B, B, B, B, B, B (95% sure).",
			with(func(f *Facts) {
				f.State, f.Status, f.Assumption, f.Ranking, f.Top = "done", "certified", strategy.Linear, true,
					slices.Repeat([]string{"B"}, 12)
			}),
		},
		{
			"No clear favourite: C seems to be chosen over F, F over B, B over C.",
			with(func(f *Facts) { f.Cycle = []string{"B", "F", "C"} }),
		},
		{
			"Closed before it was decided. No clear favourite: C seems to be chosen over F, F over B, B over C.",
			with(func(f *Facts) {
				f.State, f.Reason, f.Cycle = "done", "stopped", []string{"B", "F", "C"}
			}),
		},
		{
			"No clear favourite: in a circle of 6 options, each seems to be chosen over the next.",
			with(func(f *Facts) { f.Cycle = make([]string, 6) }),
		},
		{
			"Closed before it was decided. B leads; C and F are still possible.",
			with(func(f *Facts) { f.State, f.Reason = "done", "stopped" }),
		},
		{
			"Not decided within 310 answers. B leads; C and F are still possible.",
			with(func(f *Facts) { f.State, f.Reason = "done", "spent" }),
		},
		{
			"There is no favourite: for each option there is another one that more than 50 of 100 people choose over it (95% sure).",
			with(func(f *Facts) { f.State, f.Reason, f.Status = "done", "cyclic", "cyclic" }),
		},
		{
			"B leads, but the answers do not fit the model, so nothing can be certified.",
			with(func(f *Facts) { f.State, f.Reason, f.Status = "done", "refuted", "decided" }),
		},
	} {
		if got := englishWords().Headline(test.facts); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestHeadlineInGerman: numbers have the German format.
func TestHeadlineInGerman(t *testing.T) {
	w := Languages()[1]
	got := w.Headline(Facts{
		State: "open", Status: "asking", Answers: 9, Leader: "B", Others: []string{"C"}, Delta: 0.05,
		Known: true, Low: 1500, High: 22_000,
	})
	if want := "B führt; C ist noch möglich; insgesamt etwa 1.500 bis 22.000 Antworten."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNumbers: numbers have separators and a fixed number of decimals.
func TestNumbers(t *testing.T) {
	w := Languages()[0]
	for want, got := range map[string]string{
		"1,234,567": w.Count(1234567), "999": w.Count(999), "−1.50": w.Number(-1.5, 2), "0.00": w.Number(-0.001, 2),
		"20":    w.Short(20),
		"0.001": w.Short(0.001), "35%": w.Percent(0.35), "1,000,000": w.Short(1e6),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSay: placeholders are filled in, and unknown messages are errors.
func TestSay(t *testing.T) {
	w := Words{"xx", map[string]string{"greeting": "{a} and {b}, {a}"}}
	if got, err := w.Say("greeting", "a", 1, "b", "{a}"); err != nil || got != "1 and {a}, 1" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := w.Say("farewell"); err == nil {
		t.Error("an unknown message is no error")
	}
}
