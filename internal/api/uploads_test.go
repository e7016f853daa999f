package api_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/examples"
	"bestpick/internal/api"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/wire"
)

// encoded returns the catalogue of a file.
func (s *stage) encoded(name string, text []byte) *archive.Catalogue {
	s.Helper()
	arms, err := archive.OpenUpload(read.Upload{Name: name, Contents: bytes.NewReader(text), Size: int64(len(text))}, catalogue.Options{}, 0)
	s.must(err)
	return &arms.Catalogue
}

// written returns arms in another format.
func (s *stage) written(arms *archive.Catalogue, format table.Format) string {
	s.Helper()
	var text bytes.Buffer
	s.must(archive.WriteArms(&text, arms, format))
	return text.String()
}

// matrix returns a .npy file with the given number of rows of two numbers.
func matrix(rows int) string {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (" + string(rune('0'+rows)) + ", 2), }\n"
	text := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	text = append(text, header...)
	for i := range 2 * rows {
		text = binary.LittleEndian.AppendUint32(text, math.Float32bits(float32(i*i%7)))
	}
	return string(text)
}

// TestEveryFormat creates a study from each format, and lists its arms.
func TestEveryFormat(t *testing.T) {
	s := begin(t, setting{idle: true})
	lamps := s.encoded("lamps.csv", examples.Lamps())
	var saved bytes.Buffer
	s.must(archive.Save(&saved, lamps))
	camera, err := os.ReadFile("../../examples/camera.yaml")
	s.must(err)
	profiles := s.encoded("camera.yaml", camera)
	ids := file("ids.txt", "a\nb\nc\nd\n")
	for _, c := range []struct {
		name, text string
		ids        *client.File
		arms       int
		first      string
	}{
		{"lamps.csv", string(examples.Lamps()), nil, 12, "l01"},
		{"lamps.tsv", strings.ReplaceAll(string(examples.Lamps()), ",", "\t"), nil, 12, "l01"},
		{"lamps.jsonl", s.written(lamps, table.JSONLines), nil, 12, "l01"},
		{"lamps.npz", saved.String(), nil, 12, "l01"},
		{"vectors.npy", matrix(4), &ids, 4, "a"},
		{"camera.yaml", string(camera), nil, profiles.Arms.Len(), profiles.Arms.ID(0)},
	} {
		created, err := s.owner.Create(t.Context(), client.NewStudy{Name: c.name, Catalogue: file(c.name, c.text), IDs: c.ids, Dimensions: 2})
		if err != nil || created.Study.Arms != c.arms || created.Study.State != "draft" {
			t.Fatalf("%s: %+v, %v", c.name, created.Study, err)
		}
		page, err := s.owner.Arms(t.Context(), created.Study.ID, "")
		s.must(err)
		first := page.Arms[0]
		if first.ID != c.first || len(page.Arms) == 12 && (first.Label != "Orb" || first.Description == "" || len(first.Attributes) != 6) {
			t.Errorf("%s: the first arm is %+v", c.name, first)
		}
	}
}

// TestCatalogueProblems: all problems of a file are reported at once, with file, line and column.
func TestCatalogueProblems(t *testing.T) {
	s := begin(t, setting{idle: true})
	ids := file("ids.txt", "a\na\nb\nc\n")
	for _, c := range []struct {
		name, text string
		ids        *client.File
		location   string
		want       []string
	}{
		{"arms.csv", "id,x\na\na,1\nb,2\na,3\nc,4\nc,5\n", nil, "body.catalogue", []string{"arms.csv:2: the row has 1 fields", "arms.csv:5: column \"id\": "}},
		{"arms.csv", "", nil, "body.catalogue", []string{"arms.csv: "}},
		{"arms.npy", matrix(4), &ids, "body.ids", []string{"ids.txt:2"}},
	} {
		_, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: file(c.name, c.text), IDs: c.ids})
		problem := s.refused(err, 422, wire.Invalid, c.location)
		for i, want := range c.want {
			if i >= len(problem.Errors) || !strings.HasPrefix(problem.Errors[i].Message, want) {
				t.Errorf("%s: got %+v, want %q", c.name, problem.Errors, want)
			}
		}
	}
	page, err := s.owner.Studies(t.Context(), "")
	if err != nil || len(page.Studies) != 0 {
		t.Errorf("got %d studies, %v", len(page.Studies), err)
	}
}

// TestNothingIsLeftOfUploads: large files go to the temporary directory, and are removed.
func TestNothingIsLeftOfUploads(t *testing.T) {
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

// TestTooLarge: requests over the limit are rejected.
func TestTooLarge(t *testing.T) {
	s := begin(t, setting{idle: true, api: api.Options{MaxUpload: 10_000}})
	id := s.draft(quick()).ID
	_, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Large", Catalogue: file("fruits.csv", fruits+strings.Repeat("\n", 10_000))})
	s.refused(err, 413, wire.TooLarge, "")
	_, err = s.owner.Import(t.Context(), id, "", file("answers.csv", strings.Repeat("shown_1\n", 10_000)))
	s.refused(err, 413, wire.TooLarge, "")
	s.refused(s.respondent.Skip(t.Context(), id, strings.Repeat("x", 2<<20)), 413, wire.TooLarge, "")
}
