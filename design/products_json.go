package design

import "encoding/json"

// productsJSON is the state of Products, accumulated rounding errors included.
type productsJSON struct {
	V        []float64 `json:"v"`
	Products []float64 `json:"products"`
	Shown    int       `json:"shown"`
	Updates  int       `json:"updates"`
}

// MarshalJSON encodes the state for UnmarshalJSON.
func (p *Products) MarshalJSON() ([]byte, error) {
	return json.Marshal(productsJSON{p.v.RawSymmetric().Data, p.products, p.shown, p.updates})
}

// UnmarshalJSON restores the state of Products over the same catalogue. It does not check the
// consistency of its input: callers protect stored state with a checksum.
func (p *Products) UnmarshalJSON(data []byte) error {
	var saved productsJSON
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	copy(p.v.RawSymmetric().Data, saved.V)
	copy(p.products, saved.Products)
	p.shown, p.updates = saved.Shown, saved.Updates
	return nil
}
