package load

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// An Inside is what a server has taken of its machine at some moment.
type Inside struct {
	Memory    float64 // bytes
	Processor float64 // seconds of a processor, since it was started
}

// A Memory is how much memory the server had, in megabytes.
type Memory struct {
	Before float64 `json:"before_mb"` // anybody came
	Early  float64 `json:"early_mb"`  // when a tenth of the time had passed
	Late   float64 `json:"late_mb"`   // at the end
	Most   float64 `json:"most_mb"`
}

// inside is what a server had taken from time to time.
type inside struct{ looks []Inside }

// watch looks now and then.
func (i *inside) watch(ctx context.Context, read func(context.Context) (Inside, error)) {
	for pause(ctx, time.Second) {
		i.look(ctx, read)
	}
}

// look notes what the server has taken so far, if that is known.
func (i *inside) look(ctx context.Context, read func(context.Context) (Inside, error)) {
	if read == nil {
		return
	}
	if now, err := read(ctx); err == nil {
		i.looks = append(i.looks, now)
	}
}

// memory summarises what was seen; nil if nothing was.
func (i *inside) memory() *Memory {
	if len(i.looks) == 0 {
		return nil
	}
	const megabyte = 1 << 20
	at := func(look int) float64 { return i.looks[look].Memory / megabyte }
	last := len(i.looks) - 1
	most := slices.MaxFunc(i.looks, func(a, b Inside) int { return cmp.Compare(a.Memory, b.Memory) })
	return &Memory{at(0), at((last + 9) / 10), at(last), most.Memory / megabyte}
}

// processor returns how many milliseconds of a processor went into each of some answers.
func (i *inside) processor(answers int) float64 {
	if len(i.looks) == 0 || answers == 0 {
		return 0
	}
	return 1000 * (i.looks[len(i.looks)-1].Processor - i.looks[0].Processor) / float64(answers)
}
