package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/testsupport"
)

// visit returns a client with a session, without a browser.
func (s *stage) visit(secret string) *http.Client {
	s.Helper()
	jar := testsupport.Value(cookiejar.New(nil)).OrFail(s)
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	status, _, _ := s.send(c, "/sign-in", "application/x-www-form-urlencoded",
		strings.NewReader(url.Values{"token": {secret}}.Encode()))
	if status != http.StatusSeeOther {
		s.Fatalf("signing in replies with %d", status)
	}
	return c
}

func (s *stage) send(c *http.Client, path, kind string, body io.Reader) (status int, location, text string) {
	s.Helper()
	r := testsupport.Value(http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+path, body)).OrFail(s)
	r.Header.Set("Content-Type", kind)
	if path == "/new" {
		r.Header.Set("X-Part", "created")
	}
	reply, err := c.Do(r)
	testsupport.NoError(s, err)
	defer func() { _ = reply.Body.Close() }()
	all := testsupport.Value(io.ReadAll(reply.Body)).OrFail(s)
	return reply.StatusCode, reply.Header.Get("Location"), string(all)
}

// A sentFile is a file in a form.
type sentFile struct{ field, name, text string }

// create submits the form of a new study like JavaScript, and returns its location or its problems.
func (s *stage) create(c *http.Client, fields map[string]string, files ...sentFile) (location string,
	problems map[string]string,
) {
	s.Helper()
	status, _, text := s.sendForm(c, "/new", fields, files...)
	var reply struct {
		Location string            `json:"location"`
		Problems map[string]string `json:"problems"`
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil || status != http.StatusOK {
		s.Fatalf("%d %.200s", status, text)
	}
	return reply.Location, reply.Problems
}

// sendForm submits a form with files.
func (s *stage) sendForm(c *http.Client, path string, fields map[string]string, files ...sentFile) (status int, location,
	text string,
) {
	s.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		s.must(form.WriteField(name, value))
	}
	for _, file := range files {
		part := testsupport.Value(form.CreateFormFile(file.field, file.name)).OrFail(s)
		testsupport.Value(io.WriteString(part, file.text)).OrFail(s)
	}
	s.must(form.Close())
	return s.send(c, path, form.FormDataContentType(), &body)
}

func packed(s *stage, text string) string {
	s.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	testsupport.Value(io.WriteString(w, text)).OrFail(s)
	s.must(w.Close())
	return out.String()
}

// fourVectors returns a .npy file of four vectors with two numbers each.
func fourVectors() string {
	const dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }\n"
	file := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dictionary)))
	file, _ = binary.Append(append(file, dictionary...), binary.LittleEndian,
		[]float64{1, 2, 3, 5, 8, 13, 21, 35}) // numbers have a fixed size
	return string(file)
}

// TestUploads: studies can be created from all formats, and problems are reported at the field of
// their file.
func TestUploads(t *testing.T) {
	s := begin(t)
	c := s.visit(s.owner.Token)
	const field, ids, pasted = "catalogue", "ids", "table"
	for _, test := range []struct {
		what  string
		table string
		files []sentFile
		wrong string // the field with a problem
		says  string
	}{
		{what: "CSV", files: []sentFile{{field, "lamps.csv", lamps()}}},
		{what: "packed CSV", files: []sentFile{{field, "lamps.csv.gz", packed(s, lamps())}}},
		{what: "JSON Lines", files: []sentFile{{field, "a.jsonl", "{\"id\":1,\"x\":1}\n{\"id\":2,\"x\":3}\n{\"id\":3,\"x\":4}\n"}}},
		{what: "npy", files: []sentFile{{field, "e.npy", fourVectors()}, {ids, "e.txt", "a\nb\nc\nd\n"}}},
		{what: "Excel", files: []sentFile{{field, "a.xlsx", cataloguetest.WorkbookFile(t,
			[][]any{{"id", "x"}, {1, 1}, {2, 3}, {3, 4}})}}},
		{what: "attributes", files: []sentFile{{field, "a.yaml", "price: [10, 12, 15]\nbrand: [acme, zenith]\n"}}},
		{what: "semicolons", table: "id;x\n1;1\n2;3\n3;4\n"},
		{what: "a file counts", table: "nonsense", files: []sentFile{{field, "lamps.csv", lamps()}}},
		{what: "nothing", wrong: field, says: "Choose a file, or paste a table."},
		{what: "blanks", table: " \n\t", wrong: field, says: "Choose a file, or paste a table."},
		{what: "npy without ids", files: []sentFile{{field, "e.npy", fourVectors()}}},
		{
			what: "npy with too few ids", files: []sentFile{{field, "e.npy", fourVectors()}, {ids, "e.txt", "a\nb\n"}}, wrong: field,
			says: "there are 4 rows, but 2 IDs",
		},
		{
			what: "npy with an id twice", files: []sentFile{{field, "e.npy", fourVectors()}, {ids, "e.txt", "a\nb\na\nc\n"}}, wrong: ids,
			says: "already",
		},
		{what: "no id", table: "name,x\na,1\nb,2\n"},
		{what: "names only", table: "headline\nOne\nTwo\nThree\n"},
		{what: "human numbers", table: "id,x\n1,$10\n2,$20\n3,$30\n"},
		{what: "a typing error", table: "id,x\n1,10\n2,2O\n3,30\n", wrong: pasted, says: "; or leave the column out"},
		{what: "no table", files: []sentFile{{field, "x.csv", "\x00\x01\x02"}}, wrong: field, says: "the file is not text"},
		{
			what: "a spreadsheet", files: []sentFile{{field, "x.xlsx", "PK\x03\x04...."}}, wrong: field,
			says: "the ZIP archive is damaged",
		},
		{
			what: "a long row", files: []sentFile{{field, "x.csv", "id,x\n1," + strings.Repeat("1", 5<<20)}}, wrong: field,
			says: "the row is longer than 4 MB",
		},
		{
			what: "many rows", files: []sentFile{{field, "x.csv.gz", cataloguetest.GzipBomb("id,x\n", "1,1\n", 8<<20)}}, wrong: field,
			says: "the file has more than 200,000 rows",
		},
		{what: "a long name", files: []sentFile{{field, strings.Repeat("x", 300) + ".csv", lamps()}}, wrong: field, says: "too long"},
		{what: "one arm", table: "id,x\n1,1\n", wrong: pasted},
		{
			what: "many problems", table: "id,a,b,c,d,e,f\n1,1,1,1,1,1,1\n2,1,1,1,1,1,1\n3,x,x,x,x,x,x\n", wrong: pasted,
			says: "And 1 more.",
		},
	} {
		t.Run(test.what, func(t *testing.T) {
			location, problems := s.create(c, map[string]string{
				"name": test.what, "k": "2", "picks": "1", "delta": "0.05",
				"epsilon": "0", "table": test.table,
			}, test.files...)
			if test.wrong == "" {
				if !strings.HasPrefix(location, "/studies/") || len(problems) > 0 {
					t.Errorf("%q, %v", location, problems)
				}
				return
			}
			if location != "" || len(problems) != 1 || !strings.Contains(problems[test.wrong], test.says) ||
				problems[test.wrong] == "" || strings.Contains(problems[test.wrong], "--") {
				t.Errorf("%q, %q", location, problems)
			}
		})
	}
	if status, _, _ := s.send(c, "/new", "multipart/form-data; boundary=x", strings.NewReader("--y")); status != http.StatusBadRequest {
		t.Errorf("no form: %d", status)
	}
	if status, _, _ := s.send(s.visit(s.token("Vera", access.Viewer)), "/new", "multipart/form-data; boundary=x",
		strings.NewReader("--x--")); status != http.StatusForbidden {
		t.Errorf("a viewer: %d", status)
	}
	if status, location, _ := s.send(&http.Client{CheckRedirect: c.CheckRedirect}, "/new", "multipart/form-data; boundary=x",
		strings.NewReader("--x--")); status != http.StatusSeeOther || location != "/sign-in" {
		t.Errorf("without a session: %d %s", status, location)
	}
}
