package api_test

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/wire"
)

// TestArmsComeAndGo: arms are added and withdrawn while people answer, and the best remaining arm
// wins.
func TestArmsComeAndGo(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(quick())
	s.crowd(study.ID, 4, 4)
	added, err := s.owner.AddArms(t.Context(), study.ID, 0, file("more.csv", "id,label,sweet,sour\nmango,A mango,5,1\nfig,A fig,2,-1\n"), nil)
	s.must(err)
	withdrawn, err := s.owner.Withdraw(t.Context(), study.ID, "cherry")
	s.must(err)
	if added.Study.Arms != 8 || withdrawn.Arms != 8 || withdrawn.Withdrawn != 1 || withdrawn.Version <= added.Study.Version {
		t.Errorf("added: %+v, withdrawn: %+v", added.Study, withdrawn)
	}
	again, err := s.owner.Withdraw(t.Context(), study.ID, "cherry")
	if err != nil || again.Version != withdrawn.Version {
		t.Errorf("withdrawn twice: %+v, %v", again, err)
	}
	page, err := s.owner.Arms(t.Context(), study.ID, "")
	s.must(err)
	for _, arm := range page.Arms {
		if arm.Withdrawn != (arm.ID == "cherry") {
			t.Errorf("%s is withdrawn: %v", arm.ID, arm.Withdrawn)
		}
	}
	s.crowd(study.ID, 6, 400)
	verdict := s.verdict(study.ID)
	if verdict.Status != "certified" || verdict.Leader.ID != "mango" || verdict.Eliminated != added.Study.Arms-2 || verdict.Rivals != 0 {
		t.Errorf("the verdict is %s, %+v, %d eliminated and %d rivals", verdict.Status, verdict.Leader, verdict.Eliminated, verdict.Rivals)
	}
	s.verified(study.ID, verdict)
}

// TestAddedArmsAreChecked: invalid arms are rejected, and the study does not change.
func TestAddedArmsAreChecked(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for text, want := range map[string]string{
		"id,sweet,sour\napple,1,2\n": `more.csv:2: an arm "apple" is there already`,
		"id,sweet\nfig,1\n":          "more.csv",
		"id,sweet,sour\nfig,1,red\n": `more.csv:2: column "sour"`,
	} {
		_, err := s.owner.AddArms(t.Context(), study.ID, 0, file("more.csv", text), nil)
		problem := s.refused(err, 422, wire.Invalid, "body.catalogue")
		if !strings.HasPrefix(problem.Errors[0].Message, want) {
			t.Errorf("%q: %q, want %q", text, problem.Errors[0].Message, want)
		}
	}
	if after, err := s.owner.Study(t.Context(), study.ID); err != nil || !reflect.DeepEqual(after, study) {
		t.Errorf("the study is %+v, %v", after, err)
	}
}

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
	_, err = s.owner.Withdraw(t.Context(), study.ID, "keep1")
	s.refused(err, 422, wire.Invalid, "body.arm")
	_, err = s.owner.Withdraw(t.Context(), study.ID, "kiwi")
	s.refused(err, 422, wire.Invalid, "body.arm")
}

// TestNewArmsInOldQuestions: a respondent who waits for a question while arms are added is shown
// the new ones.
func TestNewArmsInOldQuestions(t *testing.T) {
	s := begin(t, setting{idle: true, patience: 10 * time.Second})
	study := s.draft(quick())
	replaced, err := s.owner.ReplaceArms(t.Context(), study.ID, study.Version, file("arms.csv", "id,x\na,1\nb,2\nc,4\n"), nil)
	s.must(err)
	_, err = s.owner.Open(t.Context(), replaced.Study.ID)
	s.must(err)
	waiting := make(chan error)
	go func() {
		var err error
		for n := 0; n < 5 && err == nil; n++ {
			_, err = s.respondent.Ask(t.Context(), study.ID, wire.Ask{Respondent: fmt.Sprint("r", n)})
		}
		waiting <- err
	}()
	time.Sleep(50 * time.Millisecond) // until the respondent waits, probably
	text := strings.Builder{}
	text.WriteString("id,x\n")
	for i := range 60 {
		fmt.Fprintf(&text, "n%d,%d\n", i, i%17)
	}
	_, err = s.owner.AddArms(t.Context(), study.ID, 0, file("more.csv", text.String()), nil)
	s.must(err)
	s.plan()
	s.must(<-waiting)
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
