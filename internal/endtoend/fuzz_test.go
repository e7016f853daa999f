package endtoend

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/internal/answers"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/wire"
)

// TestRequests checks that no request causes a 5xx, a panic, a leak or a log line, and that only successful requests
// write to the database.
func TestRequests(t *testing.T) {
	const sequences, requests, bytes = 36, 200, 30_000
	m := newTemplate(t)
	succeeded := map[string]int{}
	var mutex sync.Mutex
	t.Run("sequence", func(t *testing.T) {
		for seed := range uint64(sequences) {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				counts := m.fuzz(t, randomBytes(seed, bytes), requests)
				mutex.Lock()
				defer mutex.Unlock()
				for operation, times := range counts {
					succeeded[operation] += times
				}
			})
		}
	})
	for _, operation := range m.spec.Operations() {
		if succeeded[operation] == 0 {
			t.Errorf("no request to %s succeeded, so its faulty requests show nothing", operation)
		}
	}
}

// FuzzAPI searches for requests that break the rules of TestRequests.
func FuzzAPI(f *testing.F) {
	const seeds, requests, bytes = 3, 60, 4000
	m := newTemplate(f)
	f.Add([]byte{})
	for seed := range uint64(seeds) {
		f.Add(randomBytes(1000+seed, bytes))
	}
	f.Fuzz(func(t *testing.T, input []byte) { m.fuzz(t, input, requests) })
}

// fuzz sends requests until the input is consumed, and returns how many succeeded by operation.
func (m *template) fuzz(t testing.TB, input []byte, most int) map[string]int {
	t.Helper()
	s := m.start(t)
	defer s.close(t)
	succeeded := map[string]int{}
	choices := newChoices(input)
	for range most {
		r := m.spec.request(&s.fixtures, choices)
		s.now = s.now.Add(time.Millisecond)
		if reply := s.send(t, r); reply != nil {
			s.check(t, r, reply)
			if reply.Code < 300 {
				succeeded[r.Operation]++
			}
		}
		if t.Failed() {
			t.Fatalf("after %v", r)
		}
		if choices.Empty() {
			break
		}
	}
	return succeeded
}

// A reply records a response. The first flush cancels the request, which ends event streams.
type reply struct {
	*httptest.ResponseRecorder

	method  string
	flushed func()
	read    int64 // bytes of the request
}

func (r *reply) Flush()                           { r.flushed() }
func (r *reply) SetReadDeadline(time.Time) error  { return nil }
func (r *reply) SetWriteDeadline(time.Time) error { return nil }

// A counter counts the bytes that are read.
type counter struct {
	source io.Reader
	read   int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	c.read += int64(n)
	return n, err
}

// check checks one reply and its effect on the database.
func (s *server) check(t testing.TB, r fuzzRequest, w *reply) {
	t.Helper()
	if w.Code >= 500 && !(w.Code == http.StatusServiceUnavailable && strings.Contains(w.Body.String(), wire.NoQuestion)) {
		t.Errorf("the status is %d: %s", w.Code, w.Body)
	}
	if w.Code >= 400 {
		checkProblem(t, w)
	}
	if s.log.Len() > 0 {
		t.Errorf("the log has %s", s.log.String())
	}
	if w.read > maxUpload+1<<20 {
		t.Errorf("%d bytes were read", w.read)
	}
	// Exports, reading keys and refused tokens are audited. Asking may find that questions have expired, whether or not
	// there is a new one.
	exported := strings.HasPrefix(r.Operation, "export-") || r.Operation == "list-panel"
	writes := w.Code < 300 && (exported || w.method != http.MethodGet && w.method != http.MethodHead)
	if s.written(t) && !writes && w.Code != http.StatusServiceUnavailable && w.Code != http.StatusUnauthorized {
		t.Errorf("the database was written to by a request with the reply %d %s", w.Code, w.Body)
	}
	if writes {
		s.learn(t, r, w)
		s.written(t)
	}
}

// packages can prefix errors or types.
const packages = `(access|answers|api|bufio|catalogue|choice|csv|flate|fs|gzip|http|huma|io|json|mime|multipart|net|os|parquet|sql|sqlite|strategy|strconv|study|table|textproto|thrift|time|url|utf8|webhook|wire|yaml|zip)`

// internals matches stack traces, Go types, and errors with the names of packages before them.
var internals = regexp.MustCompile(`goroutine \d|\.go:\d|runtime error|0x[0-9a-f]{8}|interface \{\}|map\[string\]|\[\]string|("|: )` + packages + `: |[^\w.]` + packages + `\.[A-Z]\w+`)

// checkProblem checks that a problem is well-formed, short, and reveals no internals.
func checkProblem(t testing.TB, w *reply) {
	t.Helper()
	var problem wire.Problem
	strict := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&problem); err != nil || problem.Status != w.Code || problem.Title == "" ||
		w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %v with %.2000s: %v", w.Code, w.Header(), w.Body, err)
	}
	if found := internals.FindString(w.Body.String()); found != "" {
		t.Errorf("the problem reveals %q: %s", found, w.Body)
	}
	if w.Body.Len() > 50_000 {
		t.Errorf("the problem has %d bytes: %.2000s", w.Body.Len(), w.Body)
	}
}

// TestReproducible checks that equal bytes make equal requests, and no bytes a valid one.
func TestReproducible(t *testing.T) {
	m := newTemplate(t)
	one, other := newChoices(randomBytes(7, 5000)), newChoices(randomBytes(7, 5000))
	for range 50 {
		if a, b := m.spec.request(&m.fixtures, one), m.spec.request(&m.fixtures, other); a != b {
			t.Fatalf("equal bytes made %v and %v", a, b)
		}
	}
	s := m.start(t)
	defer s.close(t)
	if reply := s.send(t, m.spec.request(&m.fixtures, newChoices(nil))); reply.Code != http.StatusOK {
		t.Errorf("a valid request gets %d", reply.Code)
	}
}

// TestInternals checks which texts count as internals.
func TestInternals(t *testing.T) {
	for text, reveals := range map[string]bool{
		"goroutine 7 [running]:":                   true,
		"at body.go:17":                            true,
		"expected a wire.Settings":                 true,
		"cannot be read: multipart: NextPart: EOF": true,
		"runtime error: index out of range":        true,
		"fruits.csv: there is no column id":        false,
		"encoding.json: its bytes are damaged":     false,
		"expected number <= 100 body.settings.k":   false,
	} {
		if internals.MatchString(text) != reveals {
			t.Errorf("%q: reveals internals: %v", text, !reveals)
		}
	}
}

// TestBomb checks that a decompression bomb is small.
func TestBomb(t *testing.T) {
	const size = 64 << 20
	if packed := bomb(fuzzFruits, size); len(packed) > size/200 {
		t.Errorf("%d bytes for %d", len(packed), size)
	}
}

const (
	fuzzFruits = `id,label,sweet,sour,colour,ripe
apple,An apple,1,1,red,yes
pear,A pear,2,0,green,no
quince,A quince,0,2,green,yes
plum,A plum,2,1,red,yes
cherry,A cherry,3,1,red,no
lemon,A lemon,-1,4,green,yes
`
	cameras    = "price: [100, 200, 300]\nbrand: [acme, zenith]\nflash: [true, false]\nforbidden:\n  - {brand: acme, price: [300]}\n"
	texts      = "arm,context,text\napple,red?,yes\npear,red?,no\nquince,red?,no\nplum,red?,yes\ncherry,red?,yes\nlemon,red?,no\n"
	fuzzPeople = "name,segment\nanna,north\nZoë,south\ndora,\n"
)

// files returns valid uploads in every format.
func files(t testing.TB) map[string][]fuzzFile {
	t.Helper()
	encoded, err := archive.OpenUpload(read.Upload{
		Name: "fruits.csv", Contents: strings.NewReader(fuzzFruits),
		Size: int64(len(fuzzFruits)),
	}, catalogue.Options{}, 0)
	must(t, err)
	save := func(format table.Format) func(*bytes.Buffer) error {
		return func(w *bytes.Buffer) error { return archive.WriteArms(w, &encoded.Catalogue, format) }
	}
	const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 1), }"
	matrix := append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), header...)
	for i := range 8 {
		matrix = binary.LittleEndian.AppendUint32(matrix, math.Float32bits(float32(i*i%7)))
	}
	all := map[string][]fuzzFile{
		"catalogue": {
			{Name: "fruits.csv", Contents: fuzzFruits},
			{Name: "more.csv", Contents: "id,label,sweet,sour,colour,ripe\nfig,A fig,4,0,red,no\nkaki,A kaki,3,0,green,no\n"},
			{Name: "cameras.yaml", Contents: cameras},
			{Name: "fruits.tsv.gz", Contents: packed(strings.ReplaceAll(fuzzFruits, ",", "\t"))},
			{Name: "e.npy", Contents: string(matrix), IDs: &fuzzFile{Name: "e.txt", Contents: "a\nb\nc\nd\ne\nf\ng\nh\n"}},
			{Name: "fruits.jsonl", Contents: written(t, save(table.JSONLines))},
			{Name: "fruits.parquet", Contents: written(t, save(table.Parquet))},
			{Name: "fruits.npz", Contents: written(t, func(w *bytes.Buffer) error { return archive.Save(w, &encoded.Catalogue) })},
		},
		"ids": {{Name: "ids.txt", Contents: "a\nb\n"}},
		"texts": {
			{Name: "texts.csv", Contents: texts},
			{Name: "texts.tsv.gz", Contents: packed(strings.ReplaceAll(texts, ",", "\t"))},
		},
		"members": {
			{Name: "people.csv", Contents: "name\nanna\nZoë\n"},
			{Name: "people.tsv.gz", Contents: packed(strings.ReplaceAll(fuzzPeople, ",", "\t"))},
		},
	}
	for _, format := range []table.Format{table.CSV, table.JSONLines, table.Parquet} {
		all["answers"] = append(all["answers"],
			fuzzFile{Name: "answers." + string(format), Contents: written(t, func(w *bytes.Buffer) error {
				out := answers.NewWriter(w, format, answers.Layout{Shown: 3, Picks: 1})
				at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
				for i, pick := range []string{"apple", "plum", "cherry"} {
					must(t, out.Write(answers.Row{
						Number: int64(i + 1), Kind: "answered", Shown: []string{"apple", "plum", "cherry"},
						Picks: []string{pick}, Respondent: "anna", Asked: at, At: at,
					}))
				}
				return out.Close()
			})})
	}
	return all
}

func written(t testing.TB, write func(w *bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	must(t, write(&out))
	return out.String()
}
