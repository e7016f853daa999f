package storetest

import (
	"bytes"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// zoe is a name in the files of earlier versions.
const zoe = "Zoë"

// Upgraded tests a store that an earlier version has written. For every version, the tests of a
// store have a file with the same study, as far as the version supported it. It was written by:
//
//	Create(sample), Lead and Append of a plan with four questions, Claim(2),
//	Record(answer 0, answer 1, undone 1, skipped 2), SaveSnapshot(1, "state"),
//	Import("survey", imported 0 and 1), AddFirstToken(token Zoë),
//	AddEntry(entry 1), AddEntry(entry 2), ChangePanel(put member 1, Zoë) of the draft,
//	SetWebhook(hook), EndSession("session of Zoë", start), AddDelivery(upgradedDelivery), AddJob(Zoë)
//
// and a secret of 32 bytes, each 7. Upgraded tests that all of it can be read, and that the study
// continues. Three more studies were drafted, paused and stopped.
func Upgraded(t *testing.T, store Store, version int64) {
	t.Helper()
	s := &stage{T: t}
	s.upgradedStudies(store, version)
	s.upgradedLog(store, version)
	s.upgradedTokens(store, version)
	s.upgradedSessions(store, version)
	s.upgradedAudit(store, version)
	s.upgradedPanel(store, version)
	s.upgradedWebhooks(store, version)
	s.upgradedPictures(store, version)
	s.upgradedProfiles(store, version)
	s.upgradedJobs(store, version)

	ctx, taken := s.Context(), study.ErrTaken
	positions, unclaimed, err := store.Overdue(ctx, "a", start.Add(time.Second), 9)
	s.must(err)
	if diff := cmp.Diff([]study.Position{1}, positions); diff != "" || unclaimed != 2 {
		s.Errorf("%d are unclaimed; %s", unclaimed, diff)
	}
	s.recorded(store, "a", []error{taken, nil, taken}, answer(0), answer(1), answer(2))
	s.wants(study.ErrNotYours, store.Lead(ctx, "a", "other", start, start.Add(time.Minute)))
	s.must(store.Append(ctx, "a", planner, s.next(store, "a", 1)))
	c, err := store.Claim(ctx, "a", 9, start)
	s.must(err)
	want := study.Claim{First: 2, Questions: [][]int{question(2), question(3), question(4)}, Plans: []int{1, 1, 2}, At: start}
	if diff := cmp.Diff(want, c); diff != "" {
		s.Error(diff)
	}
	s.must(store.Import(ctx, "a", "another", Batch(imported(2))))
	s.numbered(s.log(store, "a"))
}

// upgradedStudies tests studies, which had no prior. Version 1 did not support adding and withdrawing arms.
func (s *stage) upgradedStudies(store Store, version int64) {
	s.Helper()
	ctx := s.Context()
	want := sample("a")
	want.Settings.Strategy.Prior = nil
	if version < 2 {
		want.Arms, want.Withdrawn = 0, nil
	}
	st, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(want, st); diff != "" {
		s.Error(diff)
	}
	s.underWay(store, "a", "paused")
	for id, state := range map[string]study.State{"draft": study.Draft, "paused": study.Paused, "stopped": study.Done} {
		st, err := store.Study(ctx, id)
		s.must(err)
		if st.State != state {
			s.Errorf("study %s is %s", id, st.State)
		}
	}
	arms, err := store.Catalogue(ctx, "a")
	s.must(err)
	_, state, err := store.Snapshot(ctx, "a")
	s.must(err)
	if string(arms) != "arms" || string(state) != "state" {
		s.Errorf("the catalogue is %q, the snapshot %q", arms, state)
	}
	secret, err := store.Secret(ctx)
	s.must(err)
	if !bytes.Equal(secret, bytes.Repeat([]byte{7}, 32)) {
		s.Errorf("the secret is %x", secret)
	}
}

// upgradedLog tests the log. Version 1 had no imports, and did not store the plans of outcomes. Version 11 had no notes.
func (s *stage) upgradedLog(store Store, version int64) {
	s.Helper()
	ctx := s.Context()
	outcomes := []study.Outcome{answer(0), answer(1), became(1, study.Undone), became(2, study.Skipped)}
	plan := study.Plan{Number: 1, Questions: [][]int{question(0), question(1), question(2), question(3)}, Verdict: []byte(`{"leader":2}`), At: start}
	if version < 2 {
		outcomes[0].Plan, outcomes[1].Plan = 0, 0
	} else {
		outcomes = append(outcomes, imported(0), imported(1))
		plan.Arms, plan.Withdrawn = 6, []int{5}
		s.wants(study.ErrTaken, store.Import(ctx, "a", "survey", Batch()))
	}
	for i := range outcomes {
		if outcomes[i].Number = int64(i) + 1; version < 12 {
			outcomes[i].Note = study.Note{}
		}
	}
	if diff := cmp.Diff(outcomes, s.log(store, "a")); diff != "" {
		s.Error(diff)
	}
	plans, err := store.Plans(ctx, "a", 0, 9)
	s.must(err)
	if diff := cmp.Diff([]study.Plan{plan}, plans); diff != "" {
		s.Error(diff)
	}
	s.did(store, answer(0).Respondent, 1, question(0))
	s.did(store, answer(1).Respondent, 0, question(1)) // the answer was undone
	s.did(store, "", 1, nil)
}

// upgradedTokens tests tokens. Version 1 had none.
func (s *stage) upgradedTokens(store Store, version int64) {
	s.Helper()
	ctx := s.Context()
	if version < 2 {
		s.must(store.AddFirstToken(ctx, token(zoe)))
	}
	s.wants(access.ErrTaken, store.AddFirstToken(ctx, token("late")))
	s.holds(store, token(zoe))
}

// upgradedSessions tests sessions. Version 8 did not end any.
func (s *stage) upgradedSessions(store Store, version int64) {
	s.Helper()
	if version < 8 {
		s.in(store, zoe, "session of Zoë")
		s.must(store.EndSession(s.Context(), "session of Zoë", start, start))
	}
	s.out(store, zoe, "session of Zoë")
	s.in(store, zoe, "another")
}

// upgradedPictures tests the pictures of studies. Version 8 had none.
func (s *stage) upgradedPictures(store Store, version int64) {
	s.Helper()
	picture := study.Picture{Hash: "abc", Type: pngType, Bytes: []byte{0, 0xff, 0x10}}
	if version < 9 {
		s.must(store.AddPictures(s.Context(), "a", []study.Picture{picture}))
	}
	got, err := store.Picture(s.Context(), "a", "abc")
	s.must(err)
	if !reflect.DeepEqual(got, picture) {
		s.Errorf("%+v", got)
	}
}

// upgradedProfiles tests profiles. Version 10 had none.
func (s *stage) upgradedProfiles(store Store, version int64) {
	s.Helper()
	want := study.Profile{Respondent: zoe}
	if version >= 11 {
		want.Answers, want.Refused = map[string]string{age: "“18–29”"}, true
	}
	s.hasProfile(store, zoe, want)
}

// upgradedAudit tests the audit log. Version 2 had none.
func (s *stage) upgradedAudit(store Store, version int64) {
	s.Helper()
	if version < 3 {
		s.entered(store, math.MaxInt64, 9)
		s.must(store.AddEntry(s.Context(), entry(1)))
		s.must(store.AddEntry(s.Context(), entry(2)))
	}
	s.must(store.AddEntry(s.Context(), entry(3)))
	s.entered(store, math.MaxInt64, 9, entries(3, 1)...)
}

// upgradedPanel tests panels. Version 4 had none.
func (s *stage) upgradedPanel(store Store, version int64) {
	s.Helper()
	if version < 5 {
		s.consists(store, "draft")
		s.changePanel(store, "draft", putting(member(0, zoe)))
	}
	s.consists(store, "draft", member(1, zoe))
	s.changePanel(store, "draft", study.PanelChange{Remove: []string{zoe}})
	s.consists(store, "draft")
}

// upgradedWebhooks tests webhooks. Version 5 had none.
func (s *stage) upgradedWebhooks(store Store, version int64) {
	s.Helper()
	if version < 6 {
		_, err := store.Webhook(s.Context(), "a")
		s.wants(webhook.ErrNone, err)
		s.must(store.SetWebhook(s.Context(), hook("a")))
	}
	s.hooked(store, hook("a"))
	if version < 10 {
		s.must(store.AddDelivery(s.Context(), "a", upgradedDelivery()))
	}
	s.logged(store, "a", upgradedDelivery())
}

// upgradedJobs tests background jobs. Version 14 had none.
func (s *stage) upgradedJobs(store Store, version int64) {
	s.Helper()
	if version < 15 {
		s.add(store, zoe)
	}
	c := &crew{}
	stop := c.run(s, store, 0)
	s.attempted(c, zoe)
	stop()
}

// upgradedDelivery returns the delivery in the files of versions that have one. Version 9 had none.
func upgradedDelivery() webhook.Delivery {
	return webhook.Delivery{At: start, Test: true, Status: 500, Problem: "“Zoë”", Took: 1000}
}
