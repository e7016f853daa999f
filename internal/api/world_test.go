package api_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"bestpick/client"
	"bestpick/internal/study/studytest"
	"bestpick/wire"
)

// fruits is a CSV file of arms with two features.
const fruits = `id,label,sweet,sour
apple,An apple,1,1
pear,A pear,2,0
quince,A quince,0,2
plum,A plum,2,1
cherry,A cherry,3,1
lemon,A lemon,-1,4
`

// liking returns the utility of an arm for a respondent with a sweet tooth: four times its
// sweetness minus its sourness. Among fruits, cherries are best.
func liking(arm wire.Arm) float64 {
	like := 0.0
	for _, attribute := range arm.Attributes {
		value, _ := strconv.ParseFloat(attribute.Value, 64)
		like += map[string]float64{"sweet": 4, "sour": -1}[attribute.Name] * value
	}
	return like
}

func file(name, text string) client.File {
	return client.File{Name: name, Contents: strings.NewReader(text)}
}

// quick returns settings with which answers count at once, and verdicts are practically never
// wrong.
func quick() wire.Settings { return wire.Settings{K: 3, Grace: -1, Delta: 1e-3} }

// draft creates a study of fruits.
func (s *stage) draft(settings wire.Settings) wire.Study {
	s.Helper()
	settings = linear(settings)
	created, err := s.owner.Create(s.Context(), client.NewStudy{
		Name: "Fruits", Prompt: "Which one?", Settings: settings, Catalogue: file("fruits.csv", fruits),
	})
	s.must(err)
	return created.Study
}

// linear returns settings without majority evidence, unless they name an assumption: then each answer
// counts at once. A few people suffice.
func linear(settings wire.Settings) wire.Settings {
	if settings.Assume == "" {
		settings.Assume, settings.Fallback, settings.Verify = "linear", new(0.0), cmp.Or(settings.Verify, new(0.0))
	}
	settings.People = cmp.Or(settings.People, new(0))
	return settings
}

// open creates a study of fruits and opens it.
func (s *stage) open(settings wire.Settings) wire.Study {
	s.Helper()
	opened, err := s.owner.Open(s.Context(), s.draft(settings).ID)
	s.must(err)
	return opened
}

// ask asks for a question, and retries until one is available.
func (s *stage) ask(id, respondent string) wire.Question {
	s.Helper()
	q, err := s.tryAsk(id, respondent)
	s.must(err)
	return q
}

func (s *stage) tryAsk(id, respondent string) (wire.Question, error) {
	return s.askAs(id, wire.Ask{Respondent: respondent})
}

// askAs asks for a question, and retries until one is available. A respondent whom the request names needs a token.
func (s *stage) askAs(id string, ask wire.Ask) (wire.Question, error) {
	who := s.respondent
	if ask.Respondent != "" {
		who = s.owner
	}
	for try := 0; ; try++ {
		q, err := who.Ask(s.Context(), id, ask)
		if !client.Is(err, wire.NoQuestion) || try == 1000 {
			s.secrets.add(q.Token)
			return q, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// answer asks a question, and answers it with the first arm.
func (s *stage) answer(id, respondent string) wire.Question {
	s.Helper()
	q := s.ask(id, respondent)
	s.must(s.respondent.Answer(s.Context(), id, q.Token, q.Arms[0].ID))
	return q
}

// crowd has people answer until the study is done, or each has answered the given number of
// questions.
func (s *stage) crowd(id string, people, each int) {
	s.Helper()
	var all sync.WaitGroup
	failures := make(chan error, people)
	for person := range people {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(person), 3))
			for range each {
				q, err := s.tryAsk(id, fmt.Sprint("person ", person))
				if err == nil {
					err = s.respondent.Answer(s.Context(), id, q.Token, favourite(q, rng))
				}
				if client.Is(err, wire.StudyDone) {
					return
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failures)
	var first error
	for err := range failures {
		first = errors.Join(first, err)
	}
	s.must(first)
}

// favourite returns a person's pick: the arm of highest utility plus Gumbel noise.
func favourite(q wire.Question, rng *rand.Rand) string {
	best, most := "", 0.0
	for _, arm := range q.Arms {
		if like := liking(arm) - math.Log(rng.ExpFloat64()); best == "" || like > most {
			best, most = arm.ID, like
		}
	}
	return best
}

// verdict returns the verdict of a study.
func (s *stage) verdict(id string) wire.Verdict {
	s.Helper()
	verdict, err := s.owner.Verdict(s.Context(), id)
	s.must(err)
	return verdict
}

// eventually waits until a condition holds.
func (s *stage) eventually(what string, is func() bool) {
	s.Helper()
	studytest.Await(s.T, what, is)
}
