package archive_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

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
			if !bytes.Equal(save(t, &got.Catalogue), save(t, &opened.Catalogue)) || len(got.Warnings) != len(opened.Warnings) || (got.Table == nil) != (opened.Table == nil) {
				t.Errorf("%s: the upload gives something else", name)
			}
		}
	}
}

func TestUploadsThatAreWrong(t *testing.T) {
	matrix := uploaded("m.npy", smallMatrix(t))
	few := uploaded("rows.txt", "a\nb\n")
	twice := uploaded("rows.csv", "id\na\na\n")
	withFew, withTwice := matrix, matrix
	withFew.IDs, withTwice.IDs = &few, &twice
	for says, u := range map[string]read.Upload{
		"a.csv:3: the row has 1 fields, the header has 2":                 uploaded("a.csv", "id,x\na,1\nb\n"),
		`a.jsonl:2: column "id": "a" is the id in line 1 already`:         uploaded("a.jsonl", "{\"id\":\"a\",\"x\":1}\n{\"id\":\"a\",\"x\":2}\n"),
		"p.yaml:2: attribute \"brand\": a list of levels is expected":     uploaded("p.yaml", "price: [1, 2]\nbrand: acme\n"),
		"s.npz: the file is no saved catalogue, or it is damaged":         uploaded("s.npz", "PK"),
		"m.npy: there are 3 rows, but 2 ids in rows.txt":                  withFew,
		`rows.csv:3: column "id": "a" is the id in line 2 already`:        withTwice,
		"a.zip: the file is a saved catalogue; its name must end in .npz": uploaded("a.zip", string(save(t, savedPhones(t)))),
		"empty.csv: the file is empty":                                    uploaded("empty.csv", ""),
	} {
		_, err := archive.OpenUpload(u, catalogue.Options{}, 0)
		if err == nil || !strings.Contains("\n"+err.Error(), "\n"+says) {
			t.Errorf("%s: got %v, want %s", u.Name, err, says)
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
	encoded, err = archive.OpenUpload(uploaded(strings.TrimSuffix(path, "ids")+"npy", smallMatrix(t)), catalogue.Options{IDs: path}, 0)
	if err != nil || encoded.Arms.ID(0) != "1" {
		t.Errorf("the ids of an upload were read from a file: %v", err)
	}
}

// TestPackedUploads: however small a file is, what it unpacks to is bounded, and not held in memory to know.
func TestPackedUploads(t *testing.T) {
	block := cataloguetest.Packed(strings.Repeat("b,1\n", 1<<20))
	bomb := cataloguetest.Packed("id,x\na,2\n") + strings.Repeat(block, 70) // 280 MB
	ids := uploaded("ids.txt", bomb)
	matrix := uploaded("m.npy", smallMatrix(t))
	matrix.IDs = &ids
	small := uploaded("small.csv", cataloguetest.Packed("id,x\na,1\nb,2\nc,4\n"))
	small.Limits.Bytes = 20
	tooSmall := small
	tooSmall.Limits.Bytes = 10
	for says, u := range map[string]read.Upload{
		"bomb.csv.gz: the contents of the file are larger than 256 MB": uploaded("bomb.csv.gz", bomb),
		"bomb.jsonl: the contents of the file are larger than 256 MB":  uploaded("bomb.jsonl", bomb),
		"ids.txt: the contents of the file are larger than 256 MB":     matrix,
		"twice.csv: the file is compressed twice":                      uploaded("twice.csv", cataloguetest.Packed(cataloguetest.Packed("id,x\na,1\n"))),
		"small.csv: the contents of the file are larger than 10 bytes": tooSmall,
		"": small,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		arms, err := archive.OpenUpload(u, catalogue.Options{}, 0)
		runtime.ReadMemStats(&after)
		if (says == "") != (err == nil) || err != nil && err.Error() != says {
			t.Errorf("%s: got %v, want %s", u.Name, err, says)
		}
		if taken, most := after.TotalAlloc-before.TotalAlloc, uint64(8<<20); taken > most {
			t.Errorf("%s: %d bytes", u.Name, taken)
		}
		if err == nil {
			if _, err := arms.Add(tooSmall, catalogue.Options{}); err == nil {
				t.Error("arms that are too large are added")
			}
		}
	}
}
