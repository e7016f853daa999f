package evidence

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Logs are logarithms of a capital by level. In JSON they are the bytes of the numbers, or one number where all are equal, as
// before the first bet: snapshots have very many of them.
type Logs []float64

// MarshalJSON implements [json.Marshaler].
func (l Logs) MarshalJSON() ([]byte, error) {
	if len(l) > 0 && !slices.ContainsFunc(l, func(x float64) bool { return x != l[0] }) {
		return json.Marshal([]float64{float64(len(l)), l[0]})
	}
	bytes := make([]byte, 0, 8*len(l))
	for _, x := range l {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x))
	}
	return json.Marshal(bytes)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Logs) UnmarshalJSON(text []byte) error {
	var equal []float64
	if json.Unmarshal(text, &equal) == nil && len(equal) == 2 && equal[0] >= 1 && equal[0] <= maxLevels {
		*l = slices.Repeat(Logs{equal[1]}, int(equal[0]))
		return nil
	}
	var bytes []byte
	if err := json.Unmarshal(text, &bytes); err != nil || len(bytes)%8 != 0 || len(bytes) > 8*maxLevels {
		return fmt.Errorf("evidence: the logarithms of a capital are not those of at most %d levels", maxLevels)
	}
	*l = make(Logs, len(bytes)/8)
	for i := range *l {
		(*l)[i] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	return nil
}

// maxLevels bounds the levels of a capital in JSON.
const maxLevels = 1000

// Bets are bets on people in the order of their arrival. In JSON they are bytes: of each bet the counts as varints, the flags
// and the numbers. Snapshots have hundreds of thousands of them.
type Bets []Bet

func (b *Bet) counts() [6]*int {
	return [...]*int{&b.Arrival, &b.Arm, &b.Cards, &b.Shown, &b.Rival, &b.Nominee}
}

func (b *Bet) flags() [3]*bool { return [...]*bool{&b.Ended, &b.Distrusted, &b.Cut} }

func (b *Bet) numbers() [5]*float64 {
	return [...]*float64{&b.Stake, &b.Mean, &b.Within, &b.Chosen, &b.Variance}
}

// MarshalJSON implements [json.Marshaler].
func (b Bets) MarshalJSON() ([]byte, error) {
	var bytes []byte
	for i := range b {
		for _, n := range b[i].counts() {
			bytes = binary.AppendUvarint(bytes, uint64(*n))
		}
		var flags byte
		for at, flag := range b[i].flags() {
			if *flag {
				flags |= 1 << at
			}
		}
		bytes = append(bytes, flags)
		for _, x := range b[i].numbers() {
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(*x))
		}
	}
	return json.Marshal(bytes)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (b *Bets) UnmarshalJSON(text []byte) error {
	var bytes []byte
	if err := json.Unmarshal(text, &bytes); err != nil {
		return err
	}
	for *b = nil; len(bytes) > 0; {
		var bet Bet
		for _, n := range bet.counts() {
			value, size := binary.Uvarint(bytes)
			if size <= 0 || value > math.MaxInt32 {
				return errors.New("evidence: the counts of a bet are varints")
			}
			*n, bytes = int(value), bytes[size:]
		}
		numbers := bet.numbers()
		if len(bytes) < 1+8*len(numbers) {
			return errors.New("evidence: the last bet is not complete")
		}
		for at, flag := range bet.flags() {
			*flag = bytes[0]>>at&1 == 1
		}
		bytes = bytes[1:]
		for _, x := range numbers {
			*x, bytes = math.Float64frombits(binary.LittleEndian.Uint64(bytes)), bytes[8:]
		}
		*b = append(*b, bet)
	}
	return nil
}
