package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

//go:embed testdata/*.txt
var transcripts embed.FS

// rewrite is the folder of this package; transcripts there are written anew.
var rewrite = flag.String("rewrite", "", "write the transcripts of storetest in this folder")

// runTranscripts runs the files of testdata. A file has cases, which begin with ===, each on a new store. A line is a
// call of a method of [Store], and the indented line below it is its result. A second word "other" uses a second
// opener of the store. "repeat 8" and "together 8" before a call make it several times, see [conversation.several]; the
// line Reopen closes the first opener, Move moves the study a to another store and back, and "Work 2" runs two jobs.
//
// Arguments have the type of the parameter: numbers, words or Go strings (with *1000 to repeat one), durations, times
// since start as +1h, far or zero, lists as [1 2], and values as answer(5 Respondent=anna), where fields replace those of
// the example.
func runTranscripts(t *testing.T, place placer) {
	t.Helper()
	files, err := transcripts.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := transcripts.ReadFile("testdata/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(file.Name(), ".txt"), func(t *testing.T) {
			var written strings.Builder
			for i, section := range strings.Split(string(text), "=== ") {
				if i == 0 {
					written.WriteString(section)
					continue
				}
				name, _, _ := strings.Cut(section, "\n")
				written.WriteString("=== ")
				t.Run(name, func(t *testing.T) {
					c := conversation{stage: &stage{T: t, open: place(t)}, stores: map[string]Store{}}
					written.WriteString(c.repeat(section))
				})
			}
			if *rewrite != "" {
				if err := os.WriteFile(filepath.Join(*rewrite, "testdata", file.Name()), []byte(written.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// maxShown is the length of the longest result that a transcript shows.
const maxShown = 5000

// A conversation is one case of a transcript.
type conversation struct {
	*stage

	stores map[string]Store // by opener
}

// opener returns the store of an opener.
func (c conversation) opener(name string) Store {
	if c.stores[name] == nil {
		c.stores[name] = c.store()
	}
	return c.stores[name]
}

// script makes the calls of a text with lines as in a transcript, and returns the results.
func (s *stage) script(store Store, calls string) string {
	s.Helper()
	var results strings.Builder
	c := conversation{stage: s, stores: map[string]Store{"": store}}
	for line := range strings.SplitSeq(calls, "\n") {
		fmt.Fprintf(&results, "%s\n%s\n", line, c.call(line))
	}
	return results.String()
}

// repeat runs the calls of a case, compares their results, and returns the case with the results found.
func (c conversation) repeat(section string) string {
	lines := strings.Split(section, "\n")
	found := []string{lines[0]}
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, "    ") {
			continue
		}
		found = append(found, line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		result := "    " + c.call(line)
		if len(result) > maxShown {
			result = fmt.Sprintf("    %d bytes with sum %x", len(result), sha256.Sum256([]byte(result)))
		}
		found = append(found, result)
		if i+2 >= len(lines) || lines[i+2] != result {
			if *rewrite == "" {
				c.Errorf("%s\ngot  %s\nwant %s", line, result, lines[min(i+2, len(lines)-1)])
			}
		}
	}
	return strings.Join(found, "\n")
}

// call runs one line.
func (c conversation) call(line string) string {
	words := items(line)
	switch store := c.opener(""); words[0] {
	case "Reopen":
		delete(c.stores, "")
		return describe(store.Close())
	case "Move":
		c.moved(store)
		return "ok"
	case "Work":
		return c.worked(store, words[1:])
	case "repeat", "together":
		return c.several(words[0] == "together", words[1], words[2:])
	default:
		if len(words) > 1 && words[1] == "other" {
			store, words = c.opener(words[1]), append(words[:1:1], words[2:]...)
		}
		return answered(c.bind(c.Context(), store, words)())
	}
}

// several makes a number of calls, one after the other or concurrently with two openers, in which # is the number of
// the call. It returns how many had each result.
func (c conversation) several(together bool, times string, words []string) string {
	n, err := strconv.Atoi(times)
	c.must(err)
	stores, calls := []Store{c.opener(""), c.opener("")}, make([]func() []any, n)
	if together {
		stores[1] = c.opener("other")
	}
	for i := range calls {
		numbered := strings.ReplaceAll(strings.Join(words, " "), "#", strconv.Itoa(i))
		calls[i] = c.bind(c.Context(), stores[i%2], items(numbered))
	}
	all, running := make([]string, n), sync.WaitGroup{}
	for i, call := range calls {
		running.Go(func() {
			results := call()
			if all[i] = answered(results); results[len(results)-1] == nil && reflect.TypeOf(results[0]) != reflect.TypeFor[[]error]() {
				all[i] = "ok"
			}
		})
		if !together {
			running.Wait()
		}
	}
	running.Wait()
	counts := map[string]int{}
	for _, result := range all {
		counts[result]++
	}
	var list []string
	for _, result := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprint(counts[result], " ", result))
	}
	return strings.Join(list, ", ")
}

// answered returns the results of a call as text: the error, or the others.
func answered(results []any) string {
	last := len(results) - 1
	if results[last] != nil || last == 0 {
		return describe(results[last])
	}
	var list []string
	for _, result := range results[:last] {
		list = append(list, describe(result))
	}
	return strings.Join(list, " ")
}

// bind returns a call of a method with the arguments that follow it. The call returns the results.
func (c conversation) bind(ctx context.Context, store Store, call []string) func() []any {
	method := reflect.ValueOf(store).MethodByName(call[0])
	if !method.IsValid() {
		c.Fatalf("%s: no such method", call)
	}
	arguments, words := []reflect.Value{reflect.ValueOf(ctx)}, call[1:]
	signature := method.Type()
	for i := 1; i < signature.NumIn(); i++ {
		parameter := signature.In(i)
		if signature.IsVariadic() && i == signature.NumIn()-1 {
			for _, word := range words {
				arguments = append(arguments, c.value(store, parameter.Elem(), word)) //nolint:contextcheck // the stage has a context
			}
			break
		}
		if len(words) == 0 {
			c.Fatalf("%s: argument %d is missing", call, i)
		}
		//nolint:contextcheck // the stage has a context
		arguments, words = append(arguments, c.value(store, parameter, words[0])), words[1:]
	}
	return func() (results []any) {
		for _, result := range method.Call(arguments) {
			results = append(results, result.Interface())
		}
		return results
	}
}

// items splits a text at spaces outside of strings, brackets and parentheses.
func items(text string) (list []string) {
	depth, quoted, begin := 0, false, 0
	for i := 0; i <= len(text); i++ {
		if i == len(text) || text[i] == ' ' && depth == 0 && !quoted {
			if i > begin {
				list = append(list, text[begin:i])
			}
			begin = i + 1
			continue
		}
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte("[(", text[i]) >= 0:
			depth++
		case !quoted && strings.IndexByte("])", text[i]) >= 0:
			depth--
		}
	}
	return list
}

// value parses an argument.
func (c conversation) value(store Store, t reflect.Type, text string) reflect.Value {
	v := reflect.New(t).Elem()
	var err error
	switch into := v.Addr().Interface().(type) {
	case *time.Time:
		switch text {
		case "zero":
		case "far":
			*into = start.AddDate(8000, 0, 0)
		default:
			var since time.Duration
			since, err = time.ParseDuration(text)
			*into = start.Add(since)
		}
	case *func() time.Time:
		at, _ := reflect.TypeAssert[time.Time](c.value(store, reflect.TypeFor[time.Time](), text))
		*into = func() time.Time { return at }
	case *time.Duration:
		*into, err = time.ParseDuration(text)
	case *study.Terms: // the limit, or the limit@version
		each, version, relies := strings.Cut(text, "@")
		if into.Each, err = strconv.Atoi(each); relies && err == nil {
			into.Version, err = strconv.Atoi(version)
		}
	case *iter.Seq2[study.Outcome, error]:
		outcomes, _ := reflect.TypeAssert[[]study.Outcome](c.value(store, reflect.TypeFor[[]study.Outcome](), text))
		*into = batch(outcomes...)
	default:
		err = c.parse(store, v, text)
	}
	if err != nil {
		c.Fatalf("%s is no %s: %v", text, t, err)
	}
	return v
}

// parse parses an argument of a kind that Go has.
func (c conversation) parse(store Store, v reflect.Value, text string) (err error) {
	inner, listed := strings.CutPrefix(strings.TrimSuffix(text, "]"), "[")
	switch kind := v.Kind(); {
	case text == "nil":
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return c.parse(store, v.Elem(), text)
	case kind == reflect.String:
		var s string
		s, err = unquoted(text)
		v.SetString(s)
	case kind == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		var s string
		s, err = unquoted(text)
		v.SetBytes([]byte(s))
	case kind == reflect.Slice && listed:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		for _, item := range items(inner) {
			v.Set(reflect.Append(v, c.value(store, v.Type().Elem(), item)))
		}
	case kind == reflect.Map && listed:
		v.Set(reflect.MakeMap(v.Type()))
		for _, item := range items(inner) {
			key, value, _ := strings.Cut(item, "=")
			v.SetMapIndex(reflect.ValueOf(key), c.value(store, v.Type().Elem(), value))
		}
	case kind == reflect.Struct:
		return c.example(store, v, text)
	case kind == reflect.Interface:
		err = c.job(store, v, text)
	case kind == reflect.Bool:
		v.SetBool(text == "true")
	case kind == reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		v.SetFloat(x)
	default:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	}
	return err
}

// job parses the arguments of a job: erasure(Study=a), or the study of a delivery.
func (c conversation) job(store Store, v reflect.Value, text string) error {
	if strings.HasPrefix(text, "erasure(") {
		v.Set(c.value(store, reflect.TypeFor[jobs.Erasure](), text))
		return nil
	}
	id, err := unquoted(text)
	v.Set(reflect.ValueOf(jobs.Delivery{Study: id}))
	return err
}

// unquoted returns a word, a Go string, perhaps repeated, or the hash of a token or of the key of a member.
func unquoted(text string) (string, error) {
	if name, hashed := strings.CutPrefix(text, "hash("); hashed {
		return access.Hash(strings.TrimSuffix(name, ")")), nil
	}
	if name, key := strings.CutPrefix(text, "key("); key {
		return study.HashKey(member(0, strings.TrimSuffix(name, ")")).Key), nil
	}
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	end := strings.LastIndex(text, `"`) + 1
	s, err := strconv.Unquote(text[:end])
	if times, repeated := strings.CutPrefix(text[end:], "*"); repeated {
		n, err := strconv.Atoi(times)
		return strings.Repeat(s, n), err
	}
	return s, err
}

// example sets a structure to an example with some fields replaced.
func (c conversation) example(store Store, v reflect.Value, text string) error {
	name, inner, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	fields := items(inner)
	key := ""
	if len(fields) > 0 && !strings.Contains(fields[0], "=") {
		var err error
		if key, err = unquoted(fields[0]); err != nil {
			return err
		}
		fields = fields[1:]
	}
	n, _ := strconv.Atoi(key)
	var made any
	switch name {
	case "study":
		made = sample(key)
	case "answer":
		made = answer(study.Position(n))
	case "skipped", "undone", "lost", "answered", "erased", "guessed":
		made = became(study.Position(n), study.Kind(name))
	case "imported":
		made = imported(n)
	case "arrival":
		made = study.Outcome{Respondent: key, At: start}
	case "profiled":
		made = profiled(key)
	case "next":
		made = c.next(store, n)
	case "complete":
		p := c.next(store, n)
		p.Verdict = verdictOf(p.Number)
		made = p
	case "restart":
		made = c.restart(store, n)
	case "member":
		made = member(0, key)
	case "owner":
		made = token(key)
	case "viewer":
		made = viewer(key)
	case "entry":
		made = entry(int64(n))
	case "hook":
		made = hook(key)
	case "newhook":
		made = newHook(key)
	default:
		made = reflect.Zero(v.Type()).Interface()
	}
	v.Set(reflect.ValueOf(made))
	for _, field := range fields {
		key, value, _ := strings.Cut(field, "=")
		into := v.FieldByName(key)
		if !into.IsValid() {
			return fmt.Errorf("no field %s", key)
		}
		into.Set(c.value(store, into.Type(), value))
	}
	return nil
}

// describe returns a result as text, the same for every store.
func describe(result any) string {
	switch r := result.(type) {
	case nil:
		return "ok"
	case error:
		return describeError(r)
	case []byte:
		return strconv.Quote(string(r))
	case []error:
		var list []string
		for _, err := range r {
			list = append(list, describe(err))
		}
		return "[" + strings.Join(list, " ") + "]"
	}
	if w, ok := result.(study.Work); ok {
		result = []any{w.Study.ID, w.Study.Version, w.Outcomes, w.Plans, w.Unclaimed, w.Waiting}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err.Error()
	}
	if p, ok := result.(study.Plan); ok && !bytes.Contains(text, p.Verdict) { // JSON in JSON loses its spaces
		text = fmt.Appendf(text, " verdict %q", p.Verdict)
	}
	return moment.ReplaceAllStringFunc(string(text), func(text string) string {
		at, err := time.Parse(time.RFC3339Nano, strings.Trim(text, `"`))
		if err != nil || at.Year() < start.Year() {
			return text
		}
		return "+" + at.Sub(start).String()
	})
}

// moment matches a time in JSON.
var moment = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[^"]*"`)

// describeError names an error of the contract. Messages of others depend on the store.
func describeError(err error) string {
	for name, known := range map[string]error{
		"not found": study.ErrNotFound, "changed": study.ErrChanged, "no member": study.ErrNoMember, "taken": study.ErrTaken,
		"enough": study.ErrEnough, "no question": study.ErrNoQuestion, "quota": study.ErrQuota, "not yours": study.ErrNotYours,
		"cancelled":     context.Canceled,
		"unknown token": access.ErrUnknown, "token taken": access.ErrTaken, "last token": access.ErrLast,
		"no webhook": webhook.ErrNone, "webhook lost": webhook.ErrLost,
	} {
		if errors.Is(err, known) {
			return name
		}
	}
	return "refused"
}

// atOnce is the number of goroutines that record outcomes in benchmarks, and the number of rows in
// each of the plain transactions that they are compared with.
const atOnce = 64

// benchmark measures b.N acknowledged outcomes, one per call, from many goroutines. Every
// respondent gives as many answers as the limit each allows, or one without a limit. It reports
// outcomes per second, and their ratio to the rows that plain transactions of [atOnce] rows insert
// into a table of the same shape in the same time. plain inserts the given number of rows.
func benchmark(b *testing.B, store Store, each int, plain func(rows int) error) {
	b.Helper()
	if err := store.Create(b.Context(), sample("a"), nil); err != nil {
		b.Fatal(err)
	}
	if err := plain(b.N); err != nil { // a growing file is slower, so it grows before the measurement
		b.Fatal(err)
	}
	b.ResetTimer()
	var next atomic.Int64
	var respondents sync.WaitGroup
	for range atOnce {
		respondents.Go(func() {
			for p := next.Add(1); p <= int64(b.N); p = next.Add(1) {
				o := answer(study.Position(p))
				if each != study.NoLimit {
					o.Respondent = fmt.Sprint("Zoë ", p/int64(each))
				}
				results, err := store.Record(b.Context(), "a", study.Terms{Each: each}, o)
				if err != nil || results[0] != nil {
					b.Error(err, results)
					return
				}
			}
		})
	}
	respondents.Wait()
	recorded := b.Elapsed()
	if err := plain(b.N); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/recorded.Seconds(), "outcomes/s")
	b.ReportMetric((b.Elapsed()-recorded).Seconds()/recorded.Seconds(), "of-plain-inserts")
}
