package main

import (
	"testing"

	"bestpick/internal/approx"
	"bestpick/internal/testsupport"
)

// TestFitted: the log-likelihood of swissmetro is the published one, so that peers are compared with the right model.
func TestFitted(t *testing.T) {
	f, err := fitted(testsupport.DataPath(t, "swissmetro.csv"), []string{"asc_train", "asc_car", "time", "cost"})
	testsupport.NoError(t, err)
	approx.Equal(t, "log-likelihood", f.logLikelihood, -5331.252, 1e-3)
}

// TestParsed: the line of a script has a time, a log-likelihood and a version, and anything else is an error.
func TestParsed(t *testing.T) {
	f, err := parsed("clogit", "292.0 -5331.252006916 3.5.3\n")
	if err != nil || f.by != "clogit 3.5.3" {
		t.Fatalf("%+v, %v", f, err)
	}
	approx.Equal(t, "milliseconds", f.milliseconds, 292, 0)
	approx.Equal(t, "log-likelihood", f.logLikelihood, -5331.252006916, 0)
	for _, bad := range []string{"", "292.0", "x 1 3.5", "1 x 3.5"} {
		if _, err := parsed("clogit", bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
