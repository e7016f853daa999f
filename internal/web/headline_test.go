package web

import (
	"math"
	"testing"
)

// TestHeadline: every state of a study has a sentence.
func TestHeadline(t *testing.T) {
	racing := Facts{State: "open", Status: "asking", Answers: 310, Leader: "B", Others: []string{"C", "F"}, Delta: 0.05, Known: true, Low: 396, High: 911}
	with := func(change func(*Facts)) Facts {
		f := racing
		change(&f)
		return f
	}
	for want, f := range map[string]Facts{
		"B leads; C and F are still possible; about 710 to 1,200 answers in all.":                                 racing,
		"B leads; C is still possible; about 710 to 1,200 answers in all.":                                        with(func(f *Facts) { f.Others = f.Others[:1] }),
		"B leads; C, D and F are still possible; about 710 to 1,200 answers in all.":                              with(func(f *Facts) { f.Others = []string{"C", "D", "F"} }),
		"B leads; 1,002 others are still possible; at least 710 answers in all.":                                  with(func(f *Facts) { f.More, f.High = 1000, 1e15 }),
		"B leads; C and F are still possible; a few more answers.":                                                with(func(f *Facts) { f.Low, f.High = 0, 0.7 }),
		"B leads; C and F are still possible; they may be too close to tell apart.":                               with(func(f *Facts) { f.Hopeless, f.Low, f.High = true, 20_000, math.Inf(1) }),
		"B leads; C and F are still possible; about 710 to 1,200 answers in all. Paused: no questions are asked.": with(func(f *Facts) { f.State = "paused" }),
		"B leads; C and F are still possible; too early to say how many answers it takes.":                        with(func(f *Facts) { f.Known, f.Low, f.High = false, 0, 0 }),
		"B leads; C, E and F are still possible; they may be too close to tell apart.": with(func(f *Facts) {
			f.Others, f.Known, f.Hopeless, f.Low, f.High = []string{"C", "E", "F"}, false, true, 0, 0
		}),
		"No answers count yet.": with(func(f *Facts) { f.Answers = 0 }),
		"B leads; C and F are still possible; at least 710 answers in all. Counting answers: 35,000 of 1,000,000 so far.": with(func(f *Facts) { f.High, f.Counted, f.Total = 0, 35_000, 1_000_000 }),
		"B leads; 2 others are still possible; they may be too close to tell apart.":                                      with(func(f *Facts) { f.Others, f.More, f.Low, f.High = nil, 2, 0, 0 }),
		"No answers count yet. Counting answers: 0 of 1,050 so far.":                                                      with(func(f *Facts) { f.Answers, f.Total = 0, 1050 }),
		"Not open yet. No questions were asked.":                                                                          {State: "draft", Status: "asking"},
		"B is best. Wrong at most once in 20.":                                                                            with(func(f *Facts) { f.State, f.Reason, f.Status, f.Others = "done", "certified", "certified", nil }),
		"B is best, or within 0.2 of the best. Wrong at most once in 13.3.": with(func(f *Facts) {
			f.State, f.Status, f.Epsilon, f.Delta = "done", "certified", 0.2, 0.075
		}),
		"B leads; C and F are still possible. The study was closed before the result was certain.":              with(func(f *Facts) { f.State, f.Reason = "done", "stopped" }),
		"B leads; C and F are still possible. The budget of answers is used up, and the result is not certain.": with(func(f *Facts) { f.State, f.Reason = "done", "spent" }),
		"B leads, but the answers do not fit the model, so nothing can be certified.":                           with(func(f *Facts) { f.State, f.Reason, f.Status = "done", "refuted", "decided" }),
	} {
		if got := Sentence(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHeadlineInGerman: numbers have the German format.
func TestHeadlineInGerman(t *testing.T) {
	l := newLanguages()
	w := words{l.names[1], l.messages[1]}
	got, err := w.Headline(Facts{State: "open", Status: "asking", Answers: 9, Leader: "B", Others: []string{"C"}, Delta: 0.05, Known: true, Low: 1500, High: 22_000})
	if want := "B führt; C ist noch möglich; insgesamt etwa 1.500 bis 22.000 Antworten."; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestNumbers: numbers have separators and a fixed number of decimals.
func TestNumbers(t *testing.T) {
	w := words{messages: newLanguages().messages[0]}
	for want, got := range map[string]string{
		"1,234,567": w.Count(1234567), "999": w.Count(999), "−1.50": w.Number(-1.5, 2), "0.00": w.Number(-0.001, 2), "20": w.Short(20),
		"0.001": w.Short(0.001), "+0.30": w.Signed(0.3), "35\u00a0%": w.Percent(0.35), "1,000,000": w.Short(1e6),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestScale: the ticks of a scale are round numbers.
func TestScale(t *testing.T) {
	for _, test := range []struct {
		high  float64
		marks int
		last  float64
	}{{150, 4, 150}, {1, 3, 1}, {7, 4, 6}, {1e6, 3, 1e6}} {
		marks := scale{0, test.high}.round(4)
		if len(marks) != test.marks || marks[len(marks)-1] != test.last {
			t.Errorf("the ticks up to %v are %v", test.high, marks)
		}
	}
	if marks := (scale{0, 0}).round(4); marks != nil {
		t.Errorf("an empty scale has the ticks %v", marks)
	}
}
