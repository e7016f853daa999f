package study

import "sync"

// Bells tell whoever waits that something happened in a study. Nothing is lost between two waits as
// long as one takes the channel first and looks what there is to do after that.
type bells struct {
	mutex sync.Mutex
	hung  map[string]chan struct{} // by study
}

// wait returns a channel that is closed when the bell of a study rings next.
func (b *bells) wait(id string) <-chan struct{} {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.hung == nil {
		b.hung = map[string]chan struct{}{}
	}
	if b.hung[id] == nil {
		b.hung[id] = make(chan struct{})
	}
	return b.hung[id]
}

// ring lets everybody know who waits for news of a study.
func (b *bells) ring(id string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if bell := b.hung[id]; bell != nil {
		close(bell)
		delete(b.hung, id)
	}
}
