package archive_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

func uploaded(name, contents string) read.Upload {
	return read.Upload{Name: name, Contents: strings.NewReader(contents), Size: int64(len(contents)), Limits: uploadLimits()}
}

// uploadLimits are those of a server.
func uploadLimits() table.Limits {
	return table.Limits{Rows: 200_000, Columns: 10_000, RowBytes: 4 << 20, Values: 20_000_000, Bytes: 256 << 20}
}

// smallMatrix is a .npy of three vectors.
func smallMatrix(t *testing.T) string {
	t.Helper()
	file, err := binary.Append(cataloguetest.NPY("<f4", false, 3, 2), binary.LittleEndian, []float32{1, 2, 3, 5, 8, 13})
	testsupport.NoError(t, err)
	return string(file)
}

// TestUploadsAreReadAsFiles: whatever the format, an upload gives what a file with the same
// name and contents does, once and once more.
func TestUploadsAreReadAsFiles(t *testing.T) {
	_, csv, lines, _, npy, ids := cataloguetest.Embeddings(t)
	phones := string(save(t, savedPhones(t)))
	for name, contents := range map[string]string{
		"e.csv": csv, "e.jsonl": lines, "e.npy": npy, "e.csv.gz": cataloguetest.Packed(csv), "e": lines,
		"s.csv": cataloguetest.ShoesCSV(";"), "p.yaml": cataloguetest.Cameras, "p.YML": cataloguetest.Cameras, "saved.npz": phones,
	} {
		path := filepath.Join(t.TempDir(), name)
		testsupport.NoError(t, os.WriteFile(path, []byte(contents), 0o600))
		u := uploaded(name, contents)
		if name == "e.npy" {
			rows := uploaded("rows.txt", ids)
			u.IDs = &rows
			testsupport.NoError(t, os.WriteFile(strings.TrimSuffix(path, "npy")+"txt", []byte(ids), 0o600))
		}
		opened, err := archive.Open(path, catalogue.Options{}, 3)
		testsupport.NoError(t, err)
		for range 2 {
			got, err := archive.OpenUpload(u, catalogue.Options{}, 3)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(save(t, &got.Catalogue), save(t, &opened.Catalogue)) || len(got.Warnings) != len(opened.Warnings) ||
				(got.Table == nil) != (opened.Table == nil) {
				t.Errorf("%s: the upload gives something else", name)
			}
		}
	}
}

// TestNothingBesideAnUploadIsRead: images may be anything, and files that options name are not
// opened.
func TestNothingBesideAnUploadIsRead(t *testing.T) {
	images := []string{"https://example.org/a.png", "missing.png", "../../etc/passwd", ""}
	rows := []string{"id,image,x"}
	for i, image := range images {
		rows = append(rows, fmt.Sprintf("a%d,%s,%d", i, image, i))
	}
	encoded, err := archive.OpenUpload(uploaded("arms.csv", strings.Join(rows, "\n")), catalogue.Options{}, 0)
	if err != nil || !slices.Equal(encoded.Images, images) {
		t.Errorf("%v, %v", encoded, err)
	}
	path := filepath.Join(t.TempDir(), "m.ids")
	testsupport.NoError(t, os.WriteFile(path, []byte("a\nb\nc\n"), 0o600))
	encoded, err = archive.OpenUpload(uploaded(strings.TrimSuffix(path, "ids")+"npy", smallMatrix(t)),
		catalogue.Options{IDs: path}, 0)
	if err != nil || encoded.Arms.ID(0) != "1" {
		t.Errorf("the ids of an upload were read from a file: %v", err)
	}
}

// TestSheets: a sheet without ids, and one with names only, gives the same study in every format and
// encoding, with the headline as the title.
func TestSheets(t *testing.T) {
	all := cataloguetest.Headlines()
	for _, sheet := range []cataloguetest.Sheet{all, all.Only(1)} {
		var first *archive.Encoded
		for _, file := range []struct{ name, content, encoding string }{
			{"sheet.csv", sheet.Text(",", ".", "\n"), ""},
			{"german.csv", sheet.German(t), "Windows-1252"},
			{"unicode.txt", sheet.UTF16(t), "UTF-16"},
			{"sheet.xlsx", sheet.Workbook(t), ""},
			{"sheet.json", sheet.JSON(t), ""},
			{"bars.csv", sheet.Text("|", ".", "\n"), ""},
			{"pasted", sheet.Text("\t", ".", "\n"), ""},
			{"german paste", sheet.Text("\t", ",", "\n"), ""},
		} {
			got, err := archive.OpenUpload(uploaded(file.name, file.content), catalogue.Options{}, 0)
			if err != nil {
				t.Errorf("%s: %v", file.name, err)
				continue
			}
			if first == nil {
				first = got
			}
			names := len(sheet.Columns) == 1
			if card := got.Card(4); card.ID != "5" || card.Label != cataloguetest.Headline(4) || (card.Image != "") == names ||
				len(card.Attributes) != max(0, len(sheet.Columns)-2) {
				t.Errorf("%s: %+v", file.name, card)
			}
			if got.Encoding.PerOption() != names {
				t.Errorf("%s: %v", file.name, got.Encoding.Features())
			}
			if got.Table.Encoding != file.encoding {
				t.Errorf("%s: the encoding is %q", file.name, got.Table.Encoding)
			}
			sameStudy(t, file.name, first, got)
		}
	}
}

// sameStudy compares the features, bit for bit, and what is shown of arms apart from their attributes.
func sameStudy(t *testing.T, name string, want, got *archive.Encoded) {
	t.Helper()
	if diff := cmp.Diff(want.Arms.Features(), got.Arms.Features()); diff != "" || want.Arms.Len() != got.Arms.Len() {
		t.Errorf("%s: %d arms, %s", name, got.Arms.Len(), diff)
		return
	}
	for i := range want.Arms.Len() {
		for k, x := range want.Arms.Arm(i) {
			if math.Float64bits(x) != math.Float64bits(got.Arms.Arm(i)[k]) {
				t.Errorf("%s: feature %s of %s is %v, not %v", name, want.Arms.Features()[k], want.Arms.ID(i), got.Arms.Arm(i)[k], x)
			}
		}
	}
	if diff := cmp.Diff([][]string{want.Labels, want.Descriptions, want.Images},
		[][]string{got.Labels, got.Descriptions, got.Images}); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// TestHumanNumbersAreKept: how numbers are written, what is missing and which column is the title are
// saved with a catalogue, and arms that are added later are read the same way.
func TestHumanNumbersAreKept(t *testing.T) {
	const file = "product;weight;price;since;colour\nA;1,5 kg;9,99;3.12.2016;red\nB;800 g;;4.2.2017;\nC;2 kg;1.234,50;15.2.2017;blue\nD;3 kg;5,00;1.1.2018;red\nE;2,5 kg;7,00;1.3.2018;blue\nF;1 kg;2.500;5.1.2018;red\n"
	options := catalogue.Options{Kinds: map[string]catalogue.Kind{"since": catalogue.Month}}
	opened, err := archive.OpenUpload(uploaded("first.csv", file), options, 0)
	testsupport.NoError(t, err)
	saved, err := load(save(t, &opened.Catalogue))
	testsupport.NoError(t, err)
	sameStudy(t, "saved", opened, &archive.Encoded{Catalogue: *saved})
	if card := saved.Card(1); card.Label != "B" || len(card.Attributes) != 2 || card.Attributes[0].Value != "800 g" ||
		card.Attributes[1].Value != "2017-02" {
		t.Errorf("%+v", card)
	}
	table := catalogue.Table{Columns: saved.Attributes}
	if weight := table.Column("weight").Numbers; weight[1] != 0.8 {
		t.Errorf("800 g are %v kg", weight[1])
	}
	if price := table.Column("price"); price.Numbers[5] != 2500 || price.Text(5) != "2.500" {
		t.Errorf("2.500 is %v, shown as %s", price.Numbers[5], price.Text(5))
	}
	const more = "product;weight;price;since;colour\nG;500 g;1,234;28.2.2017;\n"
	all, err := saved.Add(uploaded("more.csv", more), catalogue.Options{})
	testsupport.NoError(t, err)
	later := all.Card(6)
	if later.ID != "7" || later.Label != "G" || later.Attributes[2].Value != "2017-02" {
		t.Errorf("%+v", later)
	}
	e := saved.Encoding
	for column, want := range map[string]float64{"weight": 0.5, "price": 1.234} {
		c := e.Coding(column)
		at := -1
		for k, name := range e.Features() {
			if name == column {
				at = k
			}
		}
		approx.Equal(t, column, all.Arms.Arm(6)[at]*e.Ball*c.Scale+c.Mean, want, 1e-5)
	}
}
