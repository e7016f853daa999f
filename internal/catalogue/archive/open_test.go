package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/picture"
	"bestpick/internal/testsupport"
)

// saveTo writes a catalogue into a folder.
func saveTo(t *testing.T, path string, s *archive.Catalogue) []byte {
	t.Helper()
	file := save(t, s)
	testsupport.NoError(t, os.WriteFile(path, file, 0o600))
	return file
}

// A product is saved with its attributes and loaded as it was.
func TestSavedProduct(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "p.yaml")
	text := cataloguetest.Cameras + "case: [soft]\n\"odd: name\": ['1', \"two\\nlines\", '~', 'a, b']\n"
	testsupport.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	opened, err := archive.Open(path, catalogue.Options{Kinds: map[string]catalogue.Kind{"price": catalogue.Category}}, 0)
	testsupport.NoError(t, err)
	saved := saveTo(t, filepath.Join(folder, "p.npz"), &opened.Catalogue)
	again, err := archive.Open(filepath.Join(folder, "p.npz"), catalogue.Options{}, 0)
	testsupport.NoError(t, err)
	if !bytes.Equal(saved, saveTo(t, filepath.Join(folder, "q.npz"), &again.Catalogue)) {
		t.Error("what was saved is saved in another way")
	}
	if again.Arms.Len() != opened.Arms.Len() || again.Arms.Product() == nil {
		t.Fatalf("%d profiles, were %d", again.Arms.Len(), opened.Arms.Len())
	}
	for arm := range opened.Arms.Len() {
		if opened.Arms.ID(arm) != again.Arms.ID(arm) || !slices.Equal(opened.Arms.Arm(arm), again.Arms.Arm(arm)) {
			t.Fatalf("%q is %q", opened.Arms.ID(arm), again.Arms.ID(arm))
		}
	}
	for name, change := range map[string][3]string{
		"a level":             {"profiles.yaml", "zenith", "zenits"},
		"an attribute":        {"profiles.yaml", "wifi", "wify"},
		"the last level":      {"profiles.yaml", "no name", "no game"},
		"what is left out":    {"encoding.json", `"name": "wifi"`, `"name": "wifi", "instead": [{"feature": "price=10", "weight": 1}]`},
		"a forbidden profile": {"profiles.yaml", `- brand: [acme]`, `- brand: [acme, zenith, no name]`},
	} {
		damaged := rewrite(t, saved, change[0], zip.Store, func(text string) string {
			changed := strings.Replace(text, change[1], change[2], 1)
			if changed == text {
				t.Fatalf("%q is not in %s", change[1], text)
			}
			return changed
		})
		if _, err := load(damaged); err == nil || !strings.Contains(err.Error(), "damaged: profiles.yaml: ") {
			t.Errorf("%s has changed: %v", name, err)
		}
	}
}

// A product whose forbidden combinations make features dependent, or leave a level no profile,
// is loaded as it was saved, whatever the kinds of what is left out.
func TestSavedDependentProduct(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.yaml")
	text := "price: [1, 2]\nbrand: [a, b, c]\nsize: [10, 1e1]\ncost: [5, 6]\n" +
		"forbidden: [{price: 1, cost: 6}, {price: 2, cost: 5}, {brand: b, price: [1, 2]}, {size: 10, brand: [a, b, c]}]"
	testsupport.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	opened, err := archive.Open(path, catalogue.Options{Kinds: map[string]catalogue.Kind{
		"size": catalogue.Category,
		"cost": catalogue.Category,
	}}, 0)
	testsupport.NoError(t, err)
	if left := fmt.Sprint(opened.Encoding.LeftOut); left != "[brand=b is in no allowed profile size=10 is in no allowed profile size is the same for all arms cost is determined by price]" {
		t.Error(left)
	}
	saved := save(t, &opened.Catalogue)
	again, err := load(saved)
	testsupport.NoError(t, err)
	if again.Arms.Len() != opened.Arms.Len() || !bytes.Equal(saved, save(t, again)) {
		t.Errorf("%d profiles were %d", again.Arms.Len(), opened.Arms.Len())
	}
}

// TestEncodingIsStable: a table is encoded and saved with the bytes of the version before columns were
// recognised in more ways. The digest is that of its file.
func TestEncodingIsStable(t *testing.T) {
	const digest = "25ca8a3a038876df77ed8ac8dd49d66b1ea09d2e18418fac5fbb6390b1e8e08a"
	lamps, err := archive.Open(filepath.Join("..", "..", "..", "examples", "lamps.csv"), catalogue.Options{}, 0)
	testsupport.NoError(t, err)
	sum := sha256.Sum256(save(t, &lamps.Catalogue))
	if got := hex.EncodeToString(sum[:]); got != digest {
		t.Errorf("the digest is %s", got)
	}
}

// TestReopened: what there was to say about arms can be said again of the saved ones.
func TestReopened(t *testing.T) {
	for name, file := range map[string]string{
		"numbers.csv":  "id,a,b,colour\n1,1,2,red\n2,2,4.01,red\n3,3,6,blue\n4,900,8,red\n5,5,10,green\n6,5,10,green\n",
		"e.jsonl":      embeddings(),
		"profile.yaml": "price: [10, 12, 15]\nbrand: [acme, zenith]\n",
	} {
		t.Run(name, func(t *testing.T) {
			first, err := archive.OpenUpload(uploaded(name, file), catalogue.Options{}, 2)
			testsupport.NoError(t, err)
			loaded, err := load(save(t, &first.Catalogue))
			testsupport.NoError(t, err)
			if again := loaded.Reopened(); !cmp.Equal(again.Warnings, first.Warnings, cmpopts.IgnoreFields(encode.Warning{}, "Problem")) {
				t.Errorf("%v, at first %v", again.Warnings, first.Warnings)
			}
			if len(first.Warnings) == 0 && first.Profiles == nil {
				t.Error("there is nothing to say")
			}
		})
	}
}

// embeddings are arms with vectors whose variance is in all directions.
func embeddings() string {
	var text strings.Builder
	for i := range 12 {
		vector := make([]string, 12)
		for k := range vector {
			vector[k] = "0"
		}
		vector[i] = "1"
		fmt.Fprintf(&text, "{\"id\":\"%d\",\"e\":[%s]}\n", i, strings.Join(vector, ","))
	}
	return text.String()
}

// attach opens an archive and attaches its pictures.
func attach(t *testing.T, files map[string]string) (*archive.Encoded, []picture.Picture, error) {
	t.Helper()
	u := uploaded("all.zip", cataloguetest.ZIP(t, files))
	u.Limits = uploadLimits()
	inside, pictures, err := archive.Unbundle(u)
	if err != nil {
		return nil, nil, err
	}
	e, err := archive.OpenUpload(inside, catalogue.Options{}, 0)
	if err != nil {
		return nil, nil, err
	}
	attached, err := e.AttachPictures(t.Context(), pictures)
	return e, attached, err
}

const pictured = "id,image,x\na,one.png,1\nb,Pictures/TWO.png,2\nc,https://example.org/c.png,3\nd,,4\ne,none.png,5\nf,one.png,6\n"

// TestBundle: a ZIP archive has a table and its pictures, in folders or not, with files that spreadsheets and
// systems leave behind.
func TestBundle(t *testing.T) {
	e, attached, err := attach(t, map[string]string{
		"arms/table.csv": pictured, "arms/one.png": cataloguetest.PNG(t, 1), "two.PNG": cataloguetest.PNG(t, 200),
		"other.png": "not read", "README.txt": "x", ".DS_Store": "x", "__MACOSX/arms/table.csv": "x",
	})
	testsupport.NoError(t, err)
	if len(attached) != 2 {
		t.Fatalf("%d pictures", len(attached))
	}
	want := []string{attached[0].Name(), attached[1].Name(), "https://example.org/c.png", "", "none.png", attached[0].Name()}
	if fmt.Sprint(e.Images) != fmt.Sprint(want) || attached[0].Hash == attached[1].Hash {
		t.Errorf("%q, want %q", e.Images, want)
	}
	if text := fmt.Sprint(e.Warnings); !strings.Contains(text, "the upload lacks 1 of the pictures that the table names: none.png") {
		t.Error(text)
	}
	if e.Table.First(catalogue.Image).Texts[0] != "one.png" {
		t.Error("the table has changed")
	}
}

// TestBundlesThatAreWrong: each with one line.
func TestBundlesThatAreWrong(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"all.zip: the ZIP archive has no table of options, such as a .csv or .xlsx": {"one.png": cataloguetest.PNG(t, 1)},
		"one.png: the file is not a JPEG, PNG, GIF or WebP picture": {
			"a.csv":   pictured,
			"one.png": `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		},
		"a.csv: the file is empty":                                 {"a.csv": "\n", "one.png": cataloguetest.PNG(t, 1)},
		"a.csv:2: the row is longer than 4 MB":                     {"a.csv": "id,x\n" + strings.Repeat("a", 5<<20)},
		"all.zip: a.csv in the ZIP archive is larger than 64 MB":   {"a.csv": strings.Repeat("a", 65<<20)},
		"one.png: one.png in the ZIP archive is larger than 20 MB": {"a.csv": pictured, "one.png": strings.Repeat("a", 21<<20)},
	} {
		if _, _, err := attach(t, files); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, _, err := attach(t, map[string]string{"a.csv": pictured, "b.xlsx": "x"})
	if err == nil || !strings.Contains(err.Error(), "all.zip: the ZIP archive has 2 tables") {
		t.Error(err)
	}
}

// TestPicturesOfAddedArms: those of earlier arms stay.
func TestPicturesOfAddedArms(t *testing.T) {
	e, attached, err := attach(t, map[string]string{"a.csv": pictured, "one.png": cataloguetest.PNG(t, 1)})
	testsupport.NoError(t, err)
	u, files, err := archive.Unbundle(uploaded("more.zip",
		cataloguetest.ZIP(t, map[string]string{
			"a.csv": "id,image,x\ng,new.png,9\n", "new.png": cataloguetest.PNG(t, 90),
			"none.png": cataloguetest.PNG(t, 3),
		})))
	testsupport.NoError(t, err)
	more, err := e.Add(u, catalogue.Options{})
	testsupport.NoError(t, err)
	later, err := more.AttachPictures(t.Context(), files)
	if err != nil || len(later) != 1 {
		t.Fatalf("%d pictures, %v", len(later), err)
	}
	if more.Images[6] != later[0].Name() || more.Images[0] != attached[0].Name() || more.Images[4] != "none.png" {
		t.Errorf("%q", more.Images)
	}
}

// TestPicturesEndWithContext: making pictures stops when the client has gone.
func TestPicturesEndWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file, opened := cataloguetest.PNG(t, 7), 0
	files := []archive.PictureFile{}
	var text strings.Builder
	text.WriteString("id,image\n")
	for i := range 5 {
		name := fmt.Sprintf("%d.png", i)
		fmt.Fprintf(&text, "a%d,%s\n", i, name)
		files = append(files, archive.PictureFile{Name: name, Open: func() (io.ReadCloser, error) {
			opened++
			cancel() // while the first one is read
			return io.NopCloser(strings.NewReader(file)), nil
		}})
	}
	upload := read.Upload{Name: "a.csv", Contents: strings.NewReader(text.String()), Size: int64(text.Len())}
	e, err := archive.OpenUpload(upload, catalogue.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.AttachPictures(ctx, files); !errors.Is(err, context.Canceled) || opened != 1 {
		t.Errorf("%d files were opened: %v", opened, err)
	}
}
