package baseline

import (
	"math/rand/v2"

	"bestpick/choice"
)

// randomQuestion sets q to k of n arms, each drawn uniformly and independently (Algorithm 1, line
// 4). It draws again if all are the same.
func randomQuestion(rng *rand.Rand, q choice.Question, k, n int) choice.Question {
	for {
		q = q[:0]
		same := true
		for range k {
			q = append(q, rng.IntN(n))
			same = same && q[len(q)-1] == q[0]
		}
		if !same {
			return q
		}
	}
}
