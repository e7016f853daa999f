package hostile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"bestpick/answers"
	"bestpick/api/hostile"
	"bestpick/catalogue"
	"bestpick/catalogue/archive"
	"bestpick/catalogue/read"
)

// fruits are arms of all kinds of columns.
const fruits = `id,label,sweet,sour,colour,ripe
apple,An apple,1,1,red,yes
pear,A pear,2,0,green,no
quince,A quince,0,2,green,yes
plum,A plum,2,1,red,yes
cherry,A cherry,3,1,red,no
lemon,A lemon,-1,4,green,yes
`

// cameras are the attributes of a product.
const cameras = `price: [100, 200, 300]
brand: [acme, zenith]
flash: [true, false]
forbidden:
  - {brand: acme, price: [300]}
`

// files are of every format that is taken.
func files(t testing.TB) map[string][]hostile.File {
	t.Helper()
	encoded, err := archive.OpenUpload(read.Upload{Name: "fruits.csv", Contents: strings.NewReader(fruits), Size: int64(len(fruits))}, catalogue.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	arms := []hostile.File{
		{Name: "fruits.csv", Contents: fruits},
		{Name: "more.csv", Contents: "id,label,sweet,sour,colour,ripe\nfig,A fig,4,0,red,no\nkaki,A kaki,3,0,green,no\n"},
		{Name: "cameras.yaml", Contents: cameras},
		{Name: "fruits.tsv", Contents: strings.ReplaceAll(fruits, ",", "\t")},
		{Name: "fruits.csv.gz", Contents: hostile.Packed(fruits)},
		embeddings(),
	}
	for _, format := range []archive.Format{archive.JSONLines, archive.Parquet} {
		arms = append(arms, hostile.File{Name: "fruits." + format.String(), Contents: written(t, func(w *bytes.Buffer) error { return archive.WriteArms(w, &encoded.Catalogue, format) })})
	}
	arms = append(arms, hostile.File{Name: "fruits.npz", Contents: written(t, func(w *bytes.Buffer) error { return archive.Save(w, &encoded.Catalogue) })})
	return map[string][]hostile.File{"catalogue": arms, "ids": {{Name: "ids.txt", Contents: "a\nb\n"}}, "answers": recorded(t), "members": members()}
}

// embeddings are a matrix with the ids of its rows.
func embeddings() hostile.File {
	const rows, columns = 8, 6
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	matrix := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	matrix = append(matrix, header...)
	var ids strings.Builder
	for row := range rows {
		fmt.Fprintf(&ids, "e%d\n", row)
		for column := range columns {
			matrix = binary.LittleEndian.AppendUint32(matrix, math.Float32bits(float32((row*row+3*column*row)%7)))
		}
	}
	return hostile.File{Name: "e.npy", Contents: string(matrix), Beside: &hostile.File{Name: "e.txt", Contents: ids.String()}}
}

// recorded are answers about fruits.
func recorded(t testing.TB) []hostile.File {
	t.Helper()
	var all []hostile.File
	for _, format := range []answers.Format{answers.CSV, answers.JSONLines, answers.Parquet} {
		all = append(all, hostile.File{Name: "answers." + string(format), Contents: written(t, func(w *bytes.Buffer) error {
			out := answers.NewWriter(w, format, 3, 1)
			for i, pick := range []string{"apple", "plum", "cherry"} {
				at := time.Date(2026, 11, 1, 12, i, 0, 0, time.UTC)
				row := answers.Row{Number: int64(i + 1), Kind: "answered", Shown: []string{"apple", "plum", "cherry"}, Picks: []string{pick}, Respondent: "anna", Asked: at, At: at}
				if err := out.Write(row); err != nil {
					return err
				}
			}
			return out.Close()
		})})
	}
	return append(all, hostile.File{Name: "answers.csv.gz", Contents: hostile.Packed(all[0].Contents)})
}

// members are people for a panel.
func members() []hostile.File {
	const people = "name,segment\nanna,north\nZoë,south\ndora,\n"
	return []hostile.File{
		{Name: "people.csv", Contents: "name\nanna\nZoë\n"},
		{Name: "people.tsv", Contents: strings.ReplaceAll(people, ",", "\t")},
		{Name: "people.csv.gz", Contents: hostile.Packed(people)},
	}
}

func written(t testing.TB, write func(w *bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
