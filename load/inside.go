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
	Early  float64 `json:"early_mb"`  // in the second tenth of the time, on average: garbage comes and goes
	Late   float64 `json:"late_mb"`   // in the last tenth
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
	most := slices.MaxFunc(i.looks, func(a, b Inside) int { return cmp.Compare(a.Memory, b.Memory) })
	return &Memory{i.looks[0].Memory / megabyte, i.tenth(1) / megabyte, i.tenth(9) / megabyte, most.Memory / megabyte}
}

// tenth returns the mean of the memory in a tenth of the time, of which the first is 0.
func (i *inside) tenth(number int) float64 {
	first := number * len(i.looks) / 10
	looks := i.looks[first:max((number+1)*len(i.looks)/10, first+1)]
	sum := 0.0
	for _, look := range looks {
		sum += look.Memory
	}
	return sum / float64(len(looks))
}

// processor returns how many milliseconds of a processor went into each of some answers.
func (i *inside) processor(answers int) float64 {
	if len(i.looks) == 0 || answers == 0 {
		return 0
	}
	return 1000 * (i.looks[len(i.looks)-1].Processor - i.looks[0].Processor) / float64(answers)
}
