package owner_test

import (
	"encoding/json"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/strategy/racing"
)

// TestRules: a new study has the latest rules, also once it is stored. An edit does not change the rules of a study from
// before there were versions.
func TestRules(t *testing.T) {
	arms, err := archive.Open("../../../examples/lamps.csv", catalogue.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	started := owner.Guarantee{}.Apply(racing.Settings{}, &arms.Catalogue)
	stored, err := json.Marshal(study.Settings{Strategy: started})
	if err != nil {
		t.Fatal(err)
	}
	var fresh, old study.Settings
	if err := json.Unmarshal(stored, &fresh); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"strategy":{"k":3,"delta":0.05,"seed":1}}`), &old); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stored study.Settings
		want   racing.Rules
	}{{fresh, racing.LatestRules}, {old, racing.FirstRules}} {
		edited := owner.Guarantee{}.Keep(racing.Settings{K: 2}, c.stored.Strategy)
		if c.stored.Strategy.Rules != c.want || edited.Rules != c.want {
			t.Errorf("got rules %d, after an edit %d, want %d", c.stored.Strategy.Rules, edited.Rules, c.want)
		}
	}
}
