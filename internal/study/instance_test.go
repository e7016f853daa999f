package study_test

import (
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
)

// left returns the number of desks in the memory of a process, and of events that goroutines wait
// for.
func (p *instance) left(t *testing.T) (desks, events int) {
	t.Helper()
	live := reflect.ValueOf(p.Live).Elem()
	for _, notifier := range []string{"PlanWork", "Updates"} {
		events += live.FieldByName(notifier).FieldByName("waiting").Len()
	}
	for kept := live.FieldByName("kept").MapRange(); kept.Next(); {
		for parts := kept.Value().Elem().FieldByName("Value").Elem().Elem().FieldByName("parts").MapRange(); parts.Next(); {
			if strings.HasSuffix(parts.Value().Elem().Type().String(), ".desk") {
				desks++
			}
		}
	}
	return desks, events
}

// countMACs counts the message authentication codes that are computed from now on, to open or sign
// tokens.
func (p *instance) countMACs() *atomic.Int64 {
	var n atomic.Int64
	sum := p.MAC
	p.MAC = func(text []byte) []byte {
		n.Add(1)
		return sum(text)
	}
	return &n
}
