package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
)

// TestAlteredRestart: an export after an erasure verifies like others. The fields that say that the
// study restarted cannot be altered, and no answer passes for an erased one.
func TestAlteredRestart(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 3, 5)
	s.Erase(service, "r1")
	s.Pass(time.Second)
	s.Work(service, planner, 1, 5)
	var text bytes.Buffer
	s.Must(replay.Export(t.Context(), s.Store, id, &text))
	export, plan, log := text.String(), s.Plans()[0], s.Outcomes()
	if report, err := replay.Verify(strings.NewReader(export)); err != nil || report.Plans != len(s.Plans()) || report.Verdict.Answered != 17 {
		t.Fatalf("%+v, %v", report, err)
	}
	answer := log[0]
	begun := fmt.Sprintf(`"afresh":{"arms":8,"seed":%d}`, plan.Restart.Seed)
	for name, c := range map[string]struct{ old, new string }{
		"no plan before":       {begun + ",", ""},
		"more arms at first":   {begun, strings.Replace(begun, "8", "9", 1)},
		"fewer arms at first":  {begun, strings.Replace(begun, "8", "7", 1)},
		"another seed":         {begun, `"afresh":{"arms":8,"seed":1}`},
		"another position":     {fmt.Sprintf(`"first":%d`, plan.First), fmt.Sprintf(`"first":%d`, plan.First+1)},
		"another number":       {fmt.Sprintf(`"plan":{"number":%d`, plan.Number), fmt.Sprintf(`"plan":{"number":%d`, plan.Number+1)},
		"afresh in the middle": {fmt.Sprintf(`"plan":{"number":%d`, plan.Number+1), fmt.Sprintf(`"plan":{"number":%d,%s`, plan.Number+1, begun)},
		"an answer less":       {fmt.Sprintf(`"number":%d,"position":%d,"kind":"answered"`, answer.Number, answer.Position), fmt.Sprintf(`"number":%d,"position":%d,"kind":"erased"`, answer.Number, answer.Position)},
	} {
		altered := strings.Replace(export, c.old, c.new, 1)
		_, err := replay.Verify(strings.NewReader(altered))
		if _, wrong := errors.AsType[*replay.ExportError](err); !wrong || altered == export {
			t.Errorf("%s: %v", name, err)
		}
	}
}
