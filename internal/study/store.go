package study

import (
	"context"
	"iter"
	"time"
)

// A LedError is ErrNotYours, with when the lead of whoever is planning ends.
type LedError struct{ Until time.Time }

func (e *LedError) Error() string { return ErrNotYours.Error() }

// Unwrap returns ErrNotYours.
func (e *LedError) Unwrap() error { return ErrNotYours }

// NoLimit as each lets a respondent answer any number of questions.
const NoLimit = 0

// A Store keeps studies. What it has acknowledged it never loses.
//
// All methods may be called at any time, from many goroutines and, where the store allows
// several processes, from these. All but List without an id and Secret return ErrNotFound for a
// study that is not there. A call that returns an error has written nothing, unless its context
// ended in the meantime: then it has written everything or nothing. Errors that may pass wrap
// ErrUnavailable or ErrBusy. Stores never read the clock;
// times are kept to the microsecond at least. Package storetest has what every store must do.
type Store interface {
	Studies
	Pictures
	Panels
	Outcomes
	Plans
	Moves
	Erasures

	// Secret returns a key that all processes on this store share, made at first use.
	Secret(ctx context.Context) ([]byte, error)

	// Close waits for what is being written. It may be called again.
	Close() error
}

// Studies are what owners set up.
type Studies interface {
	// Create adds a study and its catalogue, the bytes of a saved catalogue. If there is a study
	// with that id already, it returns ErrChanged.
	Create(ctx context.Context, s Study, catalogue []byte) error

	// Study returns a study, or ErrNotFound.
	Study(ctx context.Context, id string) (Study, error)

	// List returns up to limit studies in the order of creation, newest first, that were created
	// before the one with the given id, or from the newest on if it is empty.
	List(ctx context.Context, before string, limit int) ([]Study, error)

	// Active returns the ids of the studies that are open or paused.
	Active(ctx context.Context) ([]string, error)

	// Change replaces a study if its version is still the given one, and raises the version;
	// otherwise it returns ErrChanged. catalogue replaces the catalogue, unless it is nil.
	Change(ctx context.Context, s Study, version int, catalogue []byte) (Study, error)

	// Delete removes a study with all that belongs to it.
	Delete(ctx context.Context, id string) error

	// Catalogue returns the bytes of the catalogue.
	Catalogue(ctx context.Context, id string) ([]byte, error)
}

// Panels are who may answer, where not everybody may.
type Panels interface {
	// ChangePanel replaces a study as Change does and, in one piece with that, puts members into its panel and
	// removes others. If the change fails its Check, or a key is already somebody else's, nothing happens.
	ChangePanel(ctx context.Context, s Study, version int, change PanelChange) (Study, error)

	// Member returns the member whose key has a hash, see [HashKey], or ErrNoMember.
	Member(ctx context.Context, id, hash string) (Member, error)

	// MembersNamed returns the members that have one of some names, in any order.
	MembersNamed(ctx context.Context, id string, names []string) ([]Member, error)

	// Members returns up to limit members with numbers larger than after, in order.
	Members(ctx context.Context, id string, after int64, limit int) ([]Member, error)
}

// Outcomes are what respondents did.
type Outcomes interface {
	// Record writes outcomes durably. It returns one error per outcome, nil for those it wrote:
	//
	//   - ErrTaken if the question already has a standing outcome (answered, skipped, lost or
	//     erased). Undone is refused with ErrTaken unless the question is answered and no plan has
	//     told that answer.
	//   - ErrEnough if the outcome is Answered or Skipped, each is not NoLimit, and the respondent
	//     already has that many standing questions, counted as in [History]. Earlier outcomes of the
	//     same call count as well.
	//
	// Record is atomic: if any outcome fails Check, nothing is written. Concurrent calls, also from
	// several processes, never exceed each. Calls that arrive together share one transaction.
	Record(ctx context.Context, id string, each int, outcomes ...Outcome) ([]error, error)

	// Import appends a batch of outcomes of kind Imported to the log, with consecutive numbers. It is
	// atomic, also if the process is killed. If the study has a batch of that name already, it returns
	// ErrTaken; if outcomes yields an error, it returns that.
	//
	// Outcomes are streamed: memory does not grow with their number, and they do not delay Record and
	// Append, of this study or of others.
	Import(ctx context.Context, id, batch string, outcomes iter.Seq2[Outcome, error]) error

	// Respondent returns what one respondent has done so far.
	Respondent(ctx context.Context, id, respondent string) (History, error)

	// At returns the last outcome of a question, or ErrNotFound.
	At(ctx context.Context, id string, position Position) (Outcome, error)

	// Log returns up to limit outcomes with numbers larger than after, in order.
	Log(ctx context.Context, id string, after int64, limit int) ([]Outcome, error)

	// Length returns the number of the last outcome, 0 if there is none.
	Length(ctx context.Context, id string) (int64, error)

	// Undone returns the outcomes with numbers larger than after that take back an answer whose number
	// is at most after, in order.
	Undone(ctx context.Context, id string, after int64) ([]Outcome, error)
}

// A History is what one respondent has done in a study, besides imported answers.
type History struct {
	Questions int   // that have an outcome of theirs which stands: answered or skipped
	Last      []int // the arms shown in the last of their outcomes; nil if there is none
}

// A Claim is questions of the deck that one process may deal out, until they are no longer good.
type Claim struct {
	First     Position
	Questions [][]int
	Plans     []int // the number of the plan that each is of
	At        time.Time
}

// Plans are what the strategy did.
type Plans interface {
	// Lead acquires the planning lease of a study until a time, or prolongs it; until now gives it
	// up. It returns a LedError while another planner holds the lease, and ErrNotYours if other
	// writers keep the study locked.
	Lead(ctx context.Context, id, planner string, now, until time.Time) error

	// Append writes a plan with its questions, if planner leads at the time of the plan and the
	// number is the next; otherwise ErrNotYours, as when other writers keep the study locked. If an answer that it tells was undone after
	// Known, before the plan was written, it returns ErrChanged: the planner must start again from
	// what is in the store. Upto must not fall, nor Known be less, nor that be larger than the
	// number of the last outcome, and First is the position after those of the plans before. A plan
	// that ends the study sets its state, reason and time of change and raises its version, unless
	// it is done; if the study has another version than the plan's, it returns ErrChanged.
	Append(ctx context.Context, id, planner string, p Plan) error

	// Plans returns up to limit plans with numbers larger than after, in order.
	Plans(ctx context.Context, id string, after, limit int) ([]Plan, error)

	// Last returns the last plan, or ErrNotFound.
	Last(ctx context.Context, id string) (Plan, error)

	// Claim hands out up to n questions that nobody has claimed, none if there are none left.
	Claim(ctx context.Context, id string, n int, now time.Time) (Claim, error)

	// Overdue returns the claimed questions up to limit, claimed before a time, that have no
	// outcome that stands, those claimed first coming first, and how many planned questions
	// nobody has claimed.
	Overdue(ctx context.Context, id string, before time.Time, limit int) (positions []Position, unclaimed int, err error)

	// SaveSnapshot keeps the strategy's state after a plan that was written, unless there is one
	// of a later plan or the plan was removed; Snapshot returns the one kept, or ErrNotFound.
	SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error
	Snapshot(ctx context.Context, id string) (plan int, state []byte, err error)
}

// Moves take studies from one store to another.
type Moves interface {
	// Batches returns the names of the batches that a study has imported, in order.
	Batches(ctx context.Context, id string) ([]string, error)

	// Adopt adds a study with all that belongs to it, in one piece. Questions that were handed out and
	// have no outcome that stands are overdue. If there is a study with that id already, it returns
	// ErrChanged.
	Adopt(ctx context.Context, w Archive) error

	// DeleteUnchanged removes a study with all that belongs to it, if it still has the given version
	// and last is still the number of its last outcome; otherwise it returns ErrChanged.
	DeleteUnchanged(ctx context.Context, id string, version int, last int64) error
}

// Erasures delete what is known of people.
type Erasures interface {
	// Erase deletes what a respondent has done in a study, in one piece. Their outcomes, those imported among them,
	// become Erased ones, with the time of the plan. All plans are removed, and the snapshot. Questions that have no
	// outcome that stands become Lost if they were claimed; the others are not handed out any more.
	//
	// The plan is written in place of those that were removed, unless it is none that begins afresh, as for a draft,
	// which has none. It gets the next number, and as First the position after those of the plans before. The study
	// becomes what [Plan.Begin] says. Whoever leads goes on leading.
	//
	// If the study has another version than the plan's, or an answer that the plan tells was undone after Known, Erase
	// returns ErrChanged. Known must not be less than Upto, nor larger than the number of the last outcome.
	Erase(ctx context.Context, id, respondent string, p Plan) (Plan, error)
}

// ClaimTTL is how long a claimed question may wait to be asked.
const ClaimTTL = 20 * time.Second

// logPage is how many outcomes are read at a time.
const logPage = 1000

// Log yields the outcomes of a study with numbers larger than after, in order, up to one. It reads them
// page by page.
func Log(ctx context.Context, store Outcomes, id string, after, upto int64) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		for after < upto {
			some, err := store.Log(ctx, id, after, int(min(logPage, upto-after)))
			if err != nil {
				yield(Outcome{}, err)
				return
			}
			if len(some) == 0 {
				return
			}
			for _, o := range some {
				if !yield(o, nil) {
					return
				}
				after = o.Number
			}
		}
	}
}
