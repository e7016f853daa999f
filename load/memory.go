package load

import (
	"context"
	"slices"
	"time"
)

// A Memory is how much memory the server had, in megabytes.
type Memory struct {
	Before float64 `json:"before_mb"` // anybody came
	Early  float64 `json:"early_mb"`  // when a tenth of the time had passed
	Late   float64 `json:"late_mb"`   // at the end
	Most   float64 `json:"most_mb"`
}

// memory is what a server had from time to time.
type memory struct{ looks []float64 }

// watch looks now and then.
func (m *memory) watch(ctx context.Context, read func(context.Context) (float64, error)) {
	for pause(ctx, time.Second) {
		m.look(ctx, read)
	}
}

// look notes what the server has now, if that is known.
func (m *memory) look(ctx context.Context, read func(context.Context) (float64, error)) {
	if read == nil {
		return
	}
	if bytes, err := read(ctx); err == nil {
		m.looks = append(m.looks, bytes)
	}
}

// report summarises what was seen; nil if nothing was.
func (m *memory) report() *Memory {
	if len(m.looks) == 0 {
		return nil
	}
	const megabyte = 1 << 20
	last := len(m.looks) - 1
	return &Memory{m.looks[0] / megabyte, m.looks[(last+9)/10] / megabyte, m.looks[last] / megabyte, slices.Max(m.looks) / megabyte}
}
