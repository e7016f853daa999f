package choice

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// MaxProfiles is the largest number of profiles of a product.
const MaxProfiles = 1_000_000_000

// A Product is a catalogue of profiles: every combination of one option from each group. The
// features of a profile are the concatenated features of its options, so utilities add up over the
// groups:
//
//	u(profile) = Σ_g o_g'θ_g.
//
// The best profile therefore has the best option of each group. If a profile is worse than another,
// it is also worse than a profile that differs from it in one group only. Profiles are never
// enumerated.
type Product struct {
	Groups []Group

	strides []int // stride of each group in the number of an arm, the last group fastest
	offsets []int // first feature of each group
	firsts  []int // first option of each group in the numbering of all options
}

// A Group is a set of options, such as the levels of an attribute. Each profile has one of them.
type Group struct {
	Features []string    // names
	Options  []string    // names
	Rows     [][]float64 // the features of each option
}

// NewProduct returns the catalogue of all profiles. The id of a profile lists the names of its
// options, separated by commas.
func NewProduct(groups []Group) (*Catalogue, error) {
	p := &Product{
		Groups: groups, strides: make([]int, len(groups)), offsets: make([]int, len(groups)),
		firsts: make([]int, len(groups)+1),
	}
	var features []string
	for g, group := range groups {
		if err := group.check(); err != nil {
			return nil, err
		}
		p.offsets[g] = len(features)
		p.firsts[g+1] = p.firsts[g] + len(group.Options)
		features = append(features, group.Features...)
	}
	if err := checkFeatureNames(features); err != nil {
		return nil, err
	}
	n := 1
	for g := len(groups) - 1; g >= 0; g-- {
		p.strides[g] = n
		if n *= len(groups[g].Options); n > MaxProfiles {
			return nil, &CatalogueError{-1, -1, fmt.Sprintf("there must be at most %d profiles", MaxProfiles)}
		}
	}
	if n < 2 {
		return nil, &CatalogueError{-1, -1, fmt.Sprintf("there must be at least two arms, got %d", n)}
	}
	c := newComputed(computedArms{
		Len: n, Features: features, ID: p.id, Index: p.index, Arm: p.arm, MeanSquares: p.meanSquares(),
	})
	c.product = p
	return c, nil
}

// between separates the options in the id of a profile.
const between = ", "

// check returns an error for a group without options, or with options of different lengths.
func (g Group) check() error {
	if len(g.Options) == 0 || len(g.Rows) != len(g.Options) {
		return &CatalogueError{-1, -1, fmt.Sprintf("%d options for %d rows of features", len(g.Options), len(g.Rows))}
	}
	seen := map[string]bool{}
	for _, name := range g.Options {
		if name == "" || seen[name] {
			return &CatalogueError{-1, -1, fmt.Sprintf("option %q is empty or repeated", name)}
		}
		seen[name] = true
	}
	for i, name := range g.Options {
		// Ids are parsed from the left, so the end of an option must be unambiguous.
		for at := 0; ; at += len(between) {
			next := strings.Index(name[at:], between)
			if next < 0 {
				break
			}
			if at += next; seen[name[:at]] {
				return &CatalogueError{-1, -1, fmt.Sprintf("option %q begins with option %q and a comma; rename one of them", name,
					name[:at])}
			}
		}
		if len(g.Rows[i]) != len(g.Features) {
			return &CatalogueError{-1, -1, fmt.Sprintf("option %q has %d values for %d features", name, len(g.Rows[i]), len(g.Features))}
		}
		for k, x := range g.Rows[i] {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return &CatalogueError{-1, -1, fmt.Sprintf("option %q, feature %q: %v is not a finite number", name, g.Features[k], x)}
			}
		}
	}
	return nil
}

// Product returns the groups of a catalogue of profiles, and nil for any other catalogue.
func (c *Catalogue) Product() *Product { return c.product }

// Options returns the option of every group in a profile.
func (p *Product) Options(arm int) []int {
	options := make([]int, len(p.Groups))
	for g, stride := range p.strides {
		options[g] = arm / stride
		arm %= stride
	}
	return options
}

// Profile returns the arm with the given options, one for each group.
func (p *Product) Profile(options []int) int {
	arm := 0
	for g, option := range options {
		arm += option * p.strides[g]
	}
	return arm
}

// OptionNumber returns a profile's option in one group, numbered over the options of all groups.
func (p *Product) OptionNumber(arm, group int) int {
	return p.firsts[group] + p.Option(arm, group)
}

// Option returns a profile's option in one group, numbered within the group.
func (p *Product) Option(arm, group int) int {
	return arm / p.strides[group] % len(p.Groups[group].Options)
}

// OptionAt returns the group of an option numbered over all groups, and its number within the
// group.
func (p *Product) OptionAt(number int) (group, option int) {
	for p.firsts[group+1] <= number {
		group++
	}
	return group, number - p.firsts[group]
}

// Difference returns the first group in which two profiles differ, or −1 if they are equal.
func (p *Product) Difference(arm, other int) int {
	for g := range p.Groups {
		if p.OptionNumber(arm, g) != p.OptionNumber(other, g) {
			return g
		}
	}
	return -1
}

// Change returns the profile that differs from arm in one group, where it has the given option.
func (p *Product) Change(arm, group, option int) int {
	return arm + (option-p.Option(arm, group))*p.strides[group]
}

// Changes returns all profiles that differ from arm in exactly one group.
func (p *Product) Changes(arm int) []int {
	var changes []int
	for g, group := range p.Groups {
		for option := range group.Options {
			if changed := p.Change(arm, g, option); changed != arm {
				changes = append(changes, changed)
			}
		}
	}
	return changes
}

// Utilities returns o'θ_g of every option of every group.
func (p *Product) Utilities(theta []float64) [][]float64 {
	utilities := make([][]float64, len(p.Groups))
	for g, group := range p.Groups {
		part := theta[p.offsets[g] : p.offsets[g]+len(group.Features)]
		for _, row := range group.Rows {
			utilities[g] = append(utilities[g], dot(row, part))
		}
	}
	return utilities
}

// Best returns the profile with the largest sum of values, given the value of every option of every
// group. Ties go to the first.
func (p *Product) Best(values [][]float64) int {
	options := make([]int, len(p.Groups))
	for g, value := range values {
		for option, x := range value {
			if x > value[options[g]] {
				options[g] = option
			}
		}
	}
	return p.Profile(options)
}

func (p *Product) arm(arm int) []float64 {
	var row []float64
	for g, option := range p.Options(arm) {
		row = append(row, p.Groups[g].Rows[option]...)
	}
	return row
}

func (p *Product) id(arm int) string {
	names := make([]string, len(p.Groups))
	for g, option := range p.Options(arm) {
		names[g] = p.Groups[g].Options[option]
	}
	return strings.Join(names, between)
}

// index finds a profile by its id: group by group, it takes the first matching option whose
// remaining text matches the other groups.
func (p *Product) index(id string) (arm int, ok bool) {
	options := make([]int, len(p.Groups))
	var match func(rest string, group int) bool
	match = func(rest string, group int) bool {
		for option, name := range p.Groups[group].Options {
			after, fits := strings.CutPrefix(rest, name)
			if !fits {
				continue
			}
			options[group] = option
			if group == len(p.Groups)-1 {
				if after == "" {
					return true
				}
				continue
			}
			if after, fits = strings.CutPrefix(after, between); fits && match(after, group+1) {
				return true
			}
		}
		return false
	}
	if !match(id, 0) {
		return 0, false
	}
	return p.Profile(options), true
}

func (p *Product) meanSquares() []float64 {
	var squares []float64
	for _, group := range p.Groups {
		for k := range group.Features {
			square := 0.0
			for _, row := range group.Rows {
				square += row[k] * row[k] / float64(len(group.Rows))
			}
			squares = append(squares, square)
		}
	}
	return squares
}

// whiten whitens every group separately. That whitens the product, since every option of one group
// is combined with every option of the others.
func (p *Product) whiten() (*Catalogue, error) {
	white := make([]Group, len(p.Groups))
	rank := 0
	for g, group := range p.Groups {
		white[g] = Group{Options: group.Options, Rows: make([][]float64, len(group.Options))}
		if len(group.Options) == 1 || len(group.Features) == 0 {
			continue
		}
		c, err := NewCatalogue(group.Options, group.Features, group.Rows)
		if err != nil {
			return nil, err
		}
		c, err = Whiten(c)
		if errors.Is(err, ErrNoDifference) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range group.Options {
			white[g].Rows[i] = c.Arm(i)
		}
		for range c.Dim() {
			rank++
			white[g].Features = append(white[g].Features, fmt.Sprint("w", rank))
		}
	}
	if rank == 0 {
		return nil, ErrNoDifference
	}
	return NewProduct(white)
}
