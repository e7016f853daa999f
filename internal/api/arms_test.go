package api_test

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestWithdrawAnyID: any arm can be withdrawn, whatever its ID, as long as enough arms are left for
// a question.
func TestWithdrawAnyID(t *testing.T) {
	s := begin(t, setting{idle: true})
	ids := []string{"a/b", "a b", "..", ".", "?x=1#y", "%2F", "ü", `"quoted"`, "keep1", "keep2", "keep3"}
	var text strings.Builder
	rows := csv.NewWriter(&text)
	s.must(rows.Write([]string{"id", "x"}))
	for i, id := range ids {
		s.must(rows.Write([]string{id, strconv.Itoa(i * i)}))
	}
	rows.Flush()
	study := s.draft(quick())
	replaced, err := s.owner.ReplaceArms(t.Context(), study.ID, study.Version, file("arms.csv", text.String()), nil)
	s.must(err)
	if replaced.Study.Arms != len(ids) {
		t.Fatalf("the study has %d arms", replaced.Study.Arms)
	}
	for i, id := range ids[:8] {
		after, err := s.owner.Withdraw(t.Context(), study.ID, id)
		if err != nil || after.Withdrawn != i+1 {
			t.Errorf("%q: %+v, %v", id, after, err)
		}
	}
	page, err := s.owner.Arms(t.Context(), study.ID, "")
	s.must(err)
	for i, arm := range page.Arms {
		if arm.Withdrawn != (i < 8) {
			t.Errorf("%s is withdrawn: %v", arm.ID, arm.Withdrawn)
		}
	}
	_, err = s.owner.Withdraw(t.Context(), study.ID, "keep1")
	s.refused(err, 422, wire.Invalid, "body.arm")
	_, err = s.owner.Withdraw(t.Context(), study.ID, "kiwi")
	s.refused(err, 422, wire.Invalid, "body.arm")
}

// TestArmsThatCannotChange: if arms cannot be added or withdrawn, the problem names the field of
// the request.
func TestArmsThatCannotChange(t *testing.T) {
	s := begin(t, setting{idle: true})
	clicks := quick()
	clicks.Model = &wire.Model{Clicks: true}
	study := s.open(clicks)
	_, err := s.owner.AddArms(t.Context(), study.ID, 0, file("more.csv", "id,sweet,sour\nfig,1,2\n"), nil)
	s.refused(err, 422, wire.Invalid, "body.catalogue")
	_, err = s.owner.Withdraw(t.Context(), study.ID, "apple")
	s.refused(err, 422, wire.Invalid, "body.arm")
	few := s.draft(quick())
	_, err = s.owner.ReplaceArms(t.Context(), few.ID, few.Version, file("arms.csv", "id,x\na,1\nb,2\n"), nil)
	s.refused(err, 422, wire.Invalid, "body.catalogue")
}
