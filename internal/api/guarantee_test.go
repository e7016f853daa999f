package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// names returns a catalogue of arms without features.
func names(n int) client.File {
	var text strings.Builder
	text.WriteString("id,x\n")
	for i := range n {
		fmt.Fprintf(&text, "a%d,%d\n", i, i%17)
	}
	return file("arms.csv", text.String())
}

// TestDefaultGuarantee tests on what the certificates of new studies rest, by their settings and
// arms. Explicit settings are kept, also zeros.
func TestDefaultGuarantee(t *testing.T) {
	s := begin(t, setting{idle: true})
	fruit := func() client.File { return file("fruits.csv", fruits) }
	zero := 0.0
	for name, c := range map[string]struct {
		arms     client.File
		settings wire.Settings
		want     wire.Settings // only the guarantee
	}{
		"default":   {fruit(), wire.Settings{}, wire.Settings{Assume: "majority", Epsilon: new(0.2)}},
		"epsilon 0": {fruit(), wire.Settings{Epsilon: &zero}, wire.Settings{Assume: "majority", Epsilon: &zero}},
		"linear": {
			fruit(),
			wire.Settings{Assume: "linear"},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: new(0.5), Fallback: new(0.25)},
		},
		"no fallback": {
			fruit(),
			wire.Settings{Assume: "linear", Fallback: &zero},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: new(0.5), Fallback: &zero},
		},
		"slots": {
			fruit(),
			wire.Settings{Model: &wire.Model{Slots: true}},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: new(0.5), Fallback: &zero},
		},
		"verify": {
			fruit(),
			wire.Settings{Verify: new(0.5)},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: new(0.5), Fallback: new(0.25)},
		},
		"fallback": {
			fruit(),
			wire.Settings{Fallback: new(0.1)},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: new(0.5), Fallback: new(0.1)},
		},
		"300 arms": {names(300), wire.Settings{}, wire.Settings{Assume: "majority", Epsilon: new(0.2)}},
		"301 arms": {
			names(301),
			wire.Settings{},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: new(0.5), Fallback: new(0.25)},
		},
		"explicit, 301": {names(301), wire.Settings{Assume: "majority"}, wire.Settings{Assume: "majority", Epsilon: new(0.2)}},
		"513 arms": {
			names(513),
			wire.Settings{},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: new(0.5), Fallback: &zero},
		},
		"product": {
			product(t),
			wire.Settings{},
			wire.Settings{Assume: "linear", Epsilon: &zero, Verify: &zero, Fallback: &zero},
		},
		"epsilon, linear": {
			names(513),
			wire.Settings{Epsilon: new(0.3)},
			wire.Settings{Assume: "linear", Epsilon: new(0.3), Verify: new(0.5), Fallback: &zero},
		},
	} {
		created, err := s.owner.Create(t.Context(), client.NewStudy{Name: name, Settings: c.settings, Catalogue: c.arms})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		read, err := s.owner.Study(t.Context(), created.Study.ID)
		s.must(err)
		got := wire.Settings{
			Assume: read.Settings.Assume, Epsilon: read.Settings.Epsilon, Verify: read.Settings.Verify,
			Fallback: read.Settings.Fallback,
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %s, want %s", name, asJSON(t, got), asJSON(t, c.want))
		}
	}
}

// TestImpossibleGuarantee tests that settings that contradict each other or the arms name the field.
func TestImpossibleGuarantee(t *testing.T) {
	s := begin(t, setting{idle: true})
	for _, c := range []struct {
		arms     client.File
		settings wire.Settings
		field    string
	}{
		{file("fruits.csv", fruits), wire.Settings{Assume: "majority", Model: &wire.Model{Slots: true}}, "body.settings.assume"},
		{file("fruits.csv", fruits), wire.Settings{Assume: "majority", Verify: new(0.5)}, "body.settings.verify"},
		{names(513), wire.Settings{Assume: "majority"}, "body.settings.assume"},
		{product(t), wire.Settings{Assume: "majority"}, "body.settings.assume"},
		{product(t), wire.Settings{Assume: "linear", Fallback: new(0.2)}, "body.settings.fallback"},
		{file("fruits.csv", fruits), wire.Settings{Assume: "trust"}, "body.settings.assume"},
		{file("fruits.csv", fruits), wire.Settings{Fallback: new(1.0)}, "body.settings.fallback"},
	} {
		_, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Settings: c.settings, Catalogue: c.arms})
		s.refused(err, 422, wire.Invalid, c.field)
	}
}

// TestChangedGuarantee tests that a change of settings of an open study keeps an omitted guarantee.
func TestChangedGuarantee(t *testing.T) {
	s := begin(t, setting{idle: true})
	for _, before := range []wire.Study{
		s.open(wire.Settings{Assume: "majority", Epsilon: new(0.3)}), s.open(wire.Settings{Assume: "linear", Fallback: new(0.5)}),
	} {
		id, name := before.ID, before.Settings.Assume
		sparse := wire.Settings{K: before.Settings.K, Delta: before.Settings.Delta, Budget: new(70)}
		changed, err := s.owner.Change(t.Context(), id, before.Version, wire.Change{Settings: &sparse})
		s.must(err)
		same := changed.Settings
		same.Budget, same.Each, same.Lease, same.Grace = before.Settings.Budget, before.Settings.Each, before.Settings.Lease,
			before.Settings.Grace
		if !reflect.DeepEqual(same, before.Settings) || *changed.Settings.Budget != 70 {
			t.Errorf("%s: %s became %s", name, asJSON(t, before.Settings), asJSON(t, changed.Settings))
		}
		full := changed.Settings
		full.Budget = new(80)
		_, err = s.owner.Change(t.Context(), id, changed.Version, wire.Change{Settings: &full})
		s.must(err)
		full.Assume = map[string]string{"majority": "linear", "linear": "majority"}[full.Assume]
		_, err = s.owner.Change(t.Context(), id, changed.Version+1, wire.Change{Settings: &full})
		s.refused(err, 409, wire.Started, "")
	}
}

// TestPartialChange tests that a PATCH changes the settings that it names, and no others, in a draft and in an
// open study, and that limits can be removed.
func TestPartialChange(t *testing.T) {
	s := begin(t, setting{idle: true})
	all := wire.Settings{
		K: 2, Delta: 0.02, Assume: "majority", Epsilon: new(0.3), Budget: new(500), Each: 7, Lease: 60, Grace: 5, People: new(12),
		Days: 3, Plain: true,
	}
	for _, before := range []wire.Study{s.draft(all), s.open(all)} {
		at, version := "/studies/"+before.ID, before.Version
		change := func(body string, want func(*wire.Settings)) {
			t.Helper()
			reply := s.send(sent{
				token: s.owner.Token, method: http.MethodPatch, path: at, kind: "application/json", body: body,
				headers: []string{"If-Match", fmt.Sprintf(`"%d"`, version)},
			})
			if reply.status != http.StatusOK {
				t.Fatalf("%s: %d %s", body, reply.status, reply.text)
			}
			version++
			changed, err := s.owner.Study(t.Context(), before.ID)
			s.must(err)
			wanted := before.Settings
			want(&wanted)
			if !reflect.DeepEqual(changed.Settings, wanted) {
				t.Errorf("%s, %s: %s, want %s", before.State, body, asJSON(t, changed.Settings), asJSON(t, wanted))
			}
		}
		later := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
		change(`{"settings":{"deadline":"`+later.Format(time.RFC3339)+`"}}`, func(w *wire.Settings) { w.Deadline = &later })
		change(`{"settings":{"deadline":null,"budget":0}}`, func(w *wire.Settings) { w.Budget = nil })
		change(`{"settings":{"budget":500,"retention_days":30}}`, func(w *wire.Settings) { w.Keep = new(30) })
		change(`{"settings":{"retention_days":0}}`, func(*wire.Settings) {})
		change(`{"settings":{"budget":500,"grace_seconds":-1}}`, func(w *wire.Settings) { w.Grace = -1 })
	}
	limited := s.open(wire.Settings{Budget: new(9), Deadline: new(time.Now().Add(time.Hour).Truncate(time.Second))})
	none := wire.Settings{Budget: new(0), Deadline: new(time.Time)}
	limited, err := s.owner.Change(t.Context(), limited.ID, limited.Version, wire.Change{Settings: &none})
	s.must(err)
	if limited.Settings.Budget != nil || limited.Settings.Deadline != nil {
		t.Errorf("the Go client left the limits of %s", asJSON(t, limited.Settings))
	}
	draft := s.draft(all)
	changed, err := s.owner.Change(t.Context(), draft.ID, draft.Version, wire.Change{Settings: &wire.Settings{Assume: "linear"}})
	s.must(err)
	want := draft.Settings
	want.Assume, want.Epsilon, want.Verify, want.Fallback = "linear", new(0.0), new(0.5), new(0.25)
	if !reflect.DeepEqual(changed.Settings, want) {
		t.Errorf("a change to linear: %s, want %s", asJSON(t, changed.Settings), asJSON(t, want))
	}
}

// TestJudgesSetting tests that contexts make a verdict one about judges, which the owner can change, and that
// there is none without contexts. New studies need 30 people.
func TestJudgesSetting(t *testing.T) {
	s := begin(t, setting{idle: true})
	created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: file("arms.csv", "id\na\nb\nc\n")})
	s.must(err)
	made := created.Study
	if made.Settings.Judges || *made.Settings.People != 30 || made.Settings.Days != 0 {
		t.Errorf("a new study has %s", asJSON(t, made.Settings))
	}
	judges := wire.Change{Settings: &wire.Settings{Judges: true}}
	_, err = s.owner.Change(t.Context(), made.ID, made.Version, judges)
	s.refused(err, 422, wire.Invalid, "body.settings.judges")
	_, err = s.owner.Create(t.Context(), client.NewStudy{
		Name: "x", Settings: wire.Settings{Judges: true}, Catalogue: file("arms.csv", "id\na\nb\nc\n"),
	})
	s.refused(err, 422, wire.Invalid, "body.settings.judges")
	texts := func() client.File { return file("texts.csv", "arm,context,text\na,x,1\nb,x,2\nc,x,3\n") }
	has := func(want bool) wire.Study {
		t.Helper()
		read, err := s.owner.Study(t.Context(), made.ID)
		s.must(err)
		if read.Settings.Judges != want {
			t.Errorf("judges is %v", read.Settings.Judges)
		}
		return read
	}
	_, err = s.owner.SetContexts(t.Context(), made.ID, 0, texts(), "")
	s.must(err)
	reply := s.send(sent{
		token: s.owner.Token, method: http.MethodPatch, path: "/studies/" + made.ID, kind: "application/json",
		body: `{"settings":{"judges":false}}`, headers: []string{"If-Match", fmt.Sprintf(`"%d"`, has(true).Version)},
	})
	if reply.status != http.StatusOK {
		t.Fatalf("%d %s", reply.status, reply.text)
	}
	has(false)
	_, err = s.owner.SetContexts(t.Context(), made.ID, 0, texts(), "")
	s.must(err)
	_, err = s.owner.Change(t.Context(), made.ID, has(false).Version, judges)
	s.must(err)
	_, err = s.owner.ReplaceArms(t.Context(), made.ID, has(true).Version, file("arms.csv", "id\na\nb\nc\n"), nil)
	s.must(err)
	has(false)
}

// asJSON returns a value as JSON, for messages.
func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// product returns the attributes and levels of a product.
func product(t *testing.T) client.File {
	t.Helper()
	camera, err := os.ReadFile("../../examples/camera.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return file("camera.yaml", string(camera))
}
