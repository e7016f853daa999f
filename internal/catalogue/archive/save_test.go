package archive_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

func save(t rapid.TB, s *archive.Catalogue) []byte {
	t.Helper()
	var file bytes.Buffer
	testsupport.NoError(t, archive.Save(&file, s))
	return file.Bytes()
}

func load(file []byte) (*archive.Catalogue, error) {
	return archive.Load(bytes.NewReader(file), int64(len(file)), "arms.npz")
}

// savedPhones are four arms with labels and images.
func savedPhones(t rapid.TB) *archive.Catalogue {
	e, c := cataloguetest.EncodeTable(t, cataloguetest.Phones())
	return &archive.Catalogue{
		Encoding: e, Arms: c,
		Labels: []string{"A", "B, \"the\nother\"", "", " D"},
		Images: []string{"a.png", "b.png", "c.png", "d.png"},
	}
}

// TestSavedIsLoaded: all that is saved comes back to the bit, and a new arm is encoded as
// before.
func TestSavedIsLoaded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arms := cataloguetest.DrawTable(t)
		e, c := cataloguetest.EncodeTable(t, arms)
		saved := &archive.Catalogue{Encoding: e, Arms: c}
		text := rapid.StringN(0, 10, -1).Filter(func(s string) bool { return !strings.Contains(s, "\r\n") })
		for _, column := range []*[]string{&saved.Labels, &saved.Descriptions, &saved.Images} {
			if rapid.Bool().Draw(t, "present") {
				*column = rapid.SliceOfN(text, c.Len(), c.Len()).Draw(t, "texts")
			}
		}
		if rapid.Bool().Draw(t, "attributes") {
			saved.Attributes = []catalogue.Column{
				*arms.Column("price"),
				{
					Name: "its " + rapid.String().Draw(t, "name"), Kind: catalogue.Category,
					Texts: rapid.SliceOfN(text, c.Len(), c.Len()).Draw(t, "values"),
				},
			}
		}
		file := save(t, saved)
		if !bytes.Equal(file, save(t, saved)) {
			t.Error("saved again, the bytes are others")
		}
		loaded, err := load(file)
		testsupport.NoError(t, err)
		if difference := cmp.Diff(saved.Encoding, loaded.Encoding); difference != "" {
			t.Error(difference)
		}
		if !slices.Equal(loaded.Labels, saved.Labels) || !slices.Equal(loaded.Descriptions, saved.Descriptions) ||
			!slices.Equal(loaded.Images, saved.Images) {
			t.Errorf("texts: got %q %q %q, want %q %q %q", loaded.Labels, loaded.Descriptions, loaded.Images, saved.Labels,
				saved.Descriptions, saved.Images)
		}
		for i := range c.Len() {
			if !slices.Equal(loaded.Card(i).Attributes, saved.Card(i).Attributes) {
				t.Fatalf("attributes: got %q, want %q", loaded.Card(i), saved.Card(i))
			}
			if loaded.Arms.ID(i) != c.ID(i) || !slices.Equal(loaded.Arms.Arm(i), c.Arm(i)) {
				t.Fatalf("arm %d was %v and is %v", i, c.Arm(i), loaded.Arms.Arm(i))
			}
		}
		arm := newArm(t, arms)
		before, err := e.Cells(arm)
		testsupport.NoError(t, err)
		if after, err := loaded.Encoding.Cells(arm); err != nil || !slices.Equal(before, after) {
			t.Errorf("a new arm was %v and is %v: %v", before, after, err)
		}
	})
}

// newArm returns an arm that is not in the table, with levels that are.
func newArm(t *rapid.T, arms *catalogue.Table) *catalogue.Table {
	alone := cataloguetest.OneArm(arms, rapid.IntRange(0, arms.Len()-1).Draw(t, "like"))
	for k := range alone.Columns {
		c := &alone.Columns[k]
		c.Numbers, c.Vectors = slices.Clone(c.Numbers), slices.Clone(c.Vectors)
		for i := range c.Numbers {
			c.Numbers[i] = rapid.Float64Range(-1e6, 1e6).Draw(t, "number")
		}
		for i := range c.Vectors {
			c.Vectors[i] = rapid.Float32Range(-1e3, 1e3).Draw(t, "component")
		}
	}
	return alone
}

// TestSavedLayout: the features are a file of NumPy's, which starts on a multiple of 64 bytes.
func TestSavedLayout(t *testing.T) {
	file := save(t, savedPhones(t))
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	testsupport.NoError(t, err)
	var names []string
	for _, f := range archive.File {
		names = append(names, f.Name)
		if f.Modified.Year() != 1980 || f.Method != zip.Store {
			t.Errorf("%s: modified %v, method %d", f.Name, f.Modified, f.Method)
		}
	}
	if fmt.Sprint(names) != "[features.npy encoding.json arms.csv]" {
		t.Error(names)
	}
	features := part(t, archive, "features.npy")
	header, cells, _ := bytes.Cut(features, []byte("\n"))
	if !bytes.HasPrefix(header, []byte("\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }")) ||
		len(header)+1 != 128 || len(cells) != 4*3*4 {
		t.Errorf("%d bytes after a header of %d: %q", len(cells), len(header)+1, header)
	}
	if got := string(part(t, archive, "arms.csv")); got != "id,label,image\na,A,a.png\nb,\"B, \"\"the\nother\"\"\",b.png\nc,,c.png\nd,\" D\",d.png\n" {
		t.Errorf("arms.csv is %q", got)
	}
	if got := string(part(t, archive, "encoding.json")); !strings.Contains(got, `"kind": "category"`) {
		t.Errorf("encoding.json is %s", got)
	}
}

func part(t *testing.T, archive *zip.Reader, name string) []byte {
	t.Helper()
	f, err := archive.Open(name)
	testsupport.NoError(t, err)
	content, err := io.ReadAll(f)
	testsupport.NoError(t, err)
	return content
}

// rewritten saves phones with one file of the archive replaced, and with a right checksum.
func rewritten(t testing.TB, name string, method uint16, change func(string) string) []byte {
	t.Helper()
	return rewrite(t, save(t, savedPhones(t)), name, method, change)
}

// rewrite does so with the parts of any saved catalogue.
func rewrite(t testing.TB, file []byte, name string, method uint16, change func(string) string) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	testsupport.NoError(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range archive.File {
		r, err := f.Open()
		testsupport.NoError(t, err)
		content, err := io.ReadAll(r)
		testsupport.NoError(t, err)
		text := string(content)
		if f.Name == name {
			text = change(text)
		}
		if text == "" {
			continue
		}
		target, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: method})
		testsupport.NoError(t, err)
		_, _ = io.WriteString(target, text)
	}
	_ = w.Close()
	return out.Bytes()
}

// damages are what may happen to a saved catalogue, by what is said of it.
func damages(t testing.TB) map[string][]byte {
	t.Helper()
	replace := func(name, before, after string) []byte {
		return rewritten(t, name, zip.Store, func(text string) string {
			changed := strings.Replace(text, before, after, 1)
			if changed == text {
				t.Fatalf("%s has no %q: %s", name, before, text)
			}
			return changed
		})
	}
	whole := save(t, savedPhones(t))
	flipped := slices.Clone(whole)
	flipped[bytes.Index(whole, []byte("acme"))] = 'b'
	// The directory's last entry has the sizes of arms.csv, packed and unpacked, 20 bytes in.
	huge := slices.Clone(whole)
	copy(huge[bytes.LastIndex(whole, []byte("PK\x01\x02"))+20:], "\xf0\xff\xff\x7f\xf0\xff\xff\x7f")
	header := bytes.Index(whole, []byte("encoding.json")) - 30
	return map[string][]byte{
		"encoding.json: its bytes are damaged": slices.Concat(whole[:header], []byte("XX"), whole[header+2:]),
		"arms.csv: its size is wrong":          huge,
		"no saved catalogue, or it is damaged": whole[:len(whole)/2],
		"there is no arms.csv": rewritten(t, "arms.csv", zip.Store,
			func(string) string { return "" }),
		"encoding.json: its size is wrong": rewritten(t, "arms.csv", zip.Deflate,
			func(s string) string { return s }),
		"encoding.json: its contents have changed":    flipped,
		"in version 2 of the format":                  replace("encoding.json", `"version": 1`, `"version": 2`),
		"the arms have no length":                     replace("encoding.json", `"ball": `, `"ball": -`),
		`"colour" is no kind of column`:               replace("encoding.json", `"number"`, `"colour"`),
		"label is no feature":                         replace("encoding.json", `"number"`, `"label"`),
		"a column is missing":                         replace("encoding.json", `"columns": [`, `"columns": [null,`),
		"the numbers have no scale":                   replace("encoding.json", `"scale": 1,`, ""),
		"the embedding has no axes":                   replace("encoding.json", `"number"`, `"embedding"`),
		"two levels have the same name":               replace("encoding.json", `"hal"`, `"acme"`),
		"its features are not those of such a column": replace("encoding.json", `"brand=hal"`, `"brand=huh"`),
		`feature "x" stands for "price"`: replace("encoding.json", `"name": "price"`,
			`"name": "price", "instead": [{"feature": "x", "weight": 1}]`),
		"two columns or levels are called": replace("encoding.json", `"columns": [`,
			`"columns": [{"column": "brand", "kind": "boolean", "features": [{"name": "brand"}]},`),
		"there are no features": replace("encoding.json", `"columns": [`,
			`"columns": [], "other": [`),
		"it is not 3 features of 3 arms":                           replace("arms.csv", "c,,c.png\n", ""),
		"arms.csv: line 5: the row has 2 fields, the header has 3": replace("arms.csv", "c,,c.png\n", "c,c.png\n"),
		`"colour" is no column of it`:                              replace("arms.csv", "label", "colour"),
		`"image" is no column of it`:                               replace("arms.csv", "label", "attribute:x"),
		`the attribute "brand" is there twice`: replace("arms.csv", "label,image",
			"attribute:brand,attribute:brand"),
		"the first column is not id":                       replace("arms.csv", "id,", "name,"),
		`arm 3 has the id "a" of arm 1`:                    replace("arms.csv", "c,,c.png", "a,,c.png"),
		"features.npy: it is not 3 features of 4 arms":     replace("features.npy", "(4, 3)", "(4, 4)"),
		"damaged: features.npy: it is not 3 features of 4": replace("features.npy", "\n", "\n\n"),
	}
}

func TestDamageIsSaidInOneLine(t *testing.T) {
	for says, file := range damages(t) {
		s, err := load(file)
		if s != nil || err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "zip: ") {
			t.Errorf("got %v, want …%s…", err, says)
			continue
		}
		checkOneLine(t, err)
	}
}

func checkOneLine(t *testing.T, err error) {
	t.Helper()
	where, isTable := errors.AsType[*table.Error](err)
	if !isTable || where.File != "arms.npz" || strings.Contains(err.Error(), "\n") {
		t.Errorf("not one line about the file: %q", err)
	}
}

// TestLineBreaksAreSavedAsLineFeeds, since CSV does not tell them apart.
func TestLineBreaksAreSavedAsLineFeeds(t *testing.T) {
	saved := savedPhones(t)
	saved.Descriptions = []string{"one\r\ntwo", "", "three\rfour", "five\n"}
	loaded, err := load(save(t, saved))
	testsupport.NoError(t, err)
	if want := []string{"one\ntwo", "", "three\rfour", "five\n"}; !slices.Equal(loaded.Descriptions, want) {
		t.Errorf("got %q, want %q", loaded.Descriptions, want)
	}
}

// TestMisusePanics: arms of another encoding, or of none, are not saved with this one.
func TestMisusePanics(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.Phones())
	_, others := cataloguetest.EncodeTable(t, cataloguetest.Ordinary(20))
	thirds, err := choice.NewCatalogue([]string{"a", "b"}, e.Features(), [][]float64{{1. / 3, 0, 0}, {0, 0, 0}})
	testsupport.NoError(t, err)
	for want, misuse := range map[string]func(){
		"archive: the arms to be saved have other features": func() {
			_ = archive.Save(io.Discard,
				&archive.Catalogue{Encoding: e, Arms: others})
		},
		"archive: the arms to be saved were not encoded": func() {
			_ = archive.Save(io.Discard,
				&archive.Catalogue{Encoding: e, Arms: thirds})
		},
		"encode: 2 utilities for 3": func() { e.Effects([]float64{1, 2}) },
	} {
		func() {
			defer func() {
				if message := fmt.Sprint(recover()); !strings.HasPrefix(message, want) {
					t.Errorf("%s: %s", want, message)
				}
			}()
			misuse()
		}()
	}
}

// TestFailedWritesAreTold: every write of Save can fail.
func TestFailedWritesAreTold(t *testing.T) {
	saved := savedPhones(t)
	size := len(save(t, saved))
	for room := 0; room < size; room += 7 {
		if err := archive.Save(&small{room}, saved); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("with room for %d of %d bytes: %v", room, size, err)
		}
	}
}

// small is a disk with little room.
type small struct{ room int }

func (s *small) Write(p []byte) (int, error) {
	if len(p) > s.room {
		return 0, io.ErrShortWrite
	}
	s.room -= len(p)
	return len(p), nil
}

// FuzzLoad: whatever the bytes, loading gives a catalogue that can be saved again and encodes
// without a panic, or one line that names the file.
func FuzzLoad(f *testing.F) {
	for _, file := range damages(f) {
		f.Add(file)
	}
	f.Add(save(f, savedPhones(f)))
	f.Fuzz(func(t *testing.T, file []byte) {
		checkLoad(t, file)
	})
}

// FuzzLoadEncoding does the same with the encoding alone, which a checksum would protect.
func FuzzLoadEncoding(f *testing.F) {
	for _, arms := range []*catalogue.Table{
		cataloguetest.Phones(), cataloguetest.Ordinary(20),
		cataloguetest.TableOf(cataloguetest.Embedding("e", 2, 1, 2, 3, 5, 7, 1), cataloguetest.Numbers("x", 1, 2, 4),
			cataloguetest.Numbers("y", 2, 4, 8)),
	} {
		e, _ := cataloguetest.EncodeTable(f, arms)
		text, err := json.Marshal(e)
		testsupport.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkLoad(t, rewritten(t, "encoding.json", zip.Store, func(string) string { return text }))
	})
}

// FuzzLoadArms does the same with the ids, texts and attributes.
func FuzzLoadArms(f *testing.F) {
	saved := savedPhones(f)
	saved.Attributes = []catalogue.Column{
		cataloguetest.Numbers("price", 1, 3, 3, 1),
		cataloguetest.Categories("label", "x", "y", "x", "y"),
	}
	for _, s := range []*archive.Catalogue{savedPhones(f), saved} {
		rewrite(f, save(f, s), "arms.csv", zip.Store, func(text string) string { f.Add(text); return text })
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkLoad(t, rewritten(t, "arms.csv", zip.Store, func(string) string { return text }))
	})
}

func checkLoad(t *testing.T, file []byte) {
	t.Helper()
	s, err := load(file)
	if err != nil {
		checkOneLine(t, err)
		return
	}
	again, err := load(save(t, s))
	if err != nil || !slices.Equal(again.Labels, s.Labels) {
		t.Fatalf("saved again: %v", err)
	}
	for arm := range s.Arms.Len() {
		if !slices.Equal(again.Card(arm).Attributes, s.Card(arm).Attributes) {
			t.Errorf("%q was %q", again.Card(arm), s.Card(arm))
		}
	}
	arm := &catalogue.Table{Source: "new.csv"}
	for name, kind := range s.Encoding.Kinds() {
		arm.Columns = append(arm.Columns, catalogue.Column{
			Name: name, Kind: kind, Numbers: []float64{1}, Texts: []string{"acme"}, Width: 2, Vectors: []float32{1, 2},
		})
	}
	_, _ = s.Encoding.Cells(arm)
	_ = s.Encoding.Effects(make([]float64, len(s.Encoding.Features())))
}
