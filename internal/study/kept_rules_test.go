package study_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// writeLogs makes TestKeptRules write the logs that are missing.
var writeLogs = flag.Bool("write-logs", false, "write missing logs of kept rules to testdata")

// keptRules returns the settings of studies whose logs are kept: every version of the rules with each
// part of racing.
func keptRules() map[string]racing.Settings {
	const one = racing.TiltedRules
	return map[string]racing.Settings{
		"0-linear":   {},
		"1-linear":   {Rules: one},
		"1-majority": {Rules: one, Assume: strategy.Majority, Epsilon: 0.2},
		"1-fallback": {Rules: one, Assume: strategy.Linear, Verify: 0.5, Fallback: 0.25},
		"1-top":      {Rules: one, Assume: strategy.Linear, Top: 2},
		"1-outside":  {Rules: one, Assume: strategy.Linear, Offer: choice.Offer{Outside: true}},
		"1-slots":    {Rules: one, Assume: strategy.Linear, Model: racing.Model{Slots: true}},
		"2-budget":   {Rules: racing.BudgetRules, Assume: strategy.Linear, Budget: 200},
		"1-epsilon":  {Rules: one, Assume: strategy.Linear, Epsilon: 0.3},
		"3-linear":   {Rules: racing.SparseRules, Assume: strategy.Linear},
		"3-budget":   {Rules: racing.SparseRules, Assume: strategy.Linear, Budget: 200},
	}
}

// TestKeptRules: logs that earlier releases wrote under each version of the rules verify to the bit.
// So a release that changes plans without a new version, which replicas of the previous one would
// contradict, fails here. A new version needs new logs; those in testdata must never change.
func TestKeptRules(t *testing.T) {
	for name, settings := range keptRules() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "rules-"+name+".jsonl.gz")
			if _, err := os.Stat(path); err != nil && *writeLogs {
				writeLog(t, path, settings)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			log, err := gzip.NewReader(file)
			if err != nil {
				t.Fatal(err)
			}
			report, err := replay.Verify(log)
			if err != nil {
				t.Fatalf("%v: if plans must change, they need new rules", err)
			}
			if got := report.Study.Settings.Strategy; got.Rules != settings.Rules || got.Assume != settings.Assume || report.Plans < 6 {
				t.Errorf("%d plans of a study with %+v", report.Plans, got)
			}
		})
	}
}

// writeLog writes the log of a study with some answers.
func writeLog(t *testing.T, path string, settings racing.Settings) {
	t.Helper()
	settings.K, settings.Seed, settings.Delta = 3, 1, 1e-9
	s := empty(t)
	s.prefers(3, 1.5)
	s.create(id, study.Settings{Strategy: settings}, study.Open)
	service := s.service("one")
	s.run(service, service.Planner(id), 12, 12)
	var kept bytes.Buffer
	packed := gzip.NewWriter(&kept)
	s.must(replay.Export(t.Context(), s.store, id, packed))
	s.must(packed.Close())
	s.must(os.WriteFile(path, kept.Bytes(), 0o600))
}
