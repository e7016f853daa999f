package fitting

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/recorded"
)

// tieConstant is the name of the parameter of ties.
const tieConstant = "log ν (tie)"

// addTerms sets the likelihood of answers about items with further terms. With π = exp u, Davidson's model gives
// the outcomes i, j and tie probabilities in proportion to π_i, π_j and ν·√(π_i·π_j); an advantage of the left
// side multiplies its π. The utilities sum to zero, as those of free do: they have the coordinates of an
// orthonormal basis of such utilities, so that a penalty on either is the same.
func (d *Data) addTerms(rankings *recorded.Rankings, form recorded.ItemForm, free *choice.Free) error {
	n := len(d.items)
	switch {
	case form.Ties:
		d.ties, d.model = true, davidson
	case rankings.BestWorst:
		d.model = bestWorst
	}
	rows, features := contrasts(n), make([]string, n-1)
	for k := range features {
		features[k] = fmt.Sprint("contrast ", k+1)
	}
	ids := d.items
	d.names = slices.Clone(d.items)
	if form.Side {
		ids, rows, features = besideLeft(ids, rows, features)
		d.names = append(d.names, recorded.SideName)
	}
	if form.Ties {
		d.names = append(d.names, tieConstant)
	}
	items, err := choice.NewCatalogue(ids, features, rows)
	if err != nil {
		return err
	}
	alternatives := choice.NewAlternatives(items, choice.Offer{Ties: form.Ties, BestWorst: rankings.BestWorst})
	count := rankings.Offered(alternatives, form.Side)
	linear := choice.NewLinear(alternatives.Rows(), rankings.Tally(count))
	d.basis = mat.NewDense(len(d.names), len(d.names)-1, nil)
	for i := range d.names {
		for k := range len(d.names) - 1 {
			switch {
			case i < n && k < n-1:
				d.basis.Set(i, k, rows[i][k])
			case i == k+1 && i >= n:
				d.basis.Set(i, k, 1)
			}
		}
	}
	d.likelihood, d.scores = linear, scoresOf(rankings, count, linear.Scores)
	d.explain = func(err error) error { return explainTerms(free, err) }
	return nil
}

// besideLeft returns the items, then each on the left side, which has a further feature.
func besideLeft(ids []string, rows [][]float64, features []string) (bothIDs []string, both [][]float64, all []string) {
	for _, left := range []float64{0, 1} {
		for i, id := range ids {
			bothIDs, both = append(bothIDs, fmt.Sprint(id, " ", left)), append(both, append(slices.Clone(rows[i]), left))
		}
	}
	return bothIDs, both, append(features, recorded.SideName)
}

// setBase makes the utility of an item zero: the others are differences from it.
func (d *Data) setBase(name string) {
	base := slices.Index(d.items, name)
	if d.basis == nil {
		d.names = d.items
		d.basis = mat.NewDense(len(d.items), len(d.items), nil)
		for i := range d.items {
			d.basis.Set(i, i, 1)
		}
	}
	_, width := d.basis.Dims()
	differences := mat.NewDense(len(d.names)-1, width, nil)
	for i, to := 0, 0; i < len(d.names); i++ {
		if i == base {
			continue
		}
		for k := range width {
			x := d.basis.At(i, k)
			if i < len(d.items) {
				x -= d.basis.At(base, k)
			}
			differences.Set(to, k, x)
		}
		to++
	}
	d.basis, d.base, d.names = differences, name, slices.Delete(slices.Clone(d.names), base, base+1)
}

// contrasts returns n rows of an orthonormal basis of the vectors that sum to zero: Helmert's.
func contrasts(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n-1)
		for k := 1; k < n; k++ {
			switch scale := 1 / math.Sqrt(float64(k*(k+1))); {
			case i < k:
				rows[i][k-1] = scale
			case i == k:
				rows[i][k-1] = -float64(k) * scale
			}
		}
	}
	return rows
}

// inBasis returns an estimate of the likelihood for the parameters of the basis.
func (d *Data) inBasis(e *choice.Estimate) *choice.Estimate {
	if d.basis == nil {
		return e
	}
	made := *e
	var theta mat.VecDense
	theta.MulVec(d.basis, mat.NewVecDense(len(e.Theta), e.Theta))
	made.Names, made.Theta, made.Covariance = d.names, theta.RawVector().Data, transformed(d.basis, e.Covariance)
	return &made
}

// sandwich returns the robust covariance of the parameters of the basis, given the estimate of the
// likelihood. It is nil if the data do not determine it.
func (d *Data) sandwich(e *choice.Estimate, byRespondent bool) *mat.SymDense {
	robust := e.RobustCovariance(d.scores(e.Theta, byRespondent))
	if d.basis == nil || robust == nil {
		return robust
	}
	return transformed(d.basis, robust)
}

// transformed returns TCT'.
func transformed(t *mat.Dense, c *mat.SymDense) *mat.SymDense {
	var half, whole mat.Dense
	half.Mul(t, c)
	whole.Mul(&half, t.T())
	n, _ := whole.Dims()
	made := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			made.SetSym(i, j, whole.At(i, j))
		}
	}
	return made
}

// explainTerms states an estimator's error in terms of items and votes.
func explainTerms(free *choice.Free, err error) error {
	if groups := free.Groups(); len(groups) > 1 {
		return explainVotes(free, err)
	}
	if _, separated := errors.AsType[*choice.SeparationError](err); separated {
		return errors.New("some utilities, the advantage of the left side or log ν are infinite: " +
			"no vote or every vote is a tie, or an " +
			"item, or a group of items, never lost a vote to the others or never won one; leave out terms or items, or use --ridge")
	}
	return err
}
