//go:build !race

package api_test

import (
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/wire"
)

// stream uploads a file in a form, without holding it in memory, and returns the status and the
// problem.
func (s *stage) stream(method, path, field, name string, contents io.Reader) (int, wire.Problem) {
	s.Helper()
	body, into := io.Pipe()
	form := multipart.NewWriter(into)
	go func() {
		if field == "catalogue" && method == http.MethodPost && path == "/studies" {
			_ = form.WriteField("name", "x") // the reply shows whether the rest arrived
		}
		part, err := form.CreateFormFile(field, name)
		if err == nil {
			_, err = io.Copy(part, contents)
		}
		if err == nil {
			err = form.Close()
		}
		into.CloseWithError(err)
	}()
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+"/api/v1"+path, body)
	s.must(err)
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+s.owner.Token)
	reply, err := http.DefaultClient.Do(request)
	s.must(err)
	defer func() { _ = reply.Body.Close() }()
	var problem wire.Problem
	s.must(json.NewDecoder(reply.Body).Decode(&problem))
	return reply.StatusCode, problem
}

// TestUploadBombs: every operation that takes files rejects a file that decompresses to a much
// larger one, with a short problem and little memory. The service keeps running.
func TestUploadBombs(t *testing.T) {
	const most, kept, unpacked, longRow = 64 << 20, 16 << 20, 240 << 20, 200 << 20
	s := begin(t, setting{alone: true, idle: true})
	study := "/studies/" + s.draft(quick()).ID
	const parquet = "a.parquet: Parquet files cannot be uploaded; save the table as CSV, .xlsx or JSON Lines, " +
		"or upload the .npz that 'bestpick catalogue' makes of it"
	rows := cataloguetest.GzipBomb("id,price\n", "a,1\n", unpacked)
	answers := cataloguetest.GzipBomb("shown_1,shown_2,pick_1\n", "apple,pear,apple\n", unpacked)
	text := func(text string) func() io.Reader {
		return func() io.Reader { return strings.NewReader(text) }
	}
	endless := func(start string) func() io.Reader {
		return func() io.Reader {
			return io.NewSectionReader(cataloguetest.LongFile{Start: start, Fill: 'x', Size: longRow}, 0, longRow)
		}
	}
	for _, c := range []struct {
		method, path, field, name string
		contents                  func() io.Reader
		want                      string
	}{
		{"POST", "/studies", "catalogue", "a.parquet", text("PAR1"), parquet},
		{"POST", "/studies", "catalogue", "a.csv.gz", text(rows), "a.csv.gz:200002: the file has more than 200,000 rows"},
		{"POST", "/studies", "catalogue", "a.csv", endless("id,price\na,"), "a.csv:2: the row is longer than 4 MB"},
		{"POST", study + "/arms", "catalogue", "a.parquet", text("PAR1"), parquet},
		{"POST", study + "/arms", "catalogue", "a.csv.gz", text(rows), "a.csv.gz:200002: the file has more than 200,000 rows"},
		{
			"POST", study + "/import", "answers", "a.parquet", text("PAR1"),
			"a.parquet: Parquet files of answers cannot be imported; answers must be CSV or JSON Lines",
		},
		{"POST", study + "/import", "answers", "a.csv.gz", text(answers), "a.csv.gz:1000002: the file has more than 1,000,000 rows"},
		{
			"POST", study + "/import", "answers", "a.csv", endless("shown_1,shown_2,pick_1\napple,"),
			"a.csv:2: the row is longer than 1 MB",
		},
		{
			"POST", study + "/panel/import", "members", "a.csv.gz", text(rows),
			"a.csv.gz: the contents of the file are larger than 16 MB",
		},
		{"POST", study + "/panel/import", "members", "a.csv", endless("name\nx"), "a.csv:2: the row is longer than 1 MB"},
	} {
		before := keptMemory()
		var status int
		var problem wire.Problem
		peak := cataloguetest.PeakMemory(func() { status, problem = s.stream(c.method, c.path, c.field, c.name, c.contents()) })
		if status != http.StatusUnprocessableEntity || problem.Type != wire.Invalid || problem.Detail != c.want {
			t.Errorf("%s %s, %s: %d %s %q, want %q", c.method, c.path, c.name, status, problem.Type, problem.Detail, c.want)
		}
		if peak > most {
			t.Errorf("%s %s, %s: %d MB", c.method, c.path, c.name, peak>>20)
		}
		if left := keptMemory() - before; left > kept {
			t.Errorf("%s %s, %s: %d MB are not freed", c.method, c.path, c.name, left>>20)
		}
	}
	s.draft(quick())
}

// TestNothingIsLeftOfBombs: large files go to the temporary directory, and are removed.
func TestNothingIsLeftOfBombs(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s := begin(t, setting{idle: true, alone: true})
	large := fruits + strings.Repeat("\n", 9<<20)
	_, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Large", Catalogue: file("fruits.csv", large)})
	s.must(err)
	_, err = s.owner.Create(t.Context(), client.NewStudy{Name: "Large", Catalogue: file("fruits.csv", large+"x")})
	s.refused(err, 422, wire.Invalid, "body.catalogue")
	s.eventually("the folder is empty", func() bool {
		left, err := os.ReadDir(folder)
		s.must(err)
		return len(left) == 0
	})
}

// TestPanelBombs: files of people that are too large are rejected.
func TestPanelBombs(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for text, told := range map[string]string{
		"name\nx\n" + strings.Repeat("\n", 16<<20): "people.csv: the contents of the file are larger than 16 MB",
		"name\nx" + strings.Repeat(" ", 1<<20):     "people.csv:2: the row is longer than 1 MB",
	} {
		_, err := s.owner.ImportMembers(t.Context(), study.ID, file("people.csv", text))
		if problem := s.refused(err, 422, wire.Invalid, "body.members"); problem.Errors[0].Message != told {
			t.Errorf("%.40q: got %q, want %q", text, problem.Errors[0].Message, told)
		}
	}
}

// keptMemory returns how many bytes the heap has, without garbage.
func keptMemory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
