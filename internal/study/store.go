package study

import (
	"context"
	"iter"
	"time"
)

// NoLimit as each lets a respondent answer any number of questions.
const NoLimit = 0

// A Store keeps studies. It never loses acknowledged writes.
//
// All methods are safe for concurrent use, also from several processes where the store allows them. All methods that take the id
// of one study return ErrNotFound for an unknown study. A call that returns an error has written nothing, unless its context
// ended: then it has written everything or nothing. Transient errors wrap ErrUnavailable or ErrBusy. Stores never read the clock;
// they keep times to the microsecond at least. Package storetest tests this contract.
type Store interface {
	Studies
	Respondents
	Outcomes
	Plans
	Leases
	Moves
	Erasures

	// Secret returns random bytes that all processes on this store share, and that backups omit. The first call creates
	// them. A service derives its keys from them and from a secret outside the store.
	Secret(ctx context.Context) ([]byte, error)

	// Close waits for pending writes. It is idempotent.
	Close() error
}

// Studies stores studies, their catalogues and their pictures.
type Studies interface {
	Pictures

	// Create adds a study and its catalogue, the bytes of a saved catalogue. It returns ErrChanged
	// if a study with that id exists.
	Create(ctx context.Context, s Study, catalogue []byte) error

	// Study returns a study, or ErrNotFound.
	Study(ctx context.Context, id string) (Study, error)

	// List returns up to limit studies, newest first, that were created before the study with the
	// given id. If the id is empty, it starts with the newest.
	List(ctx context.Context, before string, limit int) ([]Study, error)

	// Change replaces a study and raises its version if the study still has the given version;
	// otherwise it returns ErrChanged. A catalogue that is not nil replaces the study's.
	Change(ctx context.Context, s Study, version int, catalogue []byte) (Study, error)

	// Delete removes a study and all its data.
	Delete(ctx context.Context, id string) error

	// Catalogue returns the bytes of the catalogue.
	Catalogue(ctx context.Context, id string) ([]byte, error)
}

// Respondents stores who may answer, and who has.
type Respondents interface {
	Panels
	Profiles
}

// Panels stores the panels of studies, which limit who may answer.
type Panels interface {
	// ChangePanel replaces a study as Change does, and puts members into its panel and removes others. It is atomic: if the
	// change fails its Check, or a key belongs to another member, nothing is written.
	ChangePanel(ctx context.Context, s Study, version int, change PanelChange) (Study, error)

	// Member returns the member whose key has the given hash, see [HashKey], or ErrNoMember.
	Member(ctx context.Context, id, hash string) (Member, error)

	// MembersNamed returns the members with the given names, in any order. It ignores unknown names.
	MembersNamed(ctx context.Context, id string, names []string) ([]Member, error)

	// Members returns up to limit members with numbers larger than after, in order.
	Members(ctx context.Context, id string, after int64, limit int) ([]Member, error)
}

// Profiles stores what respondents say about themselves.
type Profiles interface {
	// Admit stores a respondent's answers to profile questions of the study. It ignores answers to
	// questions that the respondent has answered before, or that the study does not have.
	Admit(ctx context.Context, id, respondent string, answers map[string]string) error

	// Agree stores that a respondent has agreed to a text. An earlier agreement stays.
	Agree(ctx context.Context, id, respondent, text string, at time.Time) error

	// Hold reserves a place for a respondent in each group of their profile until a time, or for good until
	// [Kept]. It never shortens a reservation. It returns ErrQuota and writes nothing if a group has as many
	// other places as its quota, unless the respondent has a place there now. If until is not after now, it only
	// checks. Concurrent calls, also from several processes, never exceed a quota.
	Hold(ctx context.Context, id, respondent string, now, until time.Time) error

	// Groups counts the places of each group at a time, in the order of questions and answers.
	Groups(ctx context.Context, id string, now time.Time) ([]Group, error)

	// Profile returns the profile of a respondent, without answers if there is none.
	Profile(ctx context.Context, id, respondent string) (Profile, error)

	// Profiles returns up to limit profiles of respondents whose names are larger than after, in the order of their names.
	Profiles(ctx context.Context, id, after string, limit int) ([]Profile, error)

	// RemoveProfile deletes the profile of a respondent. It is idempotent.
	RemoveProfile(ctx context.Context, id, respondent string) error
}

// Outcomes stores the log of a study.
type Outcomes interface {
	// Record writes outcomes durably. It returns one error per outcome, nil for those it wrote:
	//
	//   - ErrTaken if the question already has a standing outcome (answered, skipped, lost or
	//     erased). Undone is refused with ErrTaken unless the question is answered, no plan has
	//     told that answer, and it has fewer than MaxUndos undos.
	//   - ErrEnough if the outcome is Answered or Skipped, terms.Each is not NoLimit, and the respondent
	//     already has that many standing questions, counted as in [History]. Earlier outcomes of the
	//     same call count as well.
	//   - an error that matches ErrNotOpen if the study is done or past its deadline, unless the outcome is Lost.
	//   - ErrFull if the outcome is Answered and the study has as many answers as its budget.
	//
	// Record is atomic: if any outcome fails Check, nothing is written. It returns ErrChanged and writes nothing if terms have
	// a version and the study has another one. Concurrent calls, also from
	// several processes, never exceed terms.Each. Calls that arrive together share one transaction.
	Record(ctx context.Context, id string, terms Terms, outcomes ...Outcome) ([]error, error)

	// Import appends a batch of outcomes of kind Imported to the log, with consecutive numbers. It is
	// atomic, also if the process is killed. If the study has a batch of that name already, it returns
	// ErrTaken; if outcomes yields an error, it returns that.
	//
	// Outcomes are streamed: memory does not grow with their number, and they do not delay Record and
	// Append, of this study or of others.
	Import(ctx context.Context, id, batch string, outcomes iter.Seq2[Outcome, error]) error

	// Respondent returns the history of a respondent.
	Respondent(ctx context.Context, id, respondent string) (History, error)

	// LastOutcome returns the last outcome of a question, or ErrNotFound.
	LastOutcome(ctx context.Context, id string, position Position) (Outcome, error)

	// Log returns up to limit outcomes with numbers larger than after, in order.
	Log(ctx context.Context, id string, after int64, limit int) ([]Outcome, error)

	// Length returns the number of the last outcome, 0 if there is none.
	Length(ctx context.Context, id string) (int64, error)

	// Undone returns the outcomes with numbers larger than after that take back an answer whose number
	// is at most after, in order.
	Undone(ctx context.Context, id string, after int64) ([]Outcome, error)
}

// Terms are what a caller of Record relies on. The zero value relies on nothing.
type Terms struct {
	Version int // of the study, 0 for any
	Each    int // standing questions that a respondent may have, or NoLimit
}

// A History summarises a respondent's outcomes in a study, without imported answers.
type History struct {
	Questions int   // questions whose standing outcome, answered or skipped, is theirs
	LastShown []int // the arms shown in their last outcome; nil without one
}

// A Claim is a set of questions of the deck that one process may deal until they expire.
type Claim struct {
	First     Position
	Questions [][]int
	Plans     []int // the plan number of each question
	At        time.Time
	Low       bool // there are not enough questions for another two such claims
}

// Plans stores the plans of a study.
type Plans interface {
	// Append writes a plan with its questions. It returns ErrNotYours unless planner holds the lease at the time of the plan and
	// the plan's number is the next one, and also if other writers keep the study locked. It returns ErrChanged if an answer that
	// the plan counts was undone after LastSeen: the planner must start again from the stored state.
	//
	// LastCounted must not decrease, LastSeen must be at least LastCounted and at most the number of the last outcome, and First
	// is the position after those of earlier plans. A plan that ends the study sets its state, reason and time of change and
	// raises its version, unless the study is done. If the study's version is not the plan's, Append returns ErrChanged.
	Append(ctx context.Context, id, planner string, p Plan) error

	// Plans returns up to limit plans with numbers larger than after, in order. Verdicts are pruned, see
	// [Plan.Prune], but for that of the last plan.
	Plans(ctx context.Context, id string, after, limit int) ([]Plan, error)

	// LastPlan returns the last plan, or ErrNotFound.
	LastPlan(ctx context.Context, id string) (Plan, error)

	// Claim claims up to n unclaimed questions for the caller. The claim is empty if none are left. Claimed and dealt
	// questions without a standing outcome are reserved against the budget: Claim and Deal never exceed it, and return
	// ErrFull if nothing is left of it, and an error that matches ErrNotOpen unless the study is open.
	Claim(ctx context.Context, id string, n int, now time.Time) (Claim, error)

	// Deal claims the next n successive questions, or fewer if the budget ends before, that show none of the withdrawn
	// arms, and all before, as the hand of a person who arrives, and appends the arrival, an outcome of kind Arrived, to the
	// log with the hand in it, in one transaction. A person who has arrived before gets the same arrival again,
	// unless their name is empty. If the arrival has a network, the hand says the how-manieth person of it they are in
	// this hour. It returns ErrNoQuestion if fewer questions are left.
	Deal(ctx context.Context, id string, n int, withdrawn []int, arrival Outcome) (Outcome, error)

	// Hand returns the arrival of a respondent and the positions of their hand that have standing outcomes, or ErrNotFound.
	Hand(ctx context.Context, id, respondent string) (arrival Outcome, settled []Position, err error)

	// Overdue returns up to limit questions that were claimed before a time and have no standing outcome, earliest claim first.
	Overdue(ctx context.Context, id string, before time.Time, limit int) ([]Position, error)

	// SaveSnapshot keeps the strategy's state after a stored plan, unless a snapshot of a later
	// plan exists or the plan was removed. Snapshot returns the stored snapshot, or ErrNotFound.
	SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error
	Snapshot(ctx context.Context, id string) (plan int, state []byte, err error)
}

// Moves copies studies between stores.
type Moves interface {
	// Batches returns the names of a study's imported batches, in order.
	Batches(ctx context.Context, id string) ([]string, error)

	// Adopt adds a complete study, atomically. Claimed questions without a standing outcome are
	// overdue, except those in hands. It returns ErrChanged if a study with that id exists.
	Adopt(ctx context.Context, w Archive) error

	// DeleteUnchanged removes a study and all its data, if it still has the given version and last
	// is still the number of its last outcome; otherwise it returns ErrChanged.
	DeleteUnchanged(ctx context.Context, id string, version int, last int64) error
}

// Erasures deletes the data of respondents.
type Erasures interface {
	// Erase deletes a respondent's data in a study, atomically. Their outcomes, also imported ones, become Erased, with the time
	// of the plan. Their profile, all plans and the snapshot are removed. Questions without a standing outcome become Lost if
	// they were claimed, or are in the respondent's hand. Other hands stay; unclaimed questions are dropped.
	//
	// A plan that restarts the strategy replaces the removed plans. It gets the next number, and as First
	// the position after those of earlier plans. A draft has no plans, and its plan is not written.
	// The study changes as [Plan.Begin] describes. The planning lease stays with its holder.
	//
	// Erase returns ErrChanged if the study's version is not the plan's, or if an answer that the plan counts was undone after
	// LastSeen. LastSeen must be at least LastCounted and at most the number of the last outcome.
	Erase(ctx context.Context, id, respondent string, p Plan) (Plan, error)

	// RemoveNames seals all outcomes of a study, see [Outcome.Sealed], in several transactions, of which the first sets
	// Unnamed and the last deletes profiles, places, the panel and the salt. It does nothing without a salt, so
	// it is idempotent, and a repeated call continues an interrupted one. It returns ErrChanged unless the study is done.
	RemoveNames(ctx context.Context, id string, at time.Time) error
}

// AllProfiles yields the profiles of a study in the order of their names. It reads them page by page.
func AllProfiles(ctx context.Context, store Profiles, id string) iter.Seq2[Profile, error] {
	read := func(after string) ([]Profile, error) { return store.Profiles(ctx, id, after, logPage) }
	return pages(logPage, "", read, func(p Profile) string { return p.Respondent })
}

// AllMembers yields the members of the panel of a study in the order of their numbers. It reads them page by page.
func AllMembers(ctx context.Context, store Panels, id string) iter.Seq2[Member, error] {
	read := func(after int64) ([]Member, error) { return store.Members(ctx, id, after, logPage) }
	return pages(logPage, 0, read, func(m Member) int64 { return m.Number })
}

// AllStudies yields the studies that were created before one, newest first; all without an id. It reads them page by page
// with list, see [Studies].
func AllStudies(
	ctx context.Context, list func(ctx context.Context, before string, limit int) ([]Study, error), before string,
) iter.Seq2[Study, error] {
	const page = 100
	read := func(before string) ([]Study, error) { return list(ctx, before, page) }
	return pages(page, before, read, func(s Study) string { return s.ID })
}

// ClaimTTL is how long a claimed question may wait until it is asked.
const ClaimTTL = 20 * time.Second

// logPage is the number of outcomes read at a time.
const logPage = 1000

// Log yields the outcomes of a study with numbers from after+1 to upto, in order. It reads them page by page.
func Log(ctx context.Context, store Outcomes, id string, after, upto int64) iter.Seq2[Outcome, error] {
	read := func(after int64) ([]Outcome, error) {
		if after >= upto {
			return nil, nil
		}
		return store.Log(ctx, id, after, int(min(logPage, upto-after)))
	}
	return pages(1, after, read, func(o Outcome) int64 { return o.Number })
}

// pages yields the items of pages, each read after the last item of the one before. A page with fewer than full items is
// the last.
func pages[T, K any](full int, after K, read func(after K) ([]T, error), key func(T) K) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after, more := after, true; more; {
			some, err := read(after)
			if more = len(some) >= full; err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range some {
				if !yield(item, nil) {
					return
				}
				after = key(item)
			}
		}
	}
}

// Leases lets the processes on a store share the planning of studies: one planner at a time holds the lease of a study.
type Leases interface {
	// Attend takes the leases of due studies for a planner, or prolongs them, in one statement. They end the given
	// duration after clock, which it calls when it has a connection. It returns the pulses of these studies in the order of
	// their ids. Studies that another writer has locked are left out.
	//
	// An open or paused study is due while it has uncounted outcomes, claimed questions without a standing outcome, a
	// version after that of the last plan, a deadline or [Plan.Wakes] that has passed, or, if it is open, a deck with at
	// most [Plan.Low] questions. A study that is done is due if it has uncounted outcomes or plans, until its
	// planner has released it, see Release.
	//
	// Attend prolongs all leases of the planner. It takes up to limit other leases, least recently taken first, if they are
	// free, have ended, or end later than a minute from now, because a clock was set back. If ids is not nil, it
	// considers only these studies, and takes only free leases.
	Attend(
		ctx context.Context, planner string, clock func() time.Time, lease time.Duration, limit int, ids []string,
	) ([]Pulse, error)

	// AcquireLease acquires the lease of a study until a time, or prolongs it, and returns what Look returns, so that a
	// planning step reads the study once. It returns ErrNotYours while another planner holds the lease, and if other writers
	// keep the study locked.
	AcquireLease(ctx context.Context, id, planner string, now, until time.Time) (Work, error)

	// Look returns what the planner of a study needs to know before it reads more.
	Look(ctx context.Context, id string) (Work, error)

	// Release frees the lease of a study if the planner was the last that held it. Seen is the version of the study for
	// which nothing is left to do, or 0.
	Release(ctx context.Context, id, planner string, seen int) error

	// Wake tells the processes that listen that studies have work for their planners. Unknown ids are ignored.
	Wake(ctx context.Context, ids []string) error

	// Listen calls woken for each study that a process wakes, until the context or the connection ends, and returns the error. It
	// returns nil at once if the store does not notify other processes. Calls of Wake may be missed: Attend finds the work.
	Listen(ctx context.Context, woken func(id string)) error
}

// Work tells the planner of a study what there may be to do.
type Work struct {
	Study     Study
	Outcomes  int64     // number of the last outcome
	Plans     int       // number of the last plan
	Unclaimed int       // questions
	Waiting   time.Time // earliest claim of a question without a standing outcome; zero if there is none
	Log       []Outcome // the first uncounted outcomes, perhaps not all
}

// A Pulse tells whether anything has happened in a study: every claim, outcome, plan and change raises one of its counters.
type Pulse struct {
	ID       string
	Until    time.Time // end of the lease
	Version  int       // of the study
	Outcomes int64     // number of the last outcome
	Claimed  int64     // questions claimed so far
	Plans    int       // number of the last plan
	Waiting  time.Time // earliest claim of a question without a standing outcome; zero if there is none
}

// An Observer receives the events of a service, to count them. Its methods must return quickly.
type Observer interface {
	// Recorded receives the kind of every acknowledged outcome.
	Recorded(kind Kind)

	// Planned receives every plan that was written.
	Planned(p Planned)

	// Discarded receives the id of a study whose computed plan was discarded: another planner took
	// over, an answer in the plan was undone, or a respondent was erased.
	Discarded(id string)

	// Attended receives the id of a study that this process begins to plan.
	Attended(id string)

	// Left receives the id of a study that this process no longer plans: the study is over, another
	// process plans it, or this process stops.
	Left(id string)
}

// A Planned describes a plan for an [Observer].
type Planned struct {
	Study    string // its id
	Verdict  Verdict
	Evidence float64 // least evidence against a contender, as a share of the evidence that refutes it
	Deck     int     // unclaimed questions
	Took     time.Duration
}

// Unobserved ignores all events.
type Unobserved struct{}

// Recorded does nothing.
func (Unobserved) Recorded(Kind) {}

// Planned does nothing.
func (Unobserved) Planned(Planned) {}

// Discarded does nothing.
func (Unobserved) Discarded(string) {}

// Attended does nothing.
func (Unobserved) Attended(string) {}

// Left does nothing.
func (Unobserved) Left(string) {}
