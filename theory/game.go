package theory

import "math"

// solveGame solves the zero-sum game with the given payoffs, all at least zero and no column all
// zero: one player mixes the rows so that the worst column pays most, the other mixes the columns
// so that the best row pays least. It returns both mixes up to rounding; a caller that needs a
// bound computes it from them.
//
// With payoffs D it is the linear program max Σy subject to Dy ≤ 1, y ≥ 0. Its solution divided by
// its sum is the mix of the columns, and its prices divided by their sum are the mix of the rows.
// The simplex method starts from y = 0, which is feasible, so it needs no phase 1.
func solveGame(payoffs [][]float64) (rows, columns []float64) {
	n, m := len(payoffs), len(payoffs[0])
	scale := 0.0
	for _, row := range payoffs {
		for _, x := range row {
			scale = max(scale, x)
		}
	}
	// A tableau of n rows: m columns of D, n of slack, one of right-hand sides; and a
	// last row of prices.
	width := m + n + 1
	tableau := make([][]float64, n+1)
	basis := make([]int, n)
	for i := range tableau {
		tableau[i] = make([]float64, width)
		if i == n {
			for c := range m {
				tableau[i][c] = -1
			}
			break
		}
		for c, x := range payoffs[i] {
			tableau[i][c] = x / scale
		}
		tableau[i][m+i], tableau[i][width-1] = 1, 1
		basis[i] = m + i
	}
	// The lowest price enters; after many pivots the first negative one, which cannot cycle.
	const patience = 20
	for pivots := range 4 * patience * (n + m) {
		column := entering(tableau[n][:width-1], pivots > patience*(n+m))
		if column < 0 {
			break
		}
		row := leaving(tableau[:n], basis, column)
		if row < 0 {
			break
		}
		pivot(tableau, row, column)
		basis[row] = column
	}
	rows, columns = make([]float64, n), make([]float64, m)
	for i := range rows {
		rows[i] = max(tableau[n][m+i], 0)
	}
	for i, c := range basis {
		if c < m {
			columns[c] = max(tableau[i][width-1], 0)
		}
	}
	normalise(rows)
	normalise(columns)
	return rows, columns
}

// entering returns the column with the lowest price, or the first with a negative price; −1 if
// there is none.
func entering(prices []float64, first bool) int {
	const tolerance = 1e-11
	at, lowest := -1, -tolerance
	for c, price := range prices {
		if price < lowest {
			at, lowest = c, price
			if first {
				break
			}
		}
	}
	return at
}

// leaving returns the row that first reaches zero as the column grows. Ties go to the first
// variable.
func leaving(rows [][]float64, basis []int, column int) int {
	const tolerance = 1e-11
	at, least := -1, math.Inf(1)
	for i, row := range rows {
		if row[column] <= tolerance {
			continue
		}
		ratio := row[len(row)-1] / row[column]
		if ratio < least || ratio == least && basis[i] < basis[at] {
			at, least = i, ratio
		}
	}
	return at
}

// pivot makes the column a unit vector.
func pivot(tableau [][]float64, row, column int) {
	chosen := tableau[row]
	by := chosen[column]
	for c := range chosen {
		chosen[c] /= by
	}
	for i, other := range tableau {
		if factor := other[column]; i != row && factor != 0 {
			for c, x := range chosen {
				other[c] -= factor * x
			}
		}
	}
}

// normalise divides numbers by their sum.
func normalise(xs []float64) {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	for i := range xs {
		xs[i] /= sum
	}
}
