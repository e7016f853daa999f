package archive_test

import (
	"fmt"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/picture"
	"bestpick/internal/testsupport"
)

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
	attached, err := e.AttachPictures(pictures)
	return e, attached, err
}

const pictured = "id,image,x\na,one.png,1\nb,Pictures/TWO.png,2\nc,https://example.org/c.png,3\nd,,4\ne,none.png,5\nf,one.png,6\n"

// TestBundle: a ZIP archive has a table and its pictures, in folders or not, with files that spreadsheets and
// systems leave behind.
func TestBundle(t *testing.T) {
	e, attached, err := attach(t, map[string]string{
		"arms/table.csv": pictured, "arms/one.png": cataloguetest.PNG(t, 1), "two.PNG": cataloguetest.PNG(t, 200), "other.png": "not read", "README.txt": "x", ".DS_Store": "x", "__MACOSX/arms/table.csv": "x",
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
		"one.png: the file is not a JPEG, PNG, GIF or WebP picture":                 {"a.csv": pictured, "one.png": `<svg xmlns="http://www.w3.org/2000/svg"/>`},
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
	u, files, err := archive.Unbundle(uploaded("more.zip", cataloguetest.ZIP(t, map[string]string{"a.csv": "id,image,x\ng,new.png,9\n", "new.png": cataloguetest.PNG(t, 90), "none.png": cataloguetest.PNG(t, 3)})))
	testsupport.NoError(t, err)
	more, err := e.Add(u, catalogue.Options{})
	testsupport.NoError(t, err)
	later, err := more.AttachPictures(files)
	if err != nil || len(later) != 1 {
		t.Fatalf("%d pictures, %v", len(later), err)
	}
	if more.Images[6] != later[0].Name() || more.Images[0] != attached[0].Name() || more.Images[4] != "none.png" {
		t.Errorf("%q", more.Images)
	}
}
