package storetest

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/access"
	"bestpick/internal/study"
)

func sameWhenEmpty() cmp.Option { return cmpopts.EquateEmpty() }

func secret(s *stage) {
	stores := []Store{s.store(), s.store(), s.store()}
	secrets := make([][]byte, len(stores))
	var openers sync.WaitGroup
	for i, store := range stores {
		openers.Go(func() {
			var err error
			if secrets[i], err = store.Secret(s.Context()); err != nil {
				s.Error(err)
			}
		})
	}
	openers.Wait()
	s.must(stores[0].Close())
	later, err := s.store().Secret(s.Context())
	s.must(err)
	if len(later) < 32 || bytes.Equal(later, make([]byte, len(later))) {
		s.Errorf("%x is no secret", later)
	}
	for i, secret := range secrets {
		if !bytes.Equal(secret, later) {
			s.Errorf("opener %d has another secret", i)
		}
	}
}

// studyCalls are calls with the ID of a study, in the language of the transcripts.
const studyCalls = `Study ID
List ID 1
Change study(ID) 1 nil
Delete ID
Catalogue ID
ChangePanel study(ID) 1 change(Put=[member(anna)])
Member ID hash
MembersNamed ID [anna]
Members ID 0 1
Record ID 0 answer(9)
Record ID 0
Import ID survey [imported(0)]
Import ID nothing []
Respondent ID anna
LastOutcome ID 0
Log ID 0 1
Length ID
Undone ID 0
AcquireLease ID other +0s +1m
Release ID planner 1
Append ID planner plan(Number=2 First=1 At=+0s)
Plans ID 0 1
LastPlan ID
Claim ID 1 +0s
Overdue ID +0s 1
SaveSnapshot ID 1 other
Batches ID
DeleteUnchanged ID 1 0
Erase ID anna plan(Version=1 At=+0s)
RemoveNames ID +0s
Snapshot ID
SetWebhook newhook(ID)
Webhook ID
RemoveWebhook ID
SaveAttempt newhook(ID)
AddDelivery ID delivery(At=+0s)
Deliveries ID
AddPictures ID [picture(Hash=1)]
Picture ID 1
PictureHashes ID`

// otherCalls are calls without the id of a study, or with a new one.
const otherCalls = `Create study(b) nil
Adopt archive(Study=study(b))
Attend other +0s 1m 9 nil
Secret
AddFirstToken owner(first)
AddToken owner(b)
Token hash(a)
Tokens
RemoveToken a
AddEntry entry(1)
DueWebhooks +0s 9
AddJob refused 0
RemoveJob refused
Entries 9 9`

// fails makes calls whose errors must be right.
func (s *stage) fails(ctx context.Context, store Store, calls string, right func(error) bool) {
	s.Helper()
	for line := range strings.SplitSeq(calls, "\n") {
		results := conversation{stage: s}.bind(ctx, store, items(line))()
		if err, _ := results[len(results)-1].(error); !right(err) {
			s.Errorf("%s: got %v", line, err)
		}
	}
}

// unknown tests ids with any content, since they come from respondents.
func unknown(s *stage) {
	store := s.withStudy()
	for _, id := range []string{"b", "A", "a ", "a\x00", "\x00", "\xff", "'", "%"} {
		calls := strings.ReplaceAll(studyCalls, "ID", strconv.Quote(id))
		s.fails(s.Context(), store, calls, func(err error) bool { return errors.Is(err, study.ErrNotFound) })
	}
	if list, err := store.List(s.Context(), "", 9); err != nil || len(list) != 1 {
		s.Errorf("there are %+v, %v", list, err)
	}
}

// cancelled tests that calls with a cancelled context change nothing, and are no outage.
func cancelled(s *stage) {
	store := s.withStudy()
	s.planned(store, 1)
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	ended := func(err error) bool { return errors.Is(err, context.Canceled) && !errors.Is(err, study.ErrUnavailable) }
	for _, name := range []string{"a", "b"} { // the second call finds a token
		before := s.script(store, readings)
		s.refuses(ctx, store, ended)
		s.unchanged(before, store)
		s.must(store.AddToken(s.Context(), token(name)))
	}
}

// refuses makes all calls, all of which must fail.
func (s *stage) refuses(ctx context.Context, store Store, right func(error) bool) {
	s.Helper()
	s.fails(ctx, store, strings.ReplaceAll(studyCalls, "ID", "a")+"\n"+otherCalls, right)
}

// readings are calls that show what other calls may have changed.
const readings = `Tokens
Entries 9 9
List "" 9
Members a 0 9
Log a 0 9
Plans a 0 9
Overdue a +0s 9
Snapshot a
Batches a
Webhook a
Deliveries a
PictureHashes a
AcquireLease a third +0s +1m`

// unchanged tests that calls have changed nothing.
func (s *stage) unchanged(before string, store Store) {
	s.Helper()
	if diff := cmp.Diff(before, s.script(store, readings)); diff != "" {
		s.Error(diff)
	}
}

func closed(s *stage) {
	store := s.withStudy()
	s.planned(store, 1)
	before := s.script(store, readings)
	s.must(store.Close())
	s.must(store.Close())
	s.refuses(s.Context(), store, func(err error) bool {
		return err != nil && !errors.Is(err, study.ErrNotFound) && !errors.Is(err, access.ErrUnknown) && !errors.Is(err,
			access.ErrTaken)
	})
	s.unchanged(before, s.store())
}

// openedAtOnce tests many processes that open a new place concurrently.
func openedAtOnce(s *stage) {
	stores := make([]Store, 6)
	var openers sync.WaitGroup
	for i := range stores {
		openers.Go(func() {
			var err error
			if stores[i], err = s.open(); err != nil {
				s.Error(err)
			}
		})
	}
	openers.Wait()
	if s.Failed() {
		return
	}
	s.must(stores[0].Create(s.Context(), sample("a"), nil))
	for i, store := range stores {
		s.must(s.record(store, study.NoLimit, answer(study.Position(i))))
		s.must(store.Close())
	}
}
