package archive_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
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
