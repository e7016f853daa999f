package study

import (
	"reflect"
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

// PositionOf returns the position of the question that a token is of.
func PositionOf(t *testing.T, s *Service, token string) Position {
	t.Helper()
	read, err := open(token, s.secret)
	if err != nil {
		t.Fatal(err)
	}
	return read.Position
}
