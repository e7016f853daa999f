package fitting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/recorded"
)

// maxTiedItems bounds the memory of the basis, 32 MB.
const maxTiedItems = 2000

// tieConstant is the name of the parameter of ties.
const tieConstant = "log ν (tie)"

// davidson returns votes for Davidson's model: with π = exp u, the outcomes i, j and tie have probabilities
// in proportion to π_i, π_j and ν·√(π_i·π_j). The utilities sum to zero, as those of free do: they have the
// coordinates of an orthonormal basis of such utilities, so that a penalty on either is the same.
func davidson(votes *recorded.Votes, free *choice.Free) (*Data, error) {
	n := len(votes.Items)
	if n > maxTiedItems {
		return nil, fmt.Errorf("--ties needs at most %d items, got %d", maxTiedItems, n)
	}
	rows, features := contrasts(n), make([]string, n-1)
	for k := range features {
		features[k] = fmt.Sprint("contrast ", k+1)
	}
	items, err := choice.NewCatalogue(votes.Items, features, rows)
	if err != nil {
		return nil, err
	}
	alternatives := choice.NewAlternatives(items, choice.Offer{Ties: true})
	linear := choice.NewLinear(alternatives.Rows(), votes.Tally(votes.Ties(alternatives)))
	basis := mat.NewDense(n+1, n, nil)
	for i, row := range rows {
		for k, x := range row {
			basis.Set(i, k, x)
		}
	}
	basis.Set(n, n-1, 1)
	return &Data{
		Hints:       votes.Hints,
		likelihood:  linear,
		tasks:       votes.Len(),
		items:       n,
		respondents: votes.RespondentCount,
		scores:      scoresOf(votes, votes.Ties(alternatives), linear.Scores),
		explain:     func(err error) error { return explainTies(free, err) },
		basis:       basis,
		names:       append(append([]string(nil), votes.Items...), tieConstant),
	}, nil
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

// explainTies states an estimator's error in terms of items and votes with ties.
func explainTies(free *choice.Free, err error) error {
	if groups := free.Groups(); len(groups) > 1 {
		return explainVotes(free, err)
	}
	if _, separated := errors.AsType[*choice.SeparationError](err); separated {
		return errors.New("some utilities or log ν are infinite: no vote or every vote is a tie, or an item, or a " +
			"group of items, never lost a vote to the others or never won one; leave out --ties or items, or use --ridge")
	}
	return err
}
