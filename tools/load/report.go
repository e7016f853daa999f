package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// print writes the report as text.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "clients  %d\nanswers  %d acknowledged in %.1f s: %.0f per second\n", r.Clients, r.Answers, r.Seconds, r.Rate)
	if r.Raw > 0 {
		fmt.Fprintf(&text, "raw      %.0f per second, group-committed into the same store and nothing else; ratio %.2f\n", r.Raw,
			r.Ratio)
	}
	fmt.Fprintf(&text, "errors   %d (%.3f%% of requests)\n", r.Errors, 100*r.Share)
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		fmt.Fprintf(&text, "         %d %s\n", r.Kinds[kind], kind)
	}
	text.WriteString("\nms           p50     p90     p99     max\n")
	for _, row := range []struct {
		name string
		took Latency
	}{{"ask", r.Ask}, {"answer", r.Answer}} {
		fmt.Fprintf(&text, "%-8s %7.1f %7.1f %7.1f %7.1f\n", row.name, row.took.P50, row.took.P90, row.took.P99, row.took.Max)
	}
	if m := r.Memory; m != nil {
		fmt.Fprintf(&text, "\nmemory   %.0f MB before, %.0f in the second tenth of the time, %.0f in the last, %.0f at most\n",
			m.Before, m.Early, m.Late, m.Most)
	}
	if r.Processor > 0 {
		fmt.Fprintf(&text, "\ncpu      %.2f ms per answer, planning and storing included, clients not\n", r.Processor)
	}
	if r.Transactions > 0 {
		fmt.Fprintf(&text, "database %.1f transactions per answer\n", r.Transactions)
	}
	if r.Restart != nil {
		fmt.Fprintf(&text, "restart  on a database of %.0f MB: first question after %.2f s, first plan after %.2f s, "+
			"%.0f MB of memory\n", r.Restart.Database, r.Restart.Question, r.Restart.Plan, r.Restart.Memory)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
