package archive_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/testsupport"
)

// saveTo writes a catalogue into a folder.
func saveTo(t *testing.T, path string, s *archive.Catalogue) []byte {
	t.Helper()
	file := save(t, s)
	testsupport.NoError(t, os.WriteFile(path, file, 0o600))
	return file
}

// TestFiveFormatsGiveTheSameEncoding: one and the same catalogue as CSV, JSON Lines, Parquet,
// .npy and as it was saved, in files, has the same encoding to the bit, which encodes a new arm
// the same too.
func TestFiveFormatsGiveTheSameEncoding(t *testing.T) {
	_, csv, lines, parquet, npy, ids := cataloguetest.Embeddings(t)
	for name, files := range map[string]map[string]string{
		"embeddings": {"e.csv": csv, "e.jsonl": lines, "e.parquet": parquet, "m.npy": npy},
		"columns":    {"s.csv": cataloguetest.ShoesCSV(","), "s.tsv": cataloguetest.ShoesCSV("\t"), "s.jsonl": cataloguetest.JSONLines(cataloguetest.Shoes()), "s.parquet": cataloguetest.ParquetFile(t, cataloguetest.Shoes()), "s.csv.gz": cataloguetest.Packed(cataloguetest.ShoesCSV(";"))},
	} {
		folder := t.TempDir()
		files["m.ids.txt"] = ids
		for file, content := range files {
			testsupport.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(content), 0o600))
		}
		delete(files, "m.ids.txt")
		var first []byte
		var cells []float32
		for _, file := range slices.Sorted(maps.Keys(files)) {
			opened, err := archive.Open(filepath.Join(folder, file), catalogue.Options{}, 4)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			saved := saveTo(t, filepath.Join(folder, "saved.npz"), &opened.Catalogue)
			again, err := archive.Open(filepath.Join(folder, "saved.npz"), catalogue.Options{}, 0)
			testsupport.NoError(t, err)
			if !bytes.Equal(saved, saveTo(t, filepath.Join(folder, "again.npz"), &again.Catalogue)) {
				t.Errorf("%s: what was saved is saved in another way", file)
			}
			added, err := again.Encoding.Cells(later(t, name, again.Encoding))
			testsupport.NoError(t, err)
			if first == nil {
				first, cells = saved, added
			}
			if !bytes.Equal(saved, first) || !slices.Equal(added, cells) {
				t.Errorf("%s: %s is encoded in another way", name, file)
			}
		}
	}
}

// later is an arm that comes later.
func later(t *testing.T, name string, encoding *encode.Encoding) *catalogue.Table {
	t.Helper()
	text := "id,price,weight,colour,new\nnew,0.25,300,green,no\nother,-1.5,20,red,yes\n"
	if name == "embeddings" {
		text = `{"id": "new", "e": [1, 2, 3, 4, 5, 6, 7, 8, 9]}` + "\n" + `{"id": "other", "e": [0, 0, 0, 0, 0, 0, 0, 0, 0]}` + "\n"
	}
	arms, err := read.Table(strings.NewReader(text), "standard input", catalogue.Options{Kinds: encoding.Kinds()})
	testsupport.NoError(t, err)
	return arms
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
	opened, err := archive.Open(path, catalogue.Options{Kinds: map[string]catalogue.Kind{"size": catalogue.Category, "cost": catalogue.Category}}, 0)
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

func TestOpenTellsWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.csv", "a.yaml", "a.npz", "a.npy"} {
		path := filepath.Join(folder, name)
		if _, err := archive.Open(path, catalogue.Options{}, 0); err == nil || err.Error() != path+": no such file or directory" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
