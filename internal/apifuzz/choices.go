package apifuzz

import "math/rand/v2"

// Choices turns bytes into choices: equal bytes make equal choices. After the last byte every choice is the first
// option, which is the plainest. Not safe for concurrent use.
type Choices struct{ left []byte }

// NewChoices returns choices that consume the given bytes.
func NewChoices(bytes []byte) *Choices { return &Choices{bytes} }

// RandomBytes returns n bytes for [NewChoices].
func RandomBytes(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	bytes := make([]byte, n)
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	return bytes
}

// Empty reports whether all bytes are consumed.
func (c *Choices) Empty() bool { return len(c.left) == 0 }

// below returns a number from 0 to n-1.
func (c *Choices) below(n int) int {
	const oneByte = 256
	chosen := c.next()
	if n > oneByte {
		chosen |= c.next()<<8 | c.next()<<16
	}
	return chosen % n
}

func (c *Choices) next() int {
	if c.Empty() {
		return 0
	}
	first := c.left[0]
	c.left = c.left[1:]
	return int(first)
}

// oneIn is true with probability 1/n.
func (c *Choices) oneIn(n int) bool { return c.below(n) == n-1 }

func choose[T any](c *Choices, options []T) T { return options[c.below(len(options))] }
