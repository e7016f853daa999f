package api_test

import (
	"testing"

	"bestpick/wire"
)

// priorAnswers are recorded answers about fruits, with a ranking and a skipped question.
const priorAnswers = "kind,shown_1,shown_2,shown_3,pick_1,pick_2\nanswered,apple,pear,plum,pear,plum\nskipped,apple,pear,plum,,\nanswered,lemon,cherry,quince,cherry,\n"

// TestPrior sets, replaces and removes the prior of a draft.
func TestPrior(t *testing.T) {
	s := begin(t, setting{idle: true})
	ctx, draft := t.Context(), s.draft(quick())
	id := draft.ID
	has := func(want int) wire.Study {
		t.Helper()
		read, err := s.owner.Study(ctx, id)
		s.must(err)
		if read.Prior != want {
			t.Errorf("the prior has %d choices, want %d", read.Prior, want)
		}
		return read
	}
	has(0)
	set, err := s.owner.SetPrior(ctx, id, draft.Version, file("answers.csv", priorAnswers))
	s.must(err)
	if set != (wire.Prior{Choices: 3}) {
		t.Errorf("%+v", set)
	}
	_, err = s.owner.SetPrior(ctx, id, draft.Version, file("answers.csv", priorAnswers))
	s.refused(err, 412, wire.Changed, "")
	settings := wire.Settings{K: 2} // defaults depend on the prior
	changed, err := s.owner.Change(ctx, id, has(3).Version, wire.Change{Settings: &settings})
	s.must(err)
	if changed.Prior != 3 || changed.Settings.K != 2 || changed.Settings.Assume != "linear" || *changed.Settings.Fallback != 0 {
		t.Errorf("%+v", changed)
	}
	for _, settings := range []wire.Settings{{Assume: "majority"}, {Assume: "linear", Fallback: new(0.25)}} {
		_, err = s.owner.Change(ctx, id, changed.Version, wire.Change{Settings: &settings})
		s.refused(err, 422, wire.Invalid, "body.settings")
	}
	_, err = s.owner.Import(ctx, id, "", file("answers.csv", "shown_1,shown_2,pick_1\napple,pear,pear\n"))
	s.refused(err, 422, wire.Invalid, "body.answers")
	_, err = s.owner.SetPrior(ctx, id, 0, file("answers.jsonl", `{"shown":["apple","pear"],"picks":["pear"]}`))
	s.must(err)
	has(1)
	_, err = s.owner.RemovePrior(ctx, id)
	s.must(err)
	has(0)
	_, err = s.owner.Open(ctx, id)
	s.must(err)
	_, err = s.owner.SetPrior(ctx, id, 0, file("answers.csv", priorAnswers))
	s.refused(err, 409, wire.Started, "")
	_, err = s.owner.RemovePrior(ctx, id)
	s.refused(err, 409, wire.Started, "")
}
