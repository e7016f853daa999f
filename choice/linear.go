package choice

import "gonum.org/v1/gonum/mat"

// Linear is the [Likelihood] of a tally of answers about the arms of a catalogue: the utility of
// arm a is a'θ. Answers may be added to the tally between calls.
//
// With A the m×d features of the arms seen, u = Aθ their utilities and L the information about u,
// the gradient is A'(picks − expected picks) and the information is A'LA. If many arms have been
// seen but few of them together, Linear sums the information question by question instead. It
// chooses the cheaper way.
type Linear struct {
	armSpace

	catalogue *Catalogue
	features  []float64 // of the seen arms, minus those of the first
	product   []float64 // scratch: one row of LA
	mean      []float64 // scratch: mean features of a question
	contrast  []float64 // scratch: difference of the features of two arms
}

// NewLinear returns the likelihood of the answers in tally, which must be about
// the arms of catalogue.
func NewLinear(catalogue *Catalogue, tally *Tally) *Linear {
	if tally.Arms() != catalogue.Len() {
		panic("choice: the tally must be about the arms of the catalogue")
	}
	d := catalogue.Dim()
	l := &Linear{
		armSpace:  armSpace{tally: tally},
		catalogue: catalogue,
		product:   make([]float64, d),
		mean:      make([]float64, d),
		contrast:  make([]float64, d),
	}
	l.parameters = l
	return l
}

// Names returns the features of the catalogue.
func (l *Linear) Names() []string { return l.catalogue.Features() }

// derive sets the derivatives at the utilities.
func (l *Linear) derive(gradient []float64, information *mat.SymDense) {
	h := cells(information, len(gradient))
	clear(h)
	if l.laplacianIsCheaper() {
		l.setLaplacian()
		l.setFeatures()
		l.addProduct(h)
	} else {
		l.setResidual()
		for q := range l.tally.asked {
			l.addQuestion(h, q)
		}
	}
	l.setGradient(gradient)
}

// setGradient sets A'·residual. The residuals sum to zero, so subtracting the first arm's features
// from all changes nothing and avoids the rounding errors of large offsets.
func (l *Linear) setGradient(gradient []float64) {
	clear(gradient)
	for i, arm := range l.tally.seen {
		reference := l.catalogue.Arm(l.tally.seen[0])
		r := l.residual[i]
		for k, x := range l.catalogue.Arm(arm) {
			gradient[k] += r * (x - reference[k])
		}
	}
}

// Margins returns the range of the relative margins of the picks along v.
func (l *Linear) Margins(v []float64) (least, greatest float64) {
	return l.margins(func(pick, other int) float64 {
		return relativeMargin(v, l.catalogue.Arm(pick), l.catalogue.Arm(other))
	})
}

func (l *Linear) setUtilities(theta []float64) {
	if len(theta) != l.catalogue.Dim() {
		panic("choice: θ must have one entry for each feature")
	}
	l.resize()
	for i, arm := range l.tally.seen {
		l.utilities[i] = l.catalogue.Utility(arm, theta)
	}
}

// maxLaplacian is the largest number of arms whose Laplacian is worth its memory,
// 32 MB.
const maxLaplacian = 2048

// laplacianIsCheaper compares the multiplications of the two ways to compute the information:
// Q·K²/2 + m²d + md²/2 through the arms, Q·K·d²/2 directly.
func (l *Linear) laplacianIsCheaper() bool {
	tally := l.tally
	m, d := float64(len(tally.seen)), float64(l.catalogue.Dim())
	slots, questions := float64(len(tally.slots)), float64(len(tally.asked))
	through := slots*slots/(2*questions) + m*m*d + m*d*d/2
	direct := (slots + questions) * d * d / 2
	return m <= maxLaplacian && through <= direct
}

// setFeatures collects the features of the seen arms, minus those of the first: softmax is
// invariant under a common shift, and small numbers round less.
func (l *Linear) setFeatures() {
	seen := l.tally.seen
	l.features = l.features[:0]
	for _, arm := range seen {
		l.features = append(l.features, l.catalogue.Arm(arm)...)
		addScaled(l.features[len(l.features)-l.catalogue.Dim():], -1, l.catalogue.Arm(seen[0]))
	}
}

// addProduct adds A'LA to the upper triangle of h.
func (l *Linear) addProduct(h []float64) {
	d, m := l.catalogue.Dim(), len(l.utilities)
	for i := 1; i < m; i++ {
		clear(l.product)
		for j, w := range l.laplacian[i*m : (i+1)*m] {
			if w != 0 {
				addScaled(l.product, w, l.features[j*d:(j+1)*d])
			}
		}
		for k, x := range l.features[i*d : (i+1)*d] {
			if x != 0 {
				addScaled(h[k*d+k:(k+1)*d], x, l.product[k:])
			}
		}
	}
}

// addQuestion adds w·Σ_i p_i·(x_i − x̄)(x_i − x̄)' to h for question q, asked w times.
func (l *Linear) addQuestion(h []float64, q int) {
	seen, asked := l.tally.seen, l.tally.asked[q]
	slots := l.slotsOf(q)
	sum := 0.0
	for _, place := range slots {
		sum += l.exps[place]
	}
	reference := l.catalogue.Arm(seen[slots[0]])
	clear(l.mean)
	for _, place := range slots[1:] {
		copy(l.contrast, l.catalogue.Arm(seen[place]))
		addScaled(l.contrast, -1, reference)
		p := l.exps[place] / sum
		addOuter(h, asked*p, l.contrast)
		addScaled(l.mean, p, l.contrast)
	}
	addOuter(h, -asked, l.mean)
}
