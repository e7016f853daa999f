package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/choice"
	"bestpick/crowd"
)

// A Trouble is people whose answers, or whose habits, lead rules of counting astray that look right. Arms
// have names only.
type Trouble struct {
	Kind string

	// Share is of the people who choose what should win; of the family's friends among clones, of each of the
	// two camps in a squeeze, and of the united minority. Defaults to 0.6, 0.3 and 0.39.
	Share float64

	// Strength is a utility (decoy), a multiple of the usual time for an answer (pace), a number of answers
	// (leavers), a share of skipped questions (skips) or a number of people (turn). Defaults to 0.5, 2, 1,
	// 0.3 and 40.
	Strength float64

	// Each is the number of questions of a person. Defaults to 10.
	Each int
}

// The kinds of trouble.
const (
	clonesTrouble   = "clones"
	squeezeTrouble  = "squeeze"
	decoyedTrouble  = "decoyed"
	minorityTrouble = "minority"
	paceTrouble     = "pace"
	leaversTrouble  = "leavers"
	skipsTrouble    = "skips"
	turnTrouble     = "turn"
)

// Troubles returns the kinds of trouble.
func Troubles() []string {
	return []string{
		clonesTrouble, squeezeTrouble, decoyedTrouble, minorityTrouble, paceTrouble, leaversTrouble, skipsTrouble, turnTrouble,
	}
}

// WithDefaults returns the trouble with every zero field at its default.
func (t Trouble) WithDefaults() Trouble {
	if t.Share == 0 {
		t.Share = map[string]float64{squeezeTrouble: 0.3, minorityTrouble: 0.39}[t.Kind]
		if t.Share == 0 {
			t.Share = 0.6
		}
	}
	if t.Strength == 0 {
		t.Strength = map[string]float64{
			decoyedTrouble: 0.5, paceTrouble: 2, leaversTrouble: 1, skipsTrouble: 0.3, turnTrouble: 40,
		}[t.Kind]
	}
	if t.Each == 0 {
		t.Each = 10
	}
	return t
}

// A class is people with the same utilities of all arms, with Gumbel noise of a scale.
type class struct {
	share     float64
	utilities []float64
	noise     float64
	habits    crowd.Habits
}

// Of returns an instance of n arms, at least three, or two where some people have other habits or turn, with
// the share of people who choose another arm over each of two alone, and the crowd.
//
//   - clones: people who like a family of n−1 arms, all alike, and others who like the first arm.
//   - squeeze: the first arm is the second choice of two camps, and beats every other.
//   - decoyed: most choose the second arm over the first, but fewer where the last one is shown too.
//   - minority: everyone but a minority prefers each other arm to the last, in an order of their own.
//   - pace, leavers, skips: most choose the second arm over the first, and those take more time, leave
//     early, or skip questions that show both.
//   - turn: the first people choose the first arm over the second, later ones the second.
func (t Trouble) Of(n int) (Instance, func(*rand.Rand) crowd.Respondent, error) {
	t = t.WithDefaults()
	least := 3
	if slices.Contains([]string{paceTrouble, leaversTrouble, skipsTrouble, turnTrouble}, t.Kind) {
		least = 2
	}
	if n < least {
		return Instance{}, nil, fmt.Errorf("at least %d arms are needed, got %d", least, n)
	}
	switch t.Kind {
	case clonesTrouble:
		family, alone := level(n, 3), level(n, 0)
		family[0], alone[0] = 0, 3
		return t.classes(n, class{share: t.Share, utilities: family, noise: 1}, class{share: 1 - t.Share, utilities: alone, noise: 1})
	case squeezeTrouble:
		return t.classes(n, class{share: t.Share, utilities: first(n, -4, 2, 4, 0), noise: 0.5},
			class{share: t.Share, utilities: first(n, -4, 2, 0, 4), noise: 0.5},
			class{share: 1 - 2*t.Share, utilities: first(n, -4, 4, 2, 2), noise: 0.5})
	case decoyedTrouble:
		return t.decoyed(n)
	case minorityTrouble:
		return t.minority(n)
	case paceTrouble:
		return t.fans(n, crowd.Habits{Pace: t.Strength})
	case leaversTrouble:
		return t.fans(n, crowd.Habits{Stay: int(t.Strength)})
	case skipsTrouble:
		return t.fans(n, crowd.Habits{})
	case turnTrouble:
		return t.turn(n)
	}
	return Instance{}, nil, fmt.Errorf("unknown trouble %q", t.Kind)
}

// level returns n equal utilities.
func level(n int, u float64) []float64 { return slices.Repeat([]float64{u}, n) }

// first returns n utilities that begin with some, and are otherwise the same.
func first(n int, rest float64, some ...float64) []float64 {
	all := level(n, rest)
	copy(all, some)
	return all
}

// fans returns people of whom most choose the second arm over the first, with habits.
func (t Trouble) fans(n int, habits crowd.Habits) (Instance, func(*rand.Rand) crowd.Respondent, error) {
	return t.classes(n, class{t.Share, first(n, -2, 2, 3), 0.5, habits}, class{1 - t.Share, first(n, -2, 3, 2), 0.5, crowd.Habits{}})
}

// classes returns people of some classes.
func (t Trouble) classes(n int, all ...class) (Instance, func(*rand.Rand) crowd.Respondent, error) {
	in := namesOnly(n, func(rival, arm int) float64 {
		share := 0.0
		for _, c := range all {
			share += c.share / (1 + math.Exp((c.utilities[arm]-c.utilities[rival])/c.noise))
		}
		return share
	})
	return in, func(rng *rand.Rand) crowd.Respondent {
		return &crowd.People{Each: t.Each, Join: func(int, int) crowd.Respondent {
			at, drawn := 0, rng.Float64()
			for drawn >= all[at].share && at < len(all)-1 {
				drawn -= all[at].share
				at++
			}
			scaled := slices.Clone(all[at].utilities)
			for arm := range scaled {
				scaled[arm] /= all[at].noise
			}
			habits := all[at].habits
			if t.Kind == skipsTrouble && at == 0 {
				habits.Skip = func(q choice.Question) bool {
					return slices.Contains(q, 0) && slices.Contains(q, 1) && rng.Float64() < t.Strength
				}
			}
			return crowd.Habitual{Respondent: &crowd.Person{Utilities: scaled, Rng: rng}, Habits: habits}
		}}
	}, nil
}

// namesOnly returns arms with names, given the share of people who choose a rival over an arm.
func namesOnly(n int, share func(rival, arm int) float64) Instance {
	ids, rows, chosen := make([]string, n), make([][]float64, n), make([][]float64, n)
	for arm := range ids {
		ids[arm], rows[arm], chosen[arm] = fmt.Sprint("a", arm+1), make([]float64, n), make([]float64, n)
		rows[arm][arm] = 1
		for rival := range n {
			if rival != arm {
				chosen[arm][rival] = share(rival, arm)
			}
		}
	}
	c, err := choice.NewCatalogue(ids, slices.Clone(ids), rows)
	if err != nil {
		panic("simulate: " + err.Error())
	}
	return Instance{Catalogue: c, Theta: make([]float64, n), Chosen: chosen}
}

func (t Trouble) decoyed(n int) (Instance, func(*rand.Rand) crowd.Respondent, error) {
	u := first(n, -1.5, 0, 0.32)
	u[n-1] = -3
	in := namesOnly(n, func(rival, arm int) float64 {
		gap := u[arm] - u[rival]
		switch {
		case arm == 0 && rival == n-1:
			gap += t.Strength
		case rival == 0 && arm == n-1:
			gap -= t.Strength
		}
		return 1 / (1 + math.Exp(gap))
	})
	return in, func(rng *rand.Rand) crowd.Respondent {
		person := &crowd.Adjusted{
			Catalogue: in.Catalogue, Theta: u, Adjust: crowd.Decoyed(0, n-1, t.Strength), Noise: crowd.Gumbel, Rng: rng,
		}
		return &crowd.People{Each: t.Each, Join: func(int, int) crowd.Respondent { return person }}
	}, nil
}

func (t Trouble) minority(n int) (Instance, func(*rand.Rand) crowd.Respondent, error) {
	in := namesOnly(n, func(rival, arm int) float64 {
		switch n - 1 {
		case arm:
			return 1 - t.Share
		case rival:
			return t.Share
		}
		return 0.5
	})
	return in, func(rng *rand.Rand) crowd.Respondent {
		return &crowd.People{Each: t.Each, Join: func(int, int) crowd.Respondent {
			u := make([]float64, n)
			for place, arm := range rng.Perm(n - 1) {
				u[arm] = 10 * float64(place+1)
			}
			if rng.Float64() < t.Share {
				u[n-1] = 1000
			}
			return &crowd.Person{Utilities: u, Rng: rng}
		}}
	}, nil
}

func (t Trouble) turn(n int) (Instance, func(*rand.Rand) crowd.Respondent, error) {
	early, late := first(n, -2, 0.85, 0), first(n, -2, 0, 0.85)
	in := namesOnly(n, func(rival, arm int) float64 { return 1 / (1 + math.Exp(late[arm]-late[rival])) })
	return in, func(rng *rand.Rand) crowd.Respondent {
		return &crowd.People{Each: t.Each, Join: func(number, _ int) crowd.Respondent {
			if number < int(t.Strength) {
				return &crowd.Person{Utilities: early, Rng: rng}
			}
			return &crowd.Person{Utilities: late, Rng: rng}
		}}
	}, nil
}
