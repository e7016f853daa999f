package hostile

import "math/rand/v2"

// Dice make choices out of bytes: the same bytes make the same choices. When none are left every choice is the
// first one, which is the plainest.
type Dice struct{ left []byte }

// NewDice returns dice that make their choices out of some bytes.
func NewDice(bytes []byte) *Dice { return &Dice{bytes} }

// Rolled returns so many random bytes.
func Rolled(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	bytes := make([]byte, n)
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	return bytes
}

// Empty reports whether no bytes are left.
func (d *Dice) Empty() bool { return len(d.left) == 0 }

// below chooses one of n numbers, from 0.
func (d *Dice) below(n int) int {
	const oneByte = 256
	chosen := d.next()
	if n > oneByte {
		chosen |= d.next()<<8 | d.next()<<16
	}
	return chosen % n
}

func (d *Dice) next() int {
	if d.Empty() {
		return 0
	}
	first := d.left[0]
	d.left = d.left[1:]
	return int(first)
}

// oneIn is true once in n times.
func (d *Dice) oneIn(n int) bool { return d.below(n) == n-1 }

// choose returns one of a list.
func choose[T any](d *Dice, list []T) T { return list[d.below(len(list))] }
