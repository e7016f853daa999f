//go:build long

package endtoend

import (
	"testing"
	"time"

	"bestpick/wire"
)

// TestLongIdleStudies measures what a thousand open studies cost each of two replicas without answers.
func TestLongIdleStudies(t *testing.T) {
	const (
		studies          = 1000
		settle, measured = 40 * time.Second, 30 * time.Second
		maxTransactions  = 20   // per second and replica
		maxCPU           = 0.02 // of a core
	)
	f := newFleet(t, postgresDatabase(t), haproxy(), time.Second)
	world := someArms(t, 20, 0.05, 1)
	for range studies {
		world.newStudy(t, f.Client, wire.Settings{K: 3})
	}
	time.Sleep(settle)
	transactions, cpu := f.at.server.Transactions(t, f.at.database), [2]float64{}
	for i, replica := range f.replicas {
		cpu[i] = replica.cpu(t)
	}
	time.Sleep(measured)
	rate := float64(f.at.server.Transactions(t, f.at.database)-transactions) / measured.Seconds() / float64(len(f.replicas))
	t.Logf("%.1f transactions per second and replica", rate)
	if rate > maxTransactions {
		t.Errorf("%.1f transactions per second and replica, want at most %d", rate, maxTransactions)
	}
	for i, replica := range f.replicas {
		share := (replica.cpu(t) - cpu[i]) / measured.Seconds()
		t.Logf("replica %d used %.2f%% of a core and at most %d MB", i, 100*share, replica.memory(t)>>20)
		if share > maxCPU {
			t.Errorf("replica %d used %.2f%% of a core, want at most %.0f%%", i, 100*share, 100*maxCPU)
		}
	}
}

// cpu returns the seconds of CPU time that the process has used.
func (s *process) cpu(t *testing.T) float64 {
	t.Helper()
	return s.metric(t, "process_cpu_seconds_total")
}
