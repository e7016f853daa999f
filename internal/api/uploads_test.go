package api_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"bestpick/client"
	"bestpick/examples"
	"bestpick/internal/api"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/wire"
)

// encoded returns the catalogue of a file.
func (s *stage) encoded(name string, text []byte) *archive.Catalogue {
	s.Helper()
	arms, err := archive.OpenUpload(read.Upload{Name: name, Contents: bytes.NewReader(text), Size: int64(len(text))},
		catalogue.Options{}, 0)
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
		created, err := s.owner.Create(t.Context(),
			client.NewStudy{Name: c.name, Catalogue: file(c.name, c.text), IDs: c.ids, Dimensions: 2})
		if err != nil || created.Study.Arms != c.arms || created.Study.State != "draft" {
			t.Fatalf("%s: %+v, %v", c.name, created.Study, err)
		}
		page, err := s.owner.Arms(t.Context(), created.Study.ID, "")
		s.must(err)
		first := page.Arms[0]
		if first.ID != c.first || len(page.Arms) == 12 &&
			(first.Label != "Orb" || first.Description == "" || len(first.Attributes) != 6) {
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
		{
			"arms.csv", "id,x\na\na,1\nb,2\na,3\nc,4\nc,5\n", nil, "body.catalogue",
			[]string{"arms.csv:2: the row has 1 fields", "arms.csv:5: column \"id\": "},
		},
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

// TestTooLarge: requests over the limit are rejected.
func TestTooLarge(t *testing.T) {
	s := begin(t, setting{idle: true, api: api.Options{MaxUpload: 10_000}})
	id := s.draft(quick()).ID
	_, err := s.owner.Create(t.Context(), client.NewStudy{
		Name:      "Large",
		Catalogue: file("fruits.csv", fruits+strings.Repeat("\n", 10_000)),
	})
	s.refused(err, 413, wire.TooLarge, "")
	_, err = s.owner.Import(t.Context(), id, "", file("answers.csv", strings.Repeat("shown_1\n", 10_000)))
	s.refused(err, 413, wire.TooLarge, "")
	s.refused(s.respondent.Skip(t.Context(), id, strings.Repeat("x", 2<<20)), 413, wire.TooLarge, "")
}

// TestZIPOfATableAndPictures: arms and respondents get the addresses of stored pictures, added arms as well.
func TestZIPOfATableAndPictures(t *testing.T) {
	s := begin(t, setting{idle: true})
	var photo bytes.Buffer
	s.must(png.Encode(&photo, image.NewGray(image.Rect(0, 0, 2, 2))))
	bundle := func(rows string) client.File {
		return file("arms.zip", cataloguetest.ZIP(t, map[string]string{"t.csv": "id,image,x\n" + rows, "a.png": photo.String()}))
	}
	created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: bundle("1,a.png,1\n2,none.png,2\n3,,3\n")})
	s.must(err)
	if len(created.Warnings) == 0 || !strings.Contains(created.Warnings[len(created.Warnings)-1].Text, "none.png") {
		t.Errorf("%v", created.Warnings)
	}
	changed, err := s.owner.AddArms(t.Context(), created.Study.ID, created.Study.Version, bundle("4,a.png,5\n"), nil)
	s.must(err)
	_, err = s.owner.ReplaceArms(t.Context(), created.Study.ID, changed.Study.Version,
		bundle("1,a.png,1\n2,a.png,2\n3,a.png,4\n"), nil)
	s.must(err)
	page, err := s.viewer.Arms(t.Context(), created.Study.ID, "")
	s.must(err)
	for _, arm := range page.Arms {
		if !strings.HasPrefix(arm.Image, "/s/"+created.Study.ID+"/pictures/") {
			t.Errorf("%s has %q", arm.ID, arm.Image)
		}
	}
	_, err = s.owner.Create(t.Context(), client.NewStudy{
		Name:      "x",
		Catalogue: file("arms.zip", cataloguetest.ZIP(t, map[string]string{"a.png": photo.String()})),
	})
	s.refused(err, 422, wire.Invalid, "body.catalogue")
}

// TestSheet: the sheet of a workbook can be chosen; otherwise it is the fullest one.
func TestSheet(t *testing.T) {
	s := begin(t, setting{idle: true})
	book := excelize.NewFile()
	_, err := book.NewSheet("Other")
	s.must(err)
	for i, row := range [][]any{{"id", "x"}, {"a", 1}, {"b", 2}, {"c", 3}} {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		s.must(err)
		s.must(book.SetSheetRow("Other", cell, &row))
	}
	content := cataloguetest.SavedWorkbook(t, book)
	arms := file("arms.xlsx", content)
	for _, arms.Sheet = range []string{"Other", ""} {
		arms.Contents = strings.NewReader(content)
		created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: arms})
		s.must(err)
		if created.Study.Arms != 3 {
			t.Errorf("%d arms", created.Study.Arms)
		}
	}
	arms.Sheet, arms.Contents = "Sheet1", strings.NewReader(content)
	_, err = s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: arms})
	s.refused(err, 422, wire.Invalid, "body.catalogue")
}

// twelveModels are options without attributes, as JSON Lines.
func twelveModels() client.File {
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, "{\"id\":\"model-%d\"}\n", i)
	}
	return file("models.jsonl", lines.String())
}

// TestNamesOnly: options without attributes make a study, with a warning that attributes would help.
func TestNamesOnly(t *testing.T) {
	s := begin(t, setting{})
	created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Models", Catalogue: twelveModels()})
	s.must(err)
	if len(created.Warnings) != 1 || !strings.Contains(created.Warnings[0].Text,
		"columns that describe them would reduce the number of answers") {
		t.Errorf("%+v", created.Warnings)
	}
}

// TestColumns: an owner can say what columns are.
func TestColumns(t *testing.T) {
	s := begin(t, setting{idle: true})
	create := func(columns wire.Columns) (wire.Created, error) {
		return s.owner.Create(t.Context(), client.NewStudy{
			Name: "Shoes", Columns: columns,
			Catalogue: file("shoes.csv", "name,Size (EU),price\nA,40,$10\nB,41,$12\nC,42,\nD,40,$9\n"),
		})
	}
	created, err := create(wire.Columns{
		Kinds:   map[string]string{"Size (EU)": "category"},
		Missing: map[string]string{"price": "drop"},
	})
	s.must(err)
	if created.Study.Arms != 3 {
		t.Errorf("%d arms", created.Study.Arms)
	}
	created, err = create(wire.Columns{})
	s.must(err)
	if created.Study.Arms != 4 || len(created.Warnings) == 0 ||
		created.Warnings[0].Text != "missing values: options without price (1) get the mean and an indicator" {
		t.Errorf("%+v", created)
	}
	_, err = create(wire.Columns{Kinds: map[string]string{"size": "shoe"}})
	s.refused(err, 422, wire.Invalid, "body.columns.kinds")
	_, err = create(wire.Columns{Missing: map[string]string{"price": "guess"}})
	s.refused(err, 422, wire.Invalid, "body.columns.missing")
	_, err = s.owner.Create(t.Context(), client.NewStudy{
		Name:      "x",
		Catalogue: file("a.jsonl", `{"id":"a","x":["p"]}`+"\n"+`{"id":"b","x":[1]}`+"\n"+`{"id":"c","x":[2]}`),
	})
	if problem := s.refused(err, 422, wire.Invalid, "body.catalogue"); !strings.HasSuffix(problem.Errors[0].Message,
		", or make the column ignored in columns.kinds") {
		t.Errorf("the problem is %+v", problem)
	}
}

// priorAnswers are recorded answers about fruits, with a ranking and a skipped question.
const priorAnswers = "kind,shown_1,shown_2,shown_3,pick_1,pick_2\nanswered,apple,pear,plum,pear,plum\nskipped,apple,pear,plum,,\nanswered,lemon,cherry,quince,cherry,\n"

// TestPrior sets, replaces and removes the prior of a draft.
func TestPrior(t *testing.T) {
	s := begin(t, setting{idle: true})
	ctx, draft := t.Context(), s.draft(quick())
	id := draft.ID
	has := func(want int) wire.Study {
		t.Helper()
		read, err := s.owner.Study(ctx, id)
		s.must(err)
		if read.Prior != want {
			t.Errorf("the prior has %d choices, want %d", read.Prior, want)
		}
		return read
	}
	has(0)
	set, err := s.owner.SetPrior(ctx, id, draft.Version, file("answers.csv", priorAnswers))
	s.must(err)
	if set != (wire.Prior{Choices: 3}) {
		t.Errorf("%+v", set)
	}
	_, err = s.owner.SetPrior(ctx, id, draft.Version, file("answers.csv", priorAnswers))
	s.refused(err, 412, wire.Changed, "")
	settings := wire.Settings{K: 2} // defaults depend on the prior
	changed, err := s.owner.Change(ctx, id, has(3).Version, wire.Change{Settings: &settings})
	s.must(err)
	if changed.Prior != 3 || changed.Settings.K != 2 || changed.Settings.Assume != "linear" || *changed.Settings.Fallback != 0 {
		t.Errorf("%+v", changed)
	}
	for _, settings := range []wire.Settings{{Assume: "majority"}, {Assume: "linear", Fallback: new(0.25)}} {
		_, err = s.owner.Change(ctx, id, changed.Version, wire.Change{Settings: &settings})
		s.refused(err, 422, wire.Invalid, "body.settings")
	}
	_, err = s.owner.Import(ctx, id, "", file("answers.csv", "shown_1,shown_2,pick_1\napple,pear,pear\n"))
	s.refused(err, 422, wire.Invalid, "body.answers")
	_, err = s.owner.SetPrior(ctx, id, 0, file("answers.jsonl", `{"shown":["apple","pear"],"picks":["pear"]}`))
	s.must(err)
	has(1)
	_, err = s.owner.RemovePrior(ctx, id)
	s.must(err)
	has(0)
	_, err = s.owner.Open(ctx, id)
	s.must(err)
	_, err = s.owner.SetPrior(ctx, id, 0, file("answers.csv", priorAnswers))
	s.refused(err, 409, wire.Started, "")
	_, err = s.owner.RemovePrior(ctx, id)
	s.refused(err, 409, wire.Started, "")
}
