package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/internal/study"
)

// Environment variables that make a test's program a child: the place of the store, and the first
// question.
const (
	childPlace = "STORETEST_CHILD"
	childFirst = "STORETEST_FIRST"
)

// In place of the first question, they make a child import one batch, deal hands or run jobs instead of recording.
const (
	importing = "import"
	dealing   = "deal"
	working   = "work"
)

// writeAsChild is for TestMain, before the tests. In a process that killAfter started it writes to the store and never
// returns; elsewhere it does nothing.
func writeAsChild() {
	place, isChild := os.LookupEnv(childPlace)
	if !isChild {
		return
	}
	store, err := databaseAt(place).open(place)
	if err == nil {
		err = childWrites(store, os.Getenv(childFirst))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func childWrites(store Store, begin string) error {
	switch begin {
	case importing:
		return importForever(store, os.Stdout)
	case dealing:
		return dealForever(store, os.Stdout)
	case working:
		return workForever(store, os.Stdout)
	}
	first, err := strconv.ParseInt(begin, 10, 64)
	if err != nil {
		return err
	}
	return recordForever(store, first, os.Stdout)
}

// importForever imports an endless batch, and writes the number of rows read to a stream.
func importForever(store Store, read io.Writer) error {
	const often = 100
	return store.Import(context.Background(), "a", "survey", during(batchOf(math.MaxInt), often, func(row int) error {
		_, err := fmt.Fprintln(read, row)
		return err
	}))
}

// dealForever deals hands of the study a to new people from a few goroutines, and writes the number of each arrival to a
// stream when it is acknowledged.
func dealForever(store Store, acknowledged io.Writer) error {
	return forever(4, acknowledged, func() (int64, error) {
		for {
			arrival, err := store.Deal(context.Background(), "a", handSize, nil, study.Outcome{Respondent: study.NewName(), At: start})
			if !errors.Is(err, study.ErrBusy) && !errors.Is(err, study.ErrNoQuestion) {
				return arrival.Number, err
			}
			time.Sleep(time.Millisecond) // the transaction of the child before may not be over yet
		}
	})
}

// recordForever records outcomes of the study a from many goroutines, of questions from first on.
// It writes the position of each to a stream when it is acknowledged.
func recordForever(store Store, first int64, acknowledged io.Writer) error {
	var next atomic.Int64
	next.Store(first)
	return forever(16, acknowledged, func() (int64, error) {
		p := next.Add(1) - 1
		results, err := store.Record(context.Background(), "a", study.Terms{}, answer(study.Position(p)))
		return p, errors.Join(append(results, err)...)
	})
}

// forever makes calls from goroutines until one fails, and writes the numbers that they return to a stream.
func forever(goroutines int, acknowledged io.Writer, call func() (number int64, err error)) error {
	failed := make(chan error)
	for range goroutines {
		go func() {
			for {
				number, err := call()
				if err == nil {
					_, err = fmt.Fprintln(acknowledged, number)
				}
				if err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

// killed repeatedly starts this program as a process that records outcomes in the store at a place,
// and kills it after a moment. Acknowledged outcomes must be in the log exactly once: the new ones
// after each kill, and all of them in the end.
func killed(t *testing.T, d database, rounds int) {
	t.Helper()
	place := d.create(t)
	s := d.stage(t, place)
	s.must(s.withStudy().Close())
	random := rand.New(rand.NewPCG(1, 2))
	there, total := map[study.Position]bool{}, 0
	for round := range rounds {
		const apart = 10_000_000 // no child reaches the questions of the next
		acknowledged := s.kill(place, round*apart, time.Duration(random.IntN(200))*time.Millisecond)
		s.readOn(there)
		if len(acknowledged) == 0 {
			t.Fatalf("round %d: nothing was acknowledged", round)
		}
		for _, p := range acknowledged {
			if !there[p] {
				t.Fatalf("round %d: the outcome of question %d was acknowledged and is not there", round, p)
			}
		}
		total += len(acknowledged)
	}
	all := map[study.Position]bool{}
	s.readOn(all)
	if !maps.Equal(all, there) {
		t.Errorf("%d outcomes became %d", len(there), len(all))
	}
	t.Logf("%d outcomes were acknowledged before %d kills", total, rounds)
}

// handSize is the number of questions in the hands of some tests.
const handSize = 3

// killedDeal repeatedly starts this program as a process that deals hands in the store at a place, and kills it. Every
// arrival must be in the log with its questions, or not at all: the hands are the claimed questions.
func killedDeal(t *testing.T, d database) {
	t.Helper()
	place := d.create(t)
	s := d.stage(t, place)
	s.must(s.withStudy().Close())
	const rounds, enough, questions = 5, 20, 3000
	for round := range rounds {
		store := s.store()
		s.planned(store, questions)
		s.must(store.Close())
		seen := 0
		acknowledged := s.killAfter(place, dealing, func(int64) bool { seen++; return seen >= enough*(round+1) })
		store = s.store()
		log := s.log(store, "a")
		s.numbered(log)
		for i, o := range log {
			if want := study.Position(handSize * i); o.Kind != study.Arrived || o.Hand.First != want || len(o.Hand.Cards) != handSize {
				t.Fatalf("round %d: outcome %d is %+v with the hand %+v, want it from %d on", round, i+1, o, o.Hand, want)
			}
		}
		if last := slices.Max(acknowledged); last > int64(len(log)) {
			t.Fatalf("round %d: arrival %d was acknowledged, but there are %d", round, last, len(log))
		}
		claim, err := store.Claim(t.Context(), "a", 0, start)
		s.must(err)
		if int(claim.First) != handSize*len(log) {
			t.Errorf("round %d: %d questions are claimed for %d hands", round, claim.First, len(log))
		}
		s.must(store.Close())
	}
}

// killedImport starts this program as a process that imports a batch in the store at a place, kills
// it in the middle, and tests that nothing of the batch counts, and that its staged rows are swept.
func killedImport(t *testing.T, d database) {
	t.Helper()
	place := d.create(t)
	s := d.stage(t, place)
	s.must(s.withStudy().Close())
	s.killAfter(place, importing, func(row int64) (done bool) { return row >= large })
	db := d.connect(t, place)
	staged := func() int { return rowsIn(t, db, "imported") }
	if staged() == 0 {
		t.Error("nothing was staged")
	}
	store := s.store()
	batches, err := store.Batches(t.Context(), "a")
	s.must(err)
	if log := s.log(store, "a"); len(log) > 0 || len(batches) > 0 {
		t.Errorf("there are %d outcomes, and batches %q", len(log), batches)
	}
	s.must(s.record(store, study.NoLimit, answer(0)))
	s.must(store.Import(t.Context(), "a", "survey", batchOf(3)))
	left := staged() - 3
	if left <= 0 {
		t.Error("rows are gone that another process may be staging")
	}
	_, err = db.ExecContext(t.Context(), d.age)
	s.must(err)
	s.must(store.Import(t.Context(), "a", "another", batchOf(3)))
	if n := staged(); n != 6 {
		t.Errorf("%d rows are kept after %d were swept", n, left)
	}
	outcomes := s.log(store, "a")
	s.numbered(outcomes)
	if len(outcomes) != 7 {
		t.Errorf("there are %d outcomes", len(outcomes))
	}
}

// readOn opens the store and reads the outcomes that are new: each has a number after the others,
// and belongs to another question than those in there.
func (s *stage) readOn(there map[study.Position]bool) {
	s.Helper()
	store := s.store()
	outcomes, err := store.Log(s.Context(), "a", int64(len(there)), 1<<30)
	s.must(err)
	s.must(store.Close())
	for _, o := range outcomes {
		if o.Number != int64(len(there))+1 || there[o.Position] {
			s.Fatalf("after %d outcomes there is number %d, of question %d", len(there), o.Number, o.Position)
		}
		there[o.Position] = true
	}
}

// kill starts a child with its first question, kills it some time after its first acknowledgement,
// and returns the acknowledged positions.
func (s *stage) kill(place string, first int, after time.Duration) (acknowledged []study.Position) {
	s.Helper()
	var until time.Time
	for _, p := range s.killAfter(place, strconv.Itoa(first), func(int64) bool {
		if until.IsZero() {
			until = time.Now().Add(after)
		}
		return time.Now().After(until)
	}) {
		acknowledged = append(acknowledged, study.Position(p))
	}
	return acknowledged
}

// killAfter starts a child, reads the numbers that it writes, kills it after a number that is
// enough, and returns all of them.
func (s *stage) killAfter(place, begin string, enough func(number int64) bool) (numbers []int64) {
	s.Helper()
	child := exec.CommandContext(s.Context(), os.Args[0]) //nolint:gosec // it is this program
	child.Env = append(os.Environ(), childPlace+"="+place, childFirst+"="+begin)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	s.must(err)
	s.must(child.Start())
	lines := bufio.NewReader(out)
	for killed := false; ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // the last line may be incomplete
		}
		number, err := strconv.ParseInt(line[:len(line)-1], 10, 64)
		s.must(err)
		numbers = append(numbers, number)
		if !killed && enough(number) {
			killed = true
			s.must(child.Process.Kill())
		}
	}
	if err := child.Wait(); err == nil || child.ProcessState.Exited() {
		s.Fatalf("the child ended by itself: %v", err)
	}
	return numbers
}
