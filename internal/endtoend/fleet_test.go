package endtoend

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// A fleet is two replicas behind a load balancer, as docs/operations.md describes it.
type fleet struct {
	*testing.T
	*client.Client // an owner's client, through the balancer

	at        place
	addresses [2]string
	replicas  [2]*process
	drain     time.Duration
}

// newFleet starts replicas and a balancer in front of them.
func newFleet(t *testing.T, at place, front balancer, drain time.Duration) *fleet {
	t.Helper()
	front.path(t) // before anything is started
	f := &fleet{T: t, at: at, addresses: [2]string{freeAddress(t), freeAddress(t)}, drain: drain}
	f.start(0, "")
	f.start(1, f.replicas[0].Token)
	f.Client = front.start(t, f.addresses)
	f.Token = f.replicas[0].Token
	return f
}

// start starts a replica at its address.
func (f *fleet) start(i int, token string) {
	f.Helper()
	f.replicas[i] = start(f.T, f.at, token, "--listen", f.addresses[i], "--trust", "127.0.0.1", "--secure", "--drain", f.drain.String())
}

// restart restarts a replica, and waits until the balancer has had time to notice.
func (f *fleet) restart(i int) {
	f.Helper()
	f.replicas[i].stop(f.T)
	f.start(i, f.Token)
	const noticed = 2 * time.Second // HAProxy needs two successful checks, half a second apart
	eventually(f.T, "the restarted replica is ready", 20*time.Second, func() bool {
		status, _, _ := get(f.T, f.replicas[i].Client, "/readyz", "")
		return status == http.StatusOK
	})
	time.Sleep(noticed)
}

// respondents returns people who answer a new study that does not end.
func (f *fleet) respondents(think time.Duration) *people {
	f.Helper()
	return f.respondentsOf(think, wire.Settings{K: 3, Delta: 1e-12, Grace: -1})
}

// respondentsOf returns people who answer new studies, one with each of the settings.
func (f *fleet) respondentsOf(think time.Duration, studies ...wire.Settings) *people {
	f.Helper()
	worlds := map[string]truth{}
	for _, settings := range studies {
		world := someArms(f.T, 6, 0.01, 1)
		worlds[world.newStudy(f.T, f.Client, settings)] = world
	}
	return &people{
		studies: worlds, delay: think, duplicate: 0.05, abandon: 0.02, acknowledged: map[string]said{},
		reach: func(int) *client.Client { return &client.Client{URL: f.URL, HTTP: f.HTTP} },
	}
}

// while has n people answer while happens runs. The durations of their first requests, which open
// connections and wait for the first plans, are not measured.
func (f *fleet) while(people *people, n int, happens func()) {
	f.Helper()
	people.during(f.T, n, "r", func() {
		eventually(f.T, fmt.Sprintf("%d people gave as many answers", n), time.Minute, func() bool { return people.answers() >= n })
		people.measure()
		happens()
	})
}

// unharmed checks that no request failed, and that the log contains exactly the acknowledged
// answers.
func (f *fleet) unharmed(people *people) {
	f.Helper()
	for status, n := range people.told {
		f.Errorf("%d responses had the status %d", n, status)
	}
	for _, err := range people.broken {
		f.Errorf("a request failed: %v", err)
	}
	logged := people.exported(f.T, f.Client)
	f.Logf("%d requests: p50 %v, p99 %v, at most %v; %d answers acknowledged, %d in the log",
		len(people.took), people.quantile(0.5), people.quantile(0.99), people.quantile(1), people.answers(), logged)
}

// measure begins to measure durations of requests: it discards those so far.
func (p *people) measure() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.took = nil
}

// quantile returns a quantile of the durations of requests.
func (p *people) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(p.took))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))].Round(time.Millisecond)
}
