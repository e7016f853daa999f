package design

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// normsJSON is the state of Norms, accumulated rounding errors included. There may be very many
// norms, so they are encoded as little-endian float64 bits instead of text.
type normsJSON struct {
	V       []float64 `json:"v"`
	Root    []float64 `json:"root"`
	Norms   []byte    `json:"norms"`
	Updates int       `json:"updates"`
	Growth  float64   `json:"growth"`
}

// MarshalJSON encodes the state for UnmarshalJSON.
func (p *Norms) MarshalJSON() ([]byte, error) {
	bits := make([]byte, 0, 8*len(p.norms))
	for _, x := range p.norms {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(x))
	}
	return json.Marshal(normsJSON{p.v.RawSymmetric().Data, p.root.RawMatrix().Data, bits, p.updates, p.growth})
}

// UnmarshalJSON restores the state of Norms over the same catalogue. It does not check the
// consistency of its input: callers protect stored state with a checksum.
func (p *Norms) UnmarshalJSON(data []byte) error {
	var saved normsJSON
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	if len(saved.Norms) != 8*len(p.norms) {
		return errors.New("design: the saved norms must be of the same catalogue")
	}
	for j := range p.norms {
		p.norms[j] = math.Float64frombits(binary.LittleEndian.Uint64(saved.Norms[8*j:]))
	}
	copy(p.v.RawSymmetric().Data, saved.V)
	copy(p.root.RawMatrix().Data, saved.Root)
	p.updates, p.growth, p.asked = saved.Updates, saved.Growth, -1
	p.renewals++
	return nil
}
