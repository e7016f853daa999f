package main

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// A Usage is what a server process uses of its machine and of its database.
type Usage struct {
	Memory       float64 // resident, bytes
	Processor    float64 // CPU time since the process started, seconds
	Transactions float64 // that the database has ended; 0 if it does not count them
}

// A Memory is the resident memory of the server, in megabytes.
type Memory struct {
	Before float64 `json:"before_mb"` // before the first client
	Early  float64 `json:"early_mb"`  // mean over the second tenth of the time
	Late   float64 `json:"late_mb"`   // mean over the last tenth
	Most   float64 `json:"most_mb"`
}

// samples are readings of the usage over time.
type samples struct{ readings []Usage }

// watch adds readings from time to time until the context ends. Each costs the server the metrics of all studies.
func (s *samples) watch(ctx context.Context, every time.Duration, read func(context.Context) (Usage, error)) {
	for pause(ctx, max(every, time.Second)) {
		s.add(ctx, read)
	}
}

// add adds a reading, if there is one.
func (s *samples) add(ctx context.Context, read func(context.Context) (Usage, error)) {
	if read == nil {
		return
	}
	if now, err := read(ctx); err == nil {
		s.readings = append(s.readings, now)
	}
}

// memory summarises the readings; nil if there are none.
func (s *samples) memory() *Memory {
	if len(s.readings) == 0 {
		return nil
	}
	const megabyte = 1 << 20
	most := slices.MaxFunc(s.readings, func(a, b Usage) int { return cmp.Compare(a.Memory, b.Memory) })
	return &Memory{s.readings[0].Memory / megabyte, s.tenth(1) / megabyte, s.tenth(9) / megabyte, most.Memory / megabyte}
}

// tenth returns the mean memory over a tenth of the time, numbered from 0.
func (s *samples) tenth(number int) float64 {
	first := number * len(s.readings) / 10
	readings := s.readings[first:max((number+1)*len(s.readings)/10, first+1)]
	sum := 0.0
	for _, reading := range readings {
		sum += reading.Memory
	}
	return sum / float64(len(readings))
}

// perAnswer returns how much of a growing quantity an answer takes.
func (s *samples) perAnswer(quantity func(Usage) float64, answers int) float64 {
	if len(s.readings) == 0 || answers == 0 {
		return 0
	}
	return (quantity(s.readings[len(s.readings)-1]) - quantity(s.readings[0])) / float64(answers)
}
