package archive_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
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
			if again := loaded.Reopened(); !slices.Equal(again.Warnings, first.Warnings) {
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
