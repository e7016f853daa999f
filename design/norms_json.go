package design

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// normsJSON are Norms to the letter, drift included. The norms are too many to be written
// as text: they are the bits, eight bytes each, the least first.
type normsJSON struct {
	V       []float64 `json:"v"`
	Root    []float64 `json:"root"`
	Norms   []byte    `json:"norms"`
	Updates int       `json:"updates"`
	Growth  float64   `json:"growth"`
}

// MarshalJSON saves the state.
func (p *Norms) MarshalJSON() ([]byte, error) {
	bits := make([]byte, 0, 8*len(p.norms))
	for _, x := range p.norms {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(x))
	}
	return json.Marshal(normsJSON{p.v.RawSymmetric().Data, p.root.RawMatrix().Data, bits, p.updates, p.growth})
}

// UnmarshalJSON restores a state that was saved from Norms over the same catalogue.
func (p *Norms) UnmarshalJSON(data []byte) error {
	var saved normsJSON
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	d := p.catalogue.Dim()
	if len(saved.V) != d*d || len(saved.Root) != d*d || len(saved.Norms) != 8*len(p.norms) {
		return errors.New("design: the saved precision is of another catalogue")
	}
	norms := make([]float64, len(p.norms))
	sound := saved.Updates >= 0 && saved.Growth >= 1
	for j := range norms {
		norms[j] = math.Float64frombits(binary.LittleEndian.Uint64(saved.Norms[8*j:]))
		sound = sound && norms[j] >= 0 && !math.IsInf(norms[j], 1)
	}
	for k := range d {
		sound = sound && saved.V[k*d+k] > 0
	}
	if !sound {
		return errors.New("design: the saved precision is damaged")
	}
	copy(p.v.RawSymmetric().Data, saved.V)
	copy(p.root.RawMatrix().Data, saved.Root)
	copy(p.norms, norms)
	p.updates, p.growth, p.asked = saved.Updates, saved.Growth, -1
	p.renewals++
	return nil
}
