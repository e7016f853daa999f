package api_test

import (
	"bytes"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/internal/study/replay"
	"bestpick/wire"
)

// TestStudy runs a study from its creation to the verdict, over HTTP.
func TestStudy(t *testing.T) {
	s := begin(t, setting{})
	created, err := s.owner.Create(t.Context(), client.NewStudy{
		Name: "Fruits", Prompt: "Which one?", Settings: linear(wire.Settings{K: 3, Grace: -1, Delta: 1e-3, Each: 1000}),
		Catalogue: file("fruits.csv", fruits),
	})
	s.must(err)
	made := created.Study
	if made.State != "draft" || made.Arms != 6 || made.Name != "Fruits" || made.Prompt != "Which one?" || made.Settings.Delta == 0 ||
		made.Settings.Seed == 0 || made.Version != 1 || made.Link != "/s/"+made.ID {
		t.Errorf("a new study is %+v", made)
	}
	_, err = s.respondent.Ask(t.Context(), made.ID, wire.Ask{})
	s.refused(err, 409, wire.StudyDraft, "")
	before := s.verdict(made.ID)
	if before.Status != "asking" || before.Leader != nil || before.Plan != 0 || len(before.Contenders) != 0 {
		t.Errorf("before the first plan the verdict is %+v", before)
	}
	s.eliminated(before, 0, 5)
	_, err = s.owner.Open(t.Context(), made.ID)
	s.must(err)
	first := s.ask(made.ID, "anna")
	if len(first.Arms) != 3 || first.Picks != 1 || first.Prompt != "Which one?" || first.Respondent != "anna" || first.Each != 1000 {
		t.Errorf("the first question is %+v", first)
	}
	for _, arm := range first.Arms {
		if arm.Label == "" || len(arm.Attributes) != 2 || arm.Attributes[0].Name != "sweet" {
			t.Errorf("an arm is shown as %+v", arm)
		}
	}
	s.crowd(made.ID, 6, 400)
	verdict := s.verdict(made.ID)
	if verdict.State != "done" || verdict.Reason != "certified" || verdict.Status != "certified" || verdict.Leader.ID != "cherry" ||
		verdict.Evidence < verdict.Threshold {
		t.Errorf("the verdict is %+v", verdict)
	}
	s.eliminated(verdict, 5, 0)
	contenders, err := s.viewer.Contenders(t.Context(), made.ID)
	s.must(err)
	if len(contenders.Contenders) != len(verdict.Contenders) {
		t.Errorf("%d contenders, the verdict has %d", len(contenders.Contenders), len(verdict.Contenders))
	}
	_, err = s.respondent.Ask(t.Context(), made.ID, wire.Ask{})
	s.refused(err, 409, wire.StudyDone, "")
	s.verified(made.ID, verdict)
}

// eliminated checks how far a verdict is.
func (s *stage) eliminated(v wire.Verdict, eliminated, rivals int) {
	s.Helper()
	if v.Eliminated > eliminated || v.Rivals != rivals || (v.Progress == 1) != (rivals == 0) {
		s.Errorf("%d arms are eliminated and %d are rivals, progress %v", v.Eliminated, v.Rivals, v.Progress)
	}
}

// verified checks that the log of a study reproduces its verdict, and that an altered pick is
// detected.
func (s *stage) verified(id string, verdict wire.Verdict) {
	s.Helper()
	text, err := s.respondent.PublicKey(s.Context())
	s.must(err)
	key, err := replay.ParsePublicKey(text)
	s.must(err)
	var export bytes.Buffer
	s.eventually("answers that were received before the end are counted, and the log has the verdict", func() bool {
		export.Reset()
		s.must(s.owner.Export(s.Context(), id, "log", "", &export))
		report, err := replay.VerifySigned(bytes.NewReader(export.Bytes()), key)
		s.must(err)
		last := s.verdict(id)
		return report.Verdict.Digest == last.Digest && report.Verdict.Status == verdict.Status && report.Plans == last.Plan
	})
	altered := strings.Replace(export.String(), `"picks":[1]`, `"picks":[2]`, 1)
	if altered == export.String() {
		s.Fatal("no respondent picked the second arm")
	}
	if _, err := replay.Verify(strings.NewReader(altered)); err == nil {
		s.Error("the verification accepts an altered pick")
	}
}

// TestCounting: while a long import is counted, the verdict reports the progress, and afterwards it
// does not.
func TestCounting(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.open(quick())
	const rows = 6000 // more than one plan counts
	pair := "apple,pear,apple,anna\npear,apple,pear,bert\n"
	_, err := s.owner.Import(t.Context(), study.ID, "",
		file("a.csv", "shown_1,shown_2,pick_1,respondent\n"+strings.Repeat(pair, rows/2)))
	s.must(err)
	before := s.verdict(study.ID)
	if before.Counting == nil || *before.Counting != (wire.Counting{Counted: 0, Total: rows}) {
		t.Errorf("counting: %+v", before.Counting)
	}
	s.plan()
	s.eventually("they are counted", func() bool { return s.verdict(study.ID).Answers == rows })
	if after := s.verdict(study.ID); after.Counting != nil {
		t.Errorf("all answers are counted, but the verdict has %+v", after.Counting)
	}
}
