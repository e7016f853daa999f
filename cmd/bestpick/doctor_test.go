package main

import (
	"testing"
	"time"

	"bestpick/internal/store/inspection"
)

func TestCheckClock(t *testing.T) {
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		now    time.Time
		report inspection.Report
		want   condition
	}{
		{now, inspection.Report{}, healthy},
		{now, inspection.Report{Last: now.Add(-time.Hour)}, healthy},
		{now, inspection.Report{Last: now.Add(time.Hour)}, problem},
		{now, inspection.Report{Now: now.Add(300 * time.Millisecond)}, healthy},
		{now, inspection.Report{Now: now.Add(-1500 * time.Millisecond)}, warning},
		{now, inspection.Report{Now: now.Add(time.Minute)}, problem},
		{time.Unix(0, 0), inspection.Report{}, problem},
		{now.AddDate(200, 0, 0), inspection.Report{}, problem},
	} {
		if f := checkClock(c.now, c.report); f.Status != c.want {
			t.Errorf("%v, %+v: %+v, want %s", c.now, c.report, f, c.want)
		}
	}
}

func TestJudgeSpace(t *testing.T) {
	for _, c := range []struct {
		free, size int64
		want       condition
	}{{1 << 40, 1 << 30, healthy}, {1 << 30, 1 << 30, warning}, {1 << 20, 0, problem}} {
		if f := judgeSpace(c.free, c.size); f.Status != c.want {
			t.Errorf("%d free, size %d: %+v, want %s", c.free, c.size, f, c.want)
		}
	}
}
