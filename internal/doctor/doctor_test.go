package doctor

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
		want   Condition
	}{
		{now, inspection.Report{}, Healthy},
		{now, inspection.Report{Last: now.Add(-time.Hour)}, Healthy},
		{now, inspection.Report{Last: now.Add(time.Hour)}, Problem},
		{now, inspection.Report{Now: now.Add(300 * time.Millisecond)}, Healthy},
		{now, inspection.Report{Now: now.Add(-1500 * time.Millisecond)}, Warning},
		{now, inspection.Report{Now: now.Add(time.Minute)}, Problem},
		{time.Unix(0, 0), inspection.Report{}, Problem},
		{now.AddDate(200, 0, 0), inspection.Report{}, Problem},
	} {
		if f := checkClock(c.now, c.report); f.Status != c.want {
			t.Errorf("%v, %+v: %+v, want %s", c.now, c.report, f, c.want)
		}
	}
}

func TestJudgeSpace(t *testing.T) {
	for _, c := range []struct {
		free, size int64
		want       Condition
	}{{1 << 40, 1 << 30, Healthy}, {1 << 30, 1 << 30, Warning}, {1 << 20, 0, Problem}} {
		if f := judgeSpace(c.free, c.size); f.Status != c.want {
			t.Errorf("%d free, size %d: %+v, want %s", c.free, c.size, f, c.want)
		}
	}
}
