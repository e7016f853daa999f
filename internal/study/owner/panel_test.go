package owner_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

// withPanel creates a study with questions and a panel of anna and ben.
func withPanel(t *testing.T, settings study.Settings) (s *studytest.Stage, service *studytest.Service, anna, ben study.Member) {
	t.Helper()
	s = studytest.Begin(t, settings)
	service = s.Service("one")
	s.Step(service.Planner(id))
	members := invite(s, service, "anna", "ben")
	return s, service, members[0], members[1]
}

// TestPanel: only members are asked, with their keys, and are recorded under their names.
func TestPanel(t *testing.T) {
	s, service, anna, ben := withPanel(t, studytest.Three())
	if anna.Key == ben.Key || len(anna.Key) < 26 {
		t.Errorf("the keys are %q and %q", anna.Key, ben.Key)
	}
	for _, name := range []string{"", "anna", "stranger"} {
		_, err := service.Ask(t.Context(), id, name, "")
		s.Wants(study.ErrPanel, err)
	}
	for _, key := range []string{"x", anna.Key + "x", strings.ToUpper(anna.Key), study.HashKey(anna.Key), "anna", "\xff"} {
		_, err := service.AskAs(t.Context(), id, dispatch.Who{Key: key}, "")
		s.Wants(study.ErrKey, err)
	}
	for _, m := range []study.Member{anna, ben} {
		lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: m.Key}, "")
		s.Must(err)
		if lease.Respondent != m.Name {
			t.Errorf("%s is asked as %q", m.Name, lease.Respondent)
		}
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	}
	log := s.Outcomes()
	if len(log) != 2 || log[0].Respondent != "anna" || log[1].Respondent != "ben" {
		t.Errorf("the log is %v", log)
	}
	histories, err := service.Histories(t.Context(), id, []study.Member{anna, ben, {Name: "cleo"}})
	s.Must(err)
	if histories[0].Questions != 1 || histories[1].Questions != 1 || histories[2].Questions != 0 {
		t.Errorf("the histories are %v", histories)
	}
}

// TestMembersAgain: adding existing members keeps their keys, and if nothing changes, the version
// of the study.
func TestMembersAgain(t *testing.T) {
	s, service, anna, _ := withPanel(t, studytest.Three())
	before := s.Study()
	if got := invite(s, service, "anna"); got[0].Key != anna.Key || got[0].Number != 1 || got[0].Added != anna.Added {
		t.Errorf("anna became %+v, was %+v", got, anna)
	}
	if now := s.Study(); now.Version != before.Version || now.Settings.Audience != study.Personal {
		t.Errorf("the study became %+v", now)
	}
	members, added, err := service.AddMembers(t.Context(), id, []owner.NewMember{{Name: "cleo"}, {Name: "anna", Segment: "north"}})
	s.Must(err)
	if added != 1 || members[1].Key != anna.Key || members[1].Segment != "north" {
		t.Errorf("%d members were added; the panel is %+v", added, members)
	}
	removed, err := service.RemoveMembers(t.Context(), id, "nobody", "ben")
	s.Must(err)
	if removed != 1 {
		t.Errorf("%d members were removed", removed)
	}
	again := s.Study()
	removed, err = service.RemoveMembers(t.Context(), id, "nobody", "ben")
	s.Must(err)
	if removed != 0 || s.Study().Version != again.Version {
		t.Errorf("%d members were removed again", removed)
	}
	listed, err := s.Store.Members(t.Context(), id, 0, 9)
	s.Must(err)
	if len(listed) != 2 || listed[0].Name != "anna" || listed[0].Segment != "north" || listed[1].Name != "cleo" {
		t.Errorf("the panel is %+v", listed)
	}
}

// TestBadMembers: an invalid member leaves the panel unchanged.
func TestBadMembers(t *testing.T) {
	settings := studytest.Three()
	settings.Strategy.Model.Segments = []racing.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 1}}
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	for want, bad := range map[string]owner.NewMember{
		"members[1].name: a member must have a name":                    {},
		"members[1].name: the name occurs twice":                        {Name: "anna"},
		`members[1].name: "a\xff" is not UTF-8 text without zero bytes`: {Name: "a\xff"},
		`members[1].segment: there is no segment "w`:                    {Name: "ben", Segment: "west"},
	} {
		_, _, err := service.AddMembers(t.Context(), id, []owner.NewMember{{Name: "anna", Segment: "north"}, bad})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := service.RemoveMembers(t.Context(), id, "a", "\x00"); err == nil || !strings.HasPrefix(err.Error(), "names[1]: ") {
		t.Errorf("got %v", err)
	}
	for _, nobody := range []string{"anna", "", "\xff"} {
		_, err := service.RenewKey(t.Context(), id, nobody)
		s.Wants(study.ErrNoMember, err)
	}
	_, _, err := service.AddMembers(t.Context(), "none", nil)
	s.Wants(study.ErrNotFound, err)
	if now := s.Study(); now.Settings.Audience != study.Anyone || now.Version != 1 {
		t.Errorf("the study became %+v", now)
	}
}

// TestSegmentOfMember: a member's segment overrides the one in the request; a member without one
// must send it.
func TestSegmentOfMember(t *testing.T) {
	settings := studytest.Three()
	settings.Strategy.Model.Segments = []racing.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 1}}
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	s.Step(service.Planner(id))
	members, _, err := service.AddMembers(t.Context(), id, []owner.NewMember{{Name: "anna", Segment: "north"}, {Name: "ben"}})
	s.Must(err)
	for _, said := range []string{"", "south", "nowhere"} {
		lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: members[0].Key}, said)
		s.Must(err)
		s.Must(service.Skip(t.Context(), id, lease.Token))
	}
	lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: members[1].Key}, "south")
	s.Must(err)
	s.Must(service.Skip(t.Context(), id, lease.Token))
	if _, err := service.AskAs(t.Context(), id, dispatch.Who{Key: members[1].Key}, ""); err == nil {
		t.Error("a member without a segment is asked without one")
	}
	for i, o := range s.Outcomes() {
		if want := []string{"north", "north", "north", "south"}[i]; o.Segment != want {
			t.Errorf("%s is in segment %q", o.Respondent, o.Segment)
		}
	}
}

// TestRemovedMember: a member who was removed or has a new key can neither ask nor answer earlier
// questions. Neither can respondents who were asked before the study had a panel.
func TestRemovedMember(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	s.Step(service.Planner(id))
	early := s.Ask(service, "early")
	members := invite(s, service, "anna", "ben")
	refuses := func(why error, token string) {
		t.Helper()
		s.Wants(why, service.Answer(t.Context(), id, token, []int{0}))
		s.Wants(why, service.Skip(t.Context(), id, token))
		s.Wants(why, service.Undo(t.Context(), id, token))
		_, err := service.Next(t.Context(), id, token)
		s.Wants(why, err)
	}
	refuses(study.ErrPanel, early.Token)
	var out []dispatch.Lease
	for _, m := range members {
		lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: m.Key}, "")
		s.Must(err)
		out = append(out, lease)
	}
	_, err := service.RemoveMembers(t.Context(), id, "anna")
	s.Must(err)
	renewed, err := service.RenewKey(t.Context(), id, "ben")
	s.Must(err)
	for i, m := range members {
		_, err := service.AskAs(t.Context(), id, dispatch.Who{Key: m.Key}, "")
		s.Wants(study.ErrKey, err)
		refuses(study.ErrKey, out[i].Token)
	}
	if renewed.Number != 2 || renewed.Key == members[1].Key || renewed.Name != "ben" {
		t.Errorf("ben became %+v", renewed)
	}
	lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: renewed.Key}, "")
	s.Must(err)
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	if back := invite(s, service, "anna"); back[0].Key == members[0].Key {
		t.Error("a removed member has the old key again")
	}
	if n := len(s.Outcomes()); n != 1 {
		t.Errorf("the log has %d outcomes", n)
	}
}

// TestPanelOpened: a study with an empty panel stays closed until its owner lifts the restriction.
// Members are still identified by their keys.
func TestPanelOpened(t *testing.T) {
	s, service, anna, ben := withPanel(t, studytest.Three())
	_, err := service.RemoveMembers(t.Context(), id, "ben")
	s.Must(err)
	open := func(to study.Audience) {
		t.Helper()
		_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error {
			st.Settings.Audience = to
			return nil
		})
		s.Must(err)
	}
	open(study.Anyone)
	s.Answer(service, "stranger")
	lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: anna.Key}, "")
	s.Must(err)
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	_, err = service.AskAs(t.Context(), id, dispatch.Who{Key: ben.Key}, "")
	s.Wants(study.ErrKey, err)
	open(study.Personal)
	_, err = service.Ask(t.Context(), id, "stranger", "")
	s.Wants(study.ErrPanel, err)
	_, err = service.RemoveMembers(t.Context(), id, "anna")
	s.Must(err)
	_, err = service.Ask(t.Context(), id, "stranger", "")
	s.Wants(study.ErrPanel, err)
	if log := s.Outcomes(); len(log) != 2 || log[1].Respondent != "anna" {
		t.Errorf("the log is %v", log)
	}
}

// A counting store counts the lookups of members.
type counting struct {
	study.Store

	mutex   sync.Mutex
	lookups int
}

func (c *counting) Member(ctx context.Context, id, hash string) (study.Member, error) {
	c.mutex.Lock()
	c.lookups++
	c.mutex.Unlock()
	return c.Store.Member(ctx, id, hash)
}

// TestPanelCache: a member is looked up once until the panel changes, in this process or another
// one; requests without a key need no lookup.
func TestPanelCache(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	counted := &counting{Store: s.Store}
	service, elsewhere := s.ServiceOn(counted, wiring.Options{Name: "one", Clock: s.Clock}), s.Service("two")
	planner := service.Planner(id)
	s.Step(planner)
	for range 5 {
		s.Answer(service, "anybody")
	}
	if counted.lookups > 0 {
		t.Errorf("%d members were looked up in a study without a panel", counted.lookups)
	}
	anna := invite(s, elsewhere, "anna")[0]
	s.Pass(time.Second)
	for range 5 {
		s.Step(planner)
		lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: anna.Key}, "")
		s.Must(err)
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
		s.Pass(time.Second)
	}
	if counted.lookups != 1 {
		t.Errorf("a member was looked up %d times", counted.lookups)
	}
	_, err := elsewhere.RemoveMembers(t.Context(), id, "anna")
	s.Must(err)
	s.Pass(200 * time.Millisecond) // the maximum age of a cached study
	_, err = service.AskAs(t.Context(), id, dispatch.Who{Key: anna.Key}, "")
	s.Wants(study.ErrKey, err)
}

// TestAnswersAreCheckedAtOnce: an answer counts by the study as it is when it is recorded, however long ago this process
// has read it, and by the panel as it is then.
func TestAnswersAreCheckedAtOnce(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service, elsewhere := s.Service("one"), s.Service("two")
	s.Step(service.Planner(id))
	members := invite(s, elsewhere, "anna", "ben", "cleo")
	ask := func(m study.Member) (token string) {
		lease, err := service.AskAs(t.Context(), id, dispatch.Who{Key: m.Key}, "")
		s.Must(err)
		return lease.Token
	}
	annas, bens, cleos := ask(members[0]), ask(members[1]), ask(members[2])
	_, err := elsewhere.RemoveMembers(t.Context(), id, "anna")
	s.Must(err)
	s.Wants(study.ErrKey, service.Answer(t.Context(), id, annas, []int{0}))
	s.Must(service.Answer(t.Context(), id, bens, []int{0}))
	_, err = elsewhere.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	s.Must(service.Undo(t.Context(), id, bens))
	s.Must(service.Answer(t.Context(), id, bens, []int{1}))
	_, err = elsewhere.SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	s.Wants(study.ErrNotOpen, service.Skip(t.Context(), id, cleos))
}

// TestMembersAtOnce: owners who add the same people concurrently all get the same keys.
func TestMembersAtOnce(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	const owners = 4
	keys := make([]string, owners)
	var adding sync.WaitGroup
	for g := range owners {
		service := s.Service(fmt.Sprint("owner ", g))
		adding.Go(func() {
			members, _, err := service.AddMembers(t.Context(), id, []owner.NewMember{{Name: fmt.Sprint("only ", g)}, {Name: "anna"}})
			if err != nil {
				t.Error(err)
				return
			}
			keys[g] = members[1].Key
		})
	}
	adding.Wait()
	members, err := s.Store.Members(t.Context(), id, 0, math.MaxInt32)
	s.Must(err)
	if len(members) != owners+1 {
		t.Errorf("the panel is %+v", members)
	}
	for _, key := range keys {
		if key != keys[0] {
			t.Errorf("anna has the keys %q", keys)
		}
	}
}

// TestMovedPanel: a panel moves with its study, also if it changes meanwhile, and links stay valid.
// An export has no keys.
func TestMovedPanel(t *testing.T) {
	s, service, anna, ben := withPanel(t, studytest.Three())
	_, err := service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	var late study.Member
	to := studytest.NewStore(t)
	from := &leaving{Store: s.Store, then: func() {
		late = invite(s, service, "late")[0]
		_, err := service.RemoveMembers(t.Context(), id, "ben")
		s.Must(err)
	}}
	var export bytes.Buffer
	s.Must(replay.Export(t.Context(), s.Store, id, &export))
	for _, m := range []study.Member{anna, ben} {
		if text := export.String(); strings.Contains(text, m.Key) || strings.Contains(text, study.HashKey(m.Key)) ||
			strings.Contains(text, m.Name) {
			t.Error("the export contains a member")
		}
	}
	_, err = replay.Verify(&export)
	s.Must(err)
	_, err = owner.Transfer(t.Context(), from, to, id)
	s.Must(err)
	there := s.ServiceOn(to, wiring.Options{Name: "two", Clock: s.Clock})
	_, err = there.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	s.Step(there.Planner(id))
	for _, m := range []study.Member{anna, late} {
		_, err := there.AskAs(t.Context(), id, dispatch.Who{Key: m.Key}, "")
		s.Must(err)
	}
	_, err = there.AskAs(t.Context(), id, dispatch.Who{Key: ben.Key}, "")
	s.Wants(study.ErrKey, err)
	_, err = there.Ask(t.Context(), id, "stranger", "")
	s.Wants(study.ErrPanel, err)
}

// invite adds people to the panel, and returns them as members.
func invite(s *studytest.Stage, service *studytest.Service, names ...string) []study.Member {
	s.Helper()
	people := make([]owner.NewMember, len(names))
	for i, name := range names {
		people[i].Name = name
	}
	members, _, err := service.AddMembers(s.Context(), studytest.ID, people)
	s.Must(err)
	return members
}
