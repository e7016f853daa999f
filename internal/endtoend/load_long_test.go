//go:build long

package endtoend

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"bestpick/internal/testsupport"
)

// TestLongLoad: tools/load starts a server and measures it.
func TestLongLoad(t *testing.T) {
	load := filepath.Join(t.TempDir(), "load")
	if out, err := exec.CommandContext(testsupport.Limited(t), "go", "build", "-o", load, "bestpick/tools/load").CombinedOutput(); err != nil { //nolint:gosec // a path of the test
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(testsupport.Limited(t), load, "--program", program, "--json", "--clients", "8", "--answers", "200", "--for", "30s").Output() //nolint:gosec // the program just built
	testsupport.NoError(t, err)
	var report struct {
		Answers int     `json:"answers"`
		Errors  int     `json:"errors"`
		Rate    float64 `json:"answers_per_second"`
		Raw     float64 `json:"raw_answers_per_second"`
		Ratio   float64 `json:"ratio"`
		Ask     struct {
			P99 float64 `json:"p99_ms"`
		} `json:"ask"`
		Memory struct {
			Most float64 `json:"most_mb"`
		} `json:"memory"`
		Processor float64 `json:"processor_ms_per_answer"`
	}
	testsupport.NoError(t, json.Unmarshal(out, &report))
	if report.Answers < 200 || report.Answers > 208 || report.Errors > 0 || report.Rate <= 0 || report.Raw <= report.Rate || report.Ratio <= 0 || report.Ask.P99 <= 0 {
		t.Errorf("%s", out)
	}
	// A server needs at least a few megabytes, and uses the processor for a part of the 30 seconds.
	if report.Memory.Most < 5 || report.Processor <= 0 || report.Processor > 1000 {
		t.Errorf("memory %v MB, %v ms per answer", report.Memory.Most, report.Processor)
	}
}
