package study

import "testing"

// Left returns how much a service remembers: desks and bells.
func (s *Service) Left(t *testing.T) (desks, bells int) {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.work.mutex.Lock()
	defer s.work.mutex.Unlock()
	s.news.mutex.Lock()
	defer s.news.mutex.Unlock()
	return len(s.desks), len(s.work.hung) + len(s.news.hung)
}
