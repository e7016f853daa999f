package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/internal/store"
)

func TestCheckClock(t *testing.T) {
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		now    time.Time
		report store.Report
		want   Condition
	}{
		{now, store.Report{}, Healthy},
		{now, store.Report{Last: now.Add(-time.Hour)}, Healthy},
		{now, store.Report{Last: now.Add(time.Hour)}, Problem},
		{now, store.Report{Now: now.Add(300 * time.Millisecond)}, Healthy},
		{now, store.Report{Now: now.Add(-1500 * time.Millisecond)}, Warning},
		{now, store.Report{Now: now.Add(time.Minute)}, Problem},
		{time.Unix(0, 0), store.Report{}, Problem},
		{now.AddDate(200, 0, 0), store.Report{}, Problem},
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

// TestAddressInUse: a running bestpick at the address is fine, and another program is not.
func TestAddressInUse(t *testing.T) {
	for reply, want := range map[string]Condition{"alive\n": Healthy, "hello\n": Warning} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/healthz" {
				_, _ = fmt.Fprint(w, reply)
			}
		}))
		listen := strings.TrimPrefix(server.URL, "http://")
		if found := checkAddress(t.Context(), listen); found.Status != want {
			t.Errorf("%q: %+v", reply, found)
		}
		server.Close()
	}
}
