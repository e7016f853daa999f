package fitting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// ClassOptions say how to fit latent classes.
type ClassOptions struct {
	Options

	Count int    // number of classes; 0 for the number with the least BIC
	Seed  uint64 // of the starts
	Price string // parameter for the willingness to pay; "" for none
}

// Classes are a fitted model with latent classes: respondents of one class have the same part-worths.
type Classes struct {
	Tasks             int         `json:"tasks"`
	Alternatives      int         `json:"alternatives"`
	Respondents       int         `json:"respondents"`
	Classes           []Class     `json:"classes"`           // the largest first
	Best              *Favourite  `json:"best,omitempty"`    // of all respondents; nil with columns by alternative
	Options           int         `json:"options,omitempty"` // different alternatives in the data
	Errors            Errors      `json:"errors"`            // which z, p and intervals use
	Names             []string    `json:"names"`             // of all parameters, in the order of the covariances
	Covariances       Covariances `json:"covariance"`
	LogLikelihood     float64     `json:"log_likelihood"`
	NullLogLikelihood float64     `json:"log_likelihood_equal_shares"`
	Statistics        *Measures   `json:"statistics,omitempty"` // nil with a ridge
	Tried             []Tried     `json:"tried,omitempty"`      // numbers of classes, to find that with the least BIC
	Starts            Starts      `json:"starts"`
	Members           []Member    `json:"members"` // respondents in order of appearance
}

// A Class is a part of the respondents.
type Class struct {
	Share      Derived     `json:"share"`
	Members    int         `json:"members"` // respondents who most probably belong to it
	Parameters []Parameter `json:"parameters"`
	Best       *Favourite  `json:"best,omitempty"`
	WTP        []Derived   `json:"willingness_to_pay,omitempty"`
}

// A Favourite is the best of the different alternatives in the data. Of a class it has the largest utility. Of
// all respondents no other is chosen over it, from two, by more than half; if every alternative has such
// another, Cycle is true and the favourite has the largest mean utility.
type Favourite struct {
	Name  string  `json:"name"`
	Least float64 `json:"least"` // share of respondents who choose it over the other that is chosen over it most often
	Cycle bool    `json:"cycle,omitempty"`
}

// Tried is the fit of a number of classes.
type Tried struct {
	Classes       int     `json:"classes"`
	LogLikelihood float64 `json:"log_likelihood"`
	BIC           float64 `json:"bic"`
}

// Starts says how often the maximum was found.
type Starts struct {
	Seed    uint64 `json:"seed"`
	Ended   int    `json:"ended"`   // starts followed to the end
	Reached int    `json:"reached"` // of these, those that reached the maximum
}

// A Member is a respondent with the probability of each class, given the picks.
type Member struct {
	Respondent    string    `json:"respondent"`
	Class         int       `json:"class"` // the most probable, from 1
	Probabilities []float64 `json:"probabilities"`
}

// maxClasses is the largest number of classes that are tried.
const maxClasses = 10

// FitClasses fits latent classes. It needs choices with respondents, and the answers of [recorded.LongForm].
func (d *Data) FitClasses(options ClassOptions) (*Classes, error) {
	if options.Count > 0 {
		fitted, err := d.mixture(options.Count, options)
		if err != nil {
			return nil, err
		}
		return d.describe(fitted, options)
	}
	var best *choice.Classes
	var tried []Tried
	least := math.Inf(1)
	for count := 1; count <= maxClasses; count++ {
		fitted, err := d.mixture(count, options)
		if _, undetermined := errors.AsType[*choice.MixtureError](err); undetermined {
			break
		}
		if err != nil {
			return nil, err
		}
		bic := d.measures(fitted.Estimate).BIC
		tried = append(tried, Tried{count, fitted.Estimate.LogLikelihood, bic})
		if bic >= least {
			break
		}
		best, least = fitted, bic
	}
	classes, err := d.describe(best, options)
	if err == nil {
		classes.Tried = tried
	}
	return classes, err
}

// mixture fits a number of classes.
func (d *Data) mixture(count int, options ClassOptions) (*choice.Classes, error) {
	mixture := choice.Mixture{Classes: count, Ridge: options.Ridge, Seed: options.Seed}
	fitted, err := mixture.Fit(d.choices.Records, d.choices.Respondents)
	if _, undetermined := errors.AsType[*choice.MixtureError](err); undetermined {
		return nil, fmt.Errorf("%w; use fewer classes, or --ridge", err)
	}
	if err != nil {
		return nil, d.explain(err)
	}
	return fitted, nil
}

// describe returns fitted classes with errors, statistics and favourites.
func (d *Data) describe(fitted *choice.Classes, options ClassOptions) (*Classes, error) {
	e := fitted.Estimate
	c := &Classes{
		Tasks: d.tasks, Alternatives: d.alternatives, Respondents: d.respondents, Errors: d.defaultErrors(), Names: e.Names,
		LogLikelihood: e.LogLikelihood, NullLogLikelihood: e.NullLogLikelihood,
		Starts: Starts{options.Seed, fitted.Ended, fitted.Reached},
	}
	if options.Errors != "" {
		c.Errors = options.Errors
	}
	if options.Ridge == 0 {
		c.Statistics = d.measures(e)
	}
	sandwich := e.RobustCovariance(fitted.Scores)
	every := choice.UpTo(len(e.Names))
	c.Covariances = Covariances{Plain: ordered(e.Covariance, every), Clustered: ordered(sandwich, every)}
	used := e.Covariance
	if c.Errors != Plain && sandwich != nil {
		used = sandwich
	}
	c.addMembers(d, fitted)
	names, width := d.likelihood.Names(), len(d.likelihood.Names())
	for k, theta := range fitted.Theta {
		first := len(fitted.Shares) - 1 + k*width
		own := &Result{Errors: c.Errors, covariance: part(used, first, width), estimate: &choice.Estimate{
			Names: names, Theta: theta, Covariance: part(e.Covariance, first, width),
		}}
		class := &c.Classes[k]
		class.Share = share(fitted.Shares, k, used)
		class.Parameters = own.parameters(part(sandwich, first, width), every[:width])
		if options.Price != "" {
			var err error
			if class.WTP, err = own.WillingnessToPay(options.Price); err != nil {
				return nil, err
			}
		}
	}
	if options := d.choices.Answers.Catalogue; len(d.form.ByAlternative) == 0 {
		c.Options = options.Len()
		c.addFavourites(options, fitted)
	}
	return c, nil
}

// addMembers adds the classes, and who belongs to them.
func (c *Classes) addMembers(d *Data, fitted *choice.Classes) {
	c.Classes = make([]Class, len(fitted.Shares))
	seen := make([]bool, len(d.choices.RespondentNames))
	at := 0
	for _, respondent := range d.choices.Respondents {
		if seen[respondent] {
			continue
		}
		seen[respondent] = true
		own := fitted.Members[at]
		class := floats.MaxIdx(own)
		c.Members = append(c.Members, Member{d.choices.RespondentNames[respondent], class + 1, own})
		c.Classes[class].Members++
		at++
	}
}

// share returns the share of class k, with an interval that is symmetric for its log odds. The derivative of
// log(π_k/(1−π_k)) by the parameter log(π_l/π_1) is (δ_kl − π_l)/(1−π_k).
func share(shares []float64, k int, covariance *mat.SymDense) Derived {
	name, value := fmt.Sprintf("class %d", k+1), shares[k]
	if len(shares) == 1 {
		return Derived{Name: name, Value: 1, Low: 1, High: 1}
	}
	gradient := mat.NewVecDense(covariance.SymmetricDim(), nil)
	for l := 1; l < len(shares); l++ {
		slope := -shares[l]
		if l == k {
			slope++
		}
		gradient.SetVec(l-1, slope/(1-value))
	}
	se := math.Sqrt(max(0, mat.Inner(gradient, covariance, gradient)))
	logOdds := math.Log(value / (1 - value))
	return Derived{name, value, value * (1 - value) * se, logistic(logOdds - quantile*se), logistic(logOdds + quantile*se)}
}

// part returns a block on the diagonal, nil for nil.
func part(m *mat.SymDense, first, size int) *mat.SymDense {
	if m == nil {
		return nil
	}
	block := mat.NewSymDense(size, nil)
	block.CopySym(m.SliceSym(first, first+size))
	return block
}

// addFavourites finds the best alternatives.
func (c *Classes) addFavourites(options *choice.Catalogue, fitted *choice.Classes) {
	n := options.Len()
	utilities := make([][]float64, len(fitted.Theta)) // by class
	mean := make([]float64, n)
	for k, theta := range fitted.Theta {
		for option := range n {
			utilities[k] = append(utilities[k], options.Utility(option, theta[:options.Dim()]))
		}
		floats.AddScaled(mean, fitted.Shares[k], utilities[k])
	}
	over := func(a, b int) (chosen float64) { // share of respondents who choose a over b
		for k, u := range utilities {
			chosen += fitted.Shares[k] * logistic(u[a]-u[b])
		}
		return chosen
	}
	favourite := func(option int) *Favourite {
		f := &Favourite{Name: options.ID(option), Least: 1}
		for other := range n {
			if other != option {
				f.Least = min(f.Least, over(option, other))
			}
		}
		return f
	}
	for k := range utilities {
		c.Classes[k].Best = favourite(floats.MaxIdx(utilities[k]))
	}
	// An option that beats all others beats them wherever it comes in a row of duels.
	winner := 0
	for challenger := 1; challenger < n; challenger++ {
		if over(challenger, winner) > 0.5 {
			winner = challenger
		}
	}
	if c.Best = favourite(winner); c.Best.Least < 0.5 {
		c.Best = favourite(floats.MaxIdx(mean))
		c.Best.Cycle = true
	}
}
