package replay_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
)

// kept returns an exported log that is kept for tests. The logs of version 1 come from older
// programs and must never change. version-2-certified is the export of [certified] without an
// erasure.
func kept(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOlderLogs: logs of older programs still verify, and a note says what they do not prove.
func TestOlderLogs(t *testing.T) {
	for name, c := range map[string]struct {
		reason           study.Reason
		outcomes, plans  int
		signed, complete bool
	}{
		"version-1-certified": {study.Certified, 146, 19, false, false},
		"version-1-erased":    {study.Certified, 183, 21, false, false},
		"version-1-open":      {"", 25, 4, false, false},
		"version-2-certified": {study.Certified, 0, 0, true, true},
	} {
		report, err := replay.Verify(strings.NewReader(kept(t, name)))
		if err != nil || report.Study.Reason != c.reason || c.outcomes > 0 && (report.Outcomes != c.outcomes || report.Plans != c.plans) || report.Leader.Label != "Atlas" {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		notes := strings.Join(report.Notes, " ")
		if strings.Contains(notes, "neither settings nor options") == c.complete || (report.Signer != nil) != c.signed || strings.Contains(notes, "no signature") == c.signed {
			t.Errorf("%s: signed by %v, %q", name, report.Signer, notes)
		}
		_, err = replay.VerifySigned(strings.NewReader(kept(t, name)), make(replay.PublicKey, 32))
		if err == nil {
			t.Errorf("%s: an unknown signer is trusted", name)
		}
	}
}

// TestOlderLogsAltered: alterations that version 1 could detect are still detected, and some more.
func TestOlderLogsAltered(t *testing.T) {
	log := kept(t, "version-1-certified")
	all := lines(log)
	for name, altered := range map[string]string{
		"cut":              strings.Join(all[:len(all)-1], "\n") + "\n",
		"one line":         all[0] + "\n",
		"no verdict":       strings.Replace(log, `"verdict":{"status":"certified"`, `"verdict":null,"x":{"status":"certified"`, 1),
		"null verdict":     strings.Replace(log, all[len(all)-1], parseWithout(all[len(all)-1], "verdict"), 1),
		"state":            strings.Replace(log, `"state":"done"`, `"state":"open"`, 1),
		"reason":           strings.Replace(log, `"reason":"certified"`, `"reason":"spent"`, 1),
		"done":             strings.Replace(log, `"done":"certified"`, `"done":"spent"`, 1),
		"withdrawn":        strings.Replace(log, `"withdrawn":[3]`, `"withdrawn":[2]`, 1),
		"a pick":           strings.Replace(log, `"picks":[0],"respondent":"r`, `"picks":[2],"respondent":"r`, 1),
		"unknown setting":  strings.Replace(log, `"kappa":0.5`, `"kappa2":0.5`, 1),
		"unknown field":    strings.Replace(log, `"kind":"lost"`, `"kind":"lost","note":"x"`, 1),
		"a closing line":   log + `{"closing":{"lines":1}}` + "\n",
		"bytes at the end": log + "x",
	} {
		if _, err := replay.Verify(strings.NewReader(altered)); !located(err) || altered == log {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRetiredSettings: logs of version 2 do not have the settings that only version 1 has.
func TestRetiredSettings(t *testing.T) {
	all := lines(kept(t, "version-2-certified"))
	all = all[:len(all)-1]
	if _, err := replay.Verify(strings.NewReader(signed(all, attacker()))); err != nil {
		t.Error(err)
	}
	first := all[0]
	all[0] = strings.Replace(first, `"seed":1`, `"kappa":0.5,"seed":1`, 1)
	if _, err := replay.Verify(strings.NewReader(signed(all, attacker()))); !located(err) || all[0] == first {
		t.Error(err)
	}
}

// parseWithout returns a plan's line without one of its members.
func parseWithout(line, name string) string {
	root := parseTree(line)
	plan := root.parts[0]
	for i := range plan.names {
		if plan.names[i] == name {
			plan.names, plan.parts = append(plan.names[:i:i], plan.names[i+1:]...), append(plan.parts[:i:i], plan.parts[i+1:]...)
			break
		}
	}
	return root.String()
}

// adopted puts the study of an older log into a store, as the older program left it there.
func adopted(t *testing.T, log string) *studytest.Stage {
	t.Helper()
	s := labelled(t, terms())
	s.Must(s.Store.Delete(t.Context(), id))
	var whole study.Archive
	for i, text := range lines(log) {
		var line struct {
			Study     *study.Study   `json:"study"`
			Catalogue []byte         `json:"catalogue"`
			Outcome   *study.Outcome `json:"outcome"`
			Plan      *study.Plan    `json:"plan"`
		}
		s.Must(json.Unmarshal([]byte(text), &line))
		switch {
		case i == 0:
			whole.Study, whole.Catalogue = *line.Study, line.Catalogue
		case line.Outcome != nil:
			whole.Outcomes = append(whole.Outcomes, *line.Outcome)
			s.SetClock(line.Outcome.At)
		case line.Plan != nil:
			whole.Plans = append(whole.Plans, *line.Plan)
			whole.Claimed = int(line.Plan.First) + len(line.Plan.Questions)
		}
	}
	s.Must(s.Store.Adopt(t.Context(), whole))
	arms, err := s.Service("reader").Live.Catalogue(t.Context(), id)
	s.Must(err)
	s.Arms = arms.Arms
	prefersX(s)
	return s
}

// TestOlderStudyGoesOn: a study that an older program has begun continues, keeps its digests, and
// its log verifies. After an erasure, which replaces all plans, digests cover everything.
func TestOlderStudyGoesOn(t *testing.T) {
	for _, erase := range []string{"", "r3"} {
		s := adopted(t, kept(t, "version-1-open"))
		service := s.Service("one")
		planner := service.Planner(id)
		before := s.Plans()[0]
		s.Step(planner)
		if erase != "" {
			s.Erase(service, erase)
		}
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Settings.Each = 300; return nil })
		s.Must(err)
		goOn(s, service, planner, 1000)
		if s.Agreed().Status != "certified" {
			t.Errorf("the study is %+v", s.Study())
		}
		log := s.Exported()
		report, err := replay.VerifySigned(strings.NewReader(log), replay.PublicKeyOf(service.Parts.Secret))
		old := strings.Contains(strings.Join(report.Notes, " "), "neither settings nor options")
		if err != nil || report.Version != 2 || old != (erase == "") || (report.Verdict.Catalogue == "") != old {
			t.Errorf("%+v, %v", report, err)
		}
		if erase == "" && string(s.Plans()[0].Verdict) != string(before.Verdict) {
			t.Error("the first plan has changed")
		}
	}
}

// TestChangedSettingsArePlanned: a change of settings, and a stop by the owner, each cause a plan
// even if nothing else happens. An edit without changes causes none.
func TestChangedSettingsArePlanned(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 1, 3)
	plans := len(s.Plans())
	change := func(edit func(st *study.Study)) {
		t.Helper()
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { edit(st); return nil })
		s.Must(err)
	}
	change(func(st *study.Study) { st.Settings.Each = 50 })
	report, err := replay.Verify(strings.NewReader(s.Exported()))
	if err != nil || !strings.Contains(strings.Join(report.Notes, " "), "changed after it") {
		t.Errorf("%q, %v", report.Notes, err)
	}
	s.Step(planner)
	change(func(st *study.Study) { st.Name = "Another name" })
	s.Step(planner)
	if got := len(s.Plans()); got != plans+1 {
		t.Errorf("the number of plans changed from %d to %d", plans, got)
	}
	_, err = service.SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	if _, final, err := service.Final(t.Context(), id); final || err != nil {
		t.Errorf("the study is final before a plan has seen the stop: %v", err)
	}
	report, err = replay.Verify(strings.NewReader(s.Exported()))
	if err != nil || !strings.Contains(strings.Join(report.Notes, " "), "stopped after its last plan") {
		t.Errorf("%q, %v", report.Notes, err)
	}
	for s.Step(planner) {
		t.Error("the study is not done")
	}
	if _, final, err := service.Final(t.Context(), id); !final || err != nil {
		t.Errorf("the study is not final: %v", err)
	}
	report, err = replay.Verify(strings.NewReader(s.Exported()))
	if err != nil || strings.Contains(strings.Join(report.Notes, " "), "stopped") {
		t.Errorf("%q, %v", report.Notes, err)
	}
	for name, pair := range map[string][2]string{"each": {`"each":50`, `"each":60`}, "reason": {`"reason":"stopped"`, `"reason":"spent"`}} {
		altered := strings.Replace(strings.Join(lines(s.Exported())[:report.Plans+report.Outcomes+1], "\n"), pair[0], pair[1], 1)
		if _, err := replay.Verify(strings.NewReader(signed(strings.Split(altered, "\n"), attacker()))); !located(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lines splits a log into its lines. The last one is the closing line.
func lines(log string) []string { return strings.Split(strings.TrimSuffix(log, "\n"), "\n") }
