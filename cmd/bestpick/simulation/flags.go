// Package simulation has the commands that run simulations: simulate, reproduce and worker.
package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/cmd/bestpick/command"
	"bestpick/crowd"
	"bestpick/internal/sweep"
	"bestpick/simulate"
	"bestpick/strategy/racing"
)

// maxListed is the number of arms that crowds can enumerate.
const maxListed = 1_000_000

// Command runs a strategy against a simulated crowd, many times.
type Command struct {
	InstanceFlags    `embed:""`
	command.JSONFlag `embed:"" group:"Runs"`

	Strategy string  `group:"Strategy" default:"racing" enum:"random,static,adaptive,glgape,rage-glm,top-two,trace-the-best,racing" help:"random, static, adaptive, glgape, rage-glm, top-two, trace-the-best or racing."`
	K        int     `group:"Strategy" min:"2" max:"1000" help:"Arms in a question (3; 2 for glgape, rage-glm and top-two)." placeholder:"NUMBER"`
	Delta    float64 `group:"Strategy" default:"0.05" above:"0" below:"1" help:"Probability of error aimed at."`
	Epsilon  float64 `group:"Strategy" default:"0" min:"0" max:"50" help:"racing, trace-the-best: how much better than the arm returned another may be."`
	Top      string  `group:"Strategy" default:"1" help:"racing: number of best arms to certify together, or all for a ranking of all arms."`
	Picks    int     `group:"Strategy" default:"1" min:"1" help:"racing: number of arms that a respondent ranks."`

	Outside        bool    `group:"Strategy" help:"racing: also offer \"none of these\"."`
	OutsideUtility float64 `group:"Crowd" default:"0" help:"Utility of none of the arms, for the crowd."`
	BestWorst      bool    `group:"Strategy" help:"racing: ask for the best and the worst arm."`
	Ties           bool    `group:"Strategy" help:"racing: also offer \"equally good\"."`
	TieLog         float64 `group:"Crowd" default:"0" help:"log ν of Davidson's model, for the crowd: at 0, two equal arms are tied in a third of the answers."`

	Prior string `group:"Strategy" help:"racing: answers about the same arms, as a live study exports them, that inform questions and predictions but do not count." placeholder:"FILE"`
	prior *racing.Prior

	Model    []string `group:"Strategy" enum:"slots,intercepts,clicks,segments" help:"racing: what picks may depend on besides the features, any of slots, intercepts, clicks and segments (of --crowd people)."`
	Verify   float64  `group:"Strategy" default:"0" min:"0" max:"50" help:"racing: before stopping, compare the leader with near arms directly, so that this much appeal that the features miss would show; 0 for none."`
	Assume   string   `group:"Strategy" default:"linear" enum:"linear,majority" help:"racing: what the certificate rests on, linear (one softmax, linear in the features) or majority (what people choose; the model only guides)."`
	Fallback float64  `group:"Strategy" default:"0" min:"0" below:"1" help:"racing: share of --delta that a linear run keeps for majority evidence, to continue if the answers refute the model; 0 for none."`
	Fakes    int      `group:"Strategy" default:"0" min:"0" max:"50" help:"racing: people who may be fake without making a certificate by majority wrong."`
	Crowd    string   `group:"Crowd" default:"mnl" enum:"mnl,gaussian,position,appeal,context,clicks,drift,people,coefficients,classes,residual,cycle,clones,squeeze,decoyed,minority,pace,leavers,skips,turn" help:"mnl (softmax picks), gaussian, one that breaks the model (position, appeal, context, clicks, drift or people), people who differ: coefficients, classes, residual (appeal that features miss, for every arm) or cycle (no favourite), or, about as many arms with names only, people who lead majority evidence astray: clones (similar arms split votes), squeeze (a favourite that is few people's first choice), decoyed, minority (united behind one arm), pace, leavers and skips (of the people who choose the second arm) or turn (the first people choose otherwise)."`
	Clickers float64  `group:"Crowd" default:"0" min:"0" max:"1" help:"Share of people who click at random, of mnl and of people who differ."`
	Sigma    float64  `group:"Crowd" default:"1" above:"0" below:"1e100" help:"Standard deviation of gaussian noise."`
	Strength float64  `group:"Crowd" default:"0" help:"How much the model is broken: added to utilities (position 0.3, appeal 0.5, context 0.5), a share of people (clicks 0.2), degrees (drift 30, people 90, classes 60), a standard deviation (coefficients 1, residual 0.5), utility between ranks (cycle 2) or of a decoy (decoyed 0.5), times the usual time for an answer (pace 2), answers (leavers 1), a share of comparisons (skips 0.3), people (turn 40)."`
	Each     int      `group:"Crowd" default:"20" min:"1" help:"Questions that a person answers, where people have names: all crowds but mnl and gaussian, and mnl with --assume majority or --fallback."`

	Arrivals float64 `group:"Crowd" default:"0" min:"0" help:"People who arrive in the time that one usually takes for an answer, where people have names; 0 for one person after the other."`

	Criterion string  `group:"The paper's strategies" default:"xy" enum:"xy,g" help:"What the greedy rule shrinks: xy or g."`
	TieBreak  string  `group:"The paper's strategies" default:"random" enum:"random,sum" help:"How it breaks ties: random or sum."`
	Kappa     float64 `group:"The paper's strategies" default:"0.5" above:"0" help:"κ of the paper's bound."`
	Lambda    float64 `group:"The paper's strategies" default:"1e-4" above:"0" help:"Ridge on the mean log-likelihood."`
	Mu        float64 `group:"The paper's strategies" default:"1e-4" above:"0" help:"Added to the diagonal of V."`
	Explore   int     `group:"The paper's strategies" default:"5" min:"0" help:"Random questions at the start, of each batch too."`
	Alpha     float64 `group:"The paper's strategies" default:"0.1" above:"0" help:"adaptive: how far uncertainty falls in a batch."`
	Rho       string  `group:"The paper's strategies" default:"literal" enum:"literal,normalised" help:"adaptive: which uncertainty that is."`
	Radius    string  `group:"The paper's strategies" default:"paper" enum:"paper,kazerouni-wein" help:"glgape: confidence radius, paper or kazerouni-wein."`

	Runs         int         `group:"Runs" default:"10" min:"1" max:"1000000" help:"Number of runs."`
	Seed         uint64      `group:"Runs" default:"1" help:"Seed of the random numbers."`
	MaxQuestions *int        `group:"Runs" min:"0" help:"Maximum number of questions of a run; 0 for no limit (100000 for racing, 1000000 for the others)."`
	Budget       int         `group:"Strategy" default:"0" min:"0" help:"racing: number of answers after which a run ends in any case, with the smallest ε that is certified by then; 0 for no budget."`
	Workers      int         `group:"Runs" json:"-" default:"0" min:"0" help:"Runs at a time; 0 for all cores."`
	Out          string      `group:"Runs" json:"-" help:"Directory in which to save the runs, so that the same command can continue; created if needed." placeholder:"DIR"`
	Shard        sweep.Shard `group:"Runs" json:"-" help:"With --out: execute this part of the runs only, such as 3/100. Shards from 0 to 99 may run anywhere; the same command without --shard merges them." placeholder:"I/N"`
	Queue        string      `group:"Runs" json:"-" help:"PostgreSQL database in which to queue the runs, for bestpick worker to execute." placeholder:"URL"`
	Leaderboard  bool        `group:"Runs" help:"racing: rank the arms at the end of every run, print the leaderboard of the last one, and count the runs whose leaderboard holds."`
	Quiet        bool        `group:"Runs" json:"-" help:"Show no progress."`
}

// Help is the long help of the command.
func (c *Command) Help() string {
	return `The table of the paper, one line of it:

    bestpick simulate --instance soare --d 7 --k 3 --crowd gaussian --strategy static --runs 20

Your own arms, with the utilities you believe in:

    bestpick simulate --arms arms.csv --theta theta.csv --strategy adaptive`
}

// limit returns the maximum number of questions of a run, 0 for no limit. The default exceeds the budget of any
// study or, for the paper's strategies, the needs of the paper's instances.
func (c *Command) limit() int {
	switch {
	case c.Budget > 0:
		return c.Budget
	case c.MaxQuestions != nil:
		return *c.MaxQuestions
	case c.Strategy == certified:
		return 100_000
	}
	return 1_000_000
}

// leaderboards returns the number of runs whose leaderboard is computed. A JSON document has the last one, which saved runs may
// become.
func (c *Command) leaderboards() int {
	switch {
	case c.Leaderboard:
		return c.Runs
	case c.JSON || c.Out != "":
		return 1
	}
	return 0
}

// check validates the numbers.
func (c *Command) check() error {
	switch {
	case c.K > 2 && c.asksPairs():
		return fmt.Errorf("--k must be 2 for %s, got %d", c.Strategy, c.K)
	case c.Picks > c.arms():
		return fmt.Errorf("--picks: %d of the arms shown cannot be ranked", c.Picks)
	case c.Strategy != certified && (len(c.Model) > 0 || c.Verify != 0 || c.Fallback != 0 || c.Fakes != 0 || c.Assume != "linear"):
		return errors.New("--model, --verify, --assume, --fallback and --fakes are for racing")
	case c.Strategy != certified && c.Top != "1":
		return errors.New("--top is for racing")
	case c.top() == badTop:
		return fmt.Errorf("--top must be all, or at least 1, got %s", c.Top)
	case c.Budget > 0 && (c.Strategy != certified || c.MaxQuestions != nil):
		return errors.New("--budget is for racing, without --max-questions")
	}
	if err := c.checkOffer(); err != nil {
		return err
	}
	return c.checkCrowd()
}

// checkCrowd validates the flags of the crowd.
func (c *Command) checkCrowd() error {
	switch {
	case c.Crowd == "clicks" && (c.Strength < 0 || c.Strength > 1):
		return fmt.Errorf("--strength must be from 0 to 1 for clicks, got %v", c.Strength)
	case c.Crowd == "skips" && (c.Strength < 0 || c.Strength > 1):
		return fmt.Errorf("--strength must be from 0 to 1 for skips, got %v", c.Strength)
	case isTrouble(c.Crowd) && c.Strength < 0:
		return fmt.Errorf("--strength must not be negative for %s, got %v", c.Crowd, c.Strength)
	case slices.Contains(c.Model, "segments") && c.Crowd != "people":
		return errors.New("--model segments: only the people of --crowd people have segments")
	}
	return nil
}

// The strategies that commands treat specially.
const (
	certified    = "racing"
	pairsOnly    = "glgape"
	rageGLM      = "rage-glm"
	topTwo       = "top-two"
	traceTheBest = "trace-the-best"
)

// arms returns the number of arms in a question.
func (c *Command) arms() int {
	switch {
	case c.K != 0:
		return c.K
	case c.asksPairs():
		return 2
	}
	return racing.Settings{}.WithDefaults().K
}

// asksPairs reports whether the strategy asks about pairs only.
func (c *Command) asksPairs() bool {
	return c.Strategy == pairsOnly || c.Strategy == rageGLM || c.Strategy == topTwo
}

// badTop is no number of best arms.
const badTop = racing.TopAll - 1

// top returns the setting of --top, badTop if it is neither all nor a number of arms.
func (c *Command) top() int {
	if c.Top == "all" {
		return racing.TopAll
	}
	n, err := strconv.Atoi(c.Top)
	if err != nil || n < 1 {
		return badTop
	}
	return n
}

// The crowds without names.
const softmaxCrowd, gaussianCrowd = "mnl", "gaussian"

// offer returns what respondents may answer besides picks.
func (c *Command) offer() choice.Offer {
	return choice.Offer{Outside: c.Outside, BestWorst: c.BestWorst, Ties: c.Ties}
}

// constants returns the constants of what is offered, for the crowd.
func (c *Command) constants() crowd.Constants {
	return crowd.Constants{Outside: c.OutsideUtility, Tie: c.TieLog}
}

// outside returns the utility of none of the arms, nil where it is not offered.
func (c *Command) outside() *float64 {
	if !c.Outside {
		return nil
	}
	return &c.OutsideUtility
}

// checkOffer validates the flags of the offer.
func (c *Command) checkOffer() error {
	switch {
	case !c.Outside && c.OutsideUtility != 0:
		return errors.New("--outside-utility needs --outside")
	case !c.Ties && c.TieLog != 0:
		return errors.New("--tie-log needs --ties")
	case c.offer().IsPlain():
		return nil
	case c.Strategy != certified:
		return errors.New("--outside, --best-worst and --ties are for racing")
	case c.Crowd == gaussianCrowd || isViolation(c.Crowd) || isTrouble(c.Crowd):
		return errors.New("--outside, --best-worst and --ties need --crowd mnl, coefficients, classes, residual or cycle")
	case c.BestWorst && c.Picks > 1:
		return errors.New("--best-worst does not go with --picks")
	}
	return nil
}

// isViolation reports whether a crowd breaks the model in a way that a check looks for.
func isViolation(name string) bool {
	return slices.ContainsFunc(checks.All(), func(check checks.Check) bool { return check.String() == name })
}

// isTrouble reports whether people lead majority evidence astray.
func isTrouble(name string) bool { return slices.Contains(simulate.Troubles(), name) }

// files returns the flags that name files.
func (c *Command) files() []*string {
	return []*string{&c.Arms, &c.Theta, &c.Catalogue, &c.IDs, &c.Utilities, &c.Prior}
}
