package design

import (
	"encoding/json"
	"errors"
)

// productsJSON is Products to the letter, drift included, so that a rule goes on
// exactly as it would have.
type productsJSON struct {
	V        []float64 `json:"v"`
	Products []float64 `json:"products"`
	Shown    int       `json:"shown"`
	Updates  int       `json:"updates"`
}

// MarshalJSON saves the state.
func (p *Products) MarshalJSON() ([]byte, error) {
	return json.Marshal(productsJSON{p.v.RawSymmetric().Data, p.products, p.shown, p.updates})
}

// UnmarshalJSON restores a state that was saved from Products over the same
// catalogue.
func (p *Products) UnmarshalJSON(data []byte) error {
	var saved productsJSON
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	v := p.v.RawSymmetric().Data
	if len(saved.V) != len(v) || len(saved.Products) != len(p.products) {
		return errors.New("design: the saved precision is of another catalogue")
	}
	for k := range p.catalogue.Dim() {
		if !(saved.V[k*p.catalogue.Dim()+k] > 0) || saved.Shown < 0 || saved.Updates < 0 {
			return errors.New("design: the saved precision is damaged")
		}
	}
	copy(v, saved.V)
	copy(p.products, saved.Products)
	p.shown, p.updates = saved.Shown, saved.Updates
	return nil
}
