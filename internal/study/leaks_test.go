package study

import (
	"reflect"
	"sync/atomic"
	"testing"
)

// Left returns how much a service remembers: desks and bells.
func (s *Service) Left(t *testing.T) (desks, bells int) {
	t.Helper()
	s.work.mutex.Lock()
	defer s.work.mutex.Unlock()
	s.news.mutex.Lock()
	defer s.news.mutex.Unlock()
	for at := s.Live.order.Front(); at != nil; at = at.Next() {
		l, _ := at.Value.(*live)
		if _, has := l.parts[reflect.TypeFor[desk]()]; has {
			desks++
		}
	}
	return desks, len(s.work.hung) + len(s.news.hung)
}

// CountMACs counts the message authentication codes that are computed from now on, for a token that is opened or signed.
func (s *Service) CountMACs() *atomic.Int64 {
	var n atomic.Int64
	before := s.mac
	s.mac = func(text []byte) []byte {
		n.Add(1)
		return before(text)
	}
	return &n
}
