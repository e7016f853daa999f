package apifuzz_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"bestpick/internal/answers"
	"bestpick/internal/apifuzz"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

const (
	fruits = `id,label,sweet,sour,colour,ripe
apple,An apple,1,1,red,yes
pear,A pear,2,0,green,no
quince,A quince,0,2,green,yes
plum,A plum,2,1,red,yes
cherry,A cherry,3,1,red,no
lemon,A lemon,-1,4,green,yes
`
	cameras = "price: [100, 200, 300]\nbrand: [acme, zenith]\nflash: [true, false]\nforbidden:\n  - {brand: acme, price: [300]}\n"
	texts   = "arm,context,text\napple,red?,yes\npear,red?,no\nquince,red?,no\nplum,red?,yes\ncherry,red?,yes\nlemon,red?,no\n"
	people  = "name,segment\nanna,north\nZoë,south\ndora,\n"
)

// files returns valid uploads in every format.
func files(t testing.TB) map[string][]apifuzz.File {
	t.Helper()
	encoded, err := archive.OpenUpload(read.Upload{Name: "fruits.csv", Contents: strings.NewReader(fruits), Size: int64(len(fruits))}, catalogue.Options{}, 0)
	must(t, err)
	save := func(format table.Format) func(*bytes.Buffer) error {
		return func(w *bytes.Buffer) error { return archive.WriteArms(w, &encoded.Catalogue, format) }
	}
	const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 1), }"
	matrix := append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), header...)
	for i := range 8 {
		matrix = binary.LittleEndian.AppendUint32(matrix, math.Float32bits(float32(i*i%7)))
	}
	all := map[string][]apifuzz.File{
		"catalogue": {
			{Name: "fruits.csv", Contents: fruits},
			{Name: "more.csv", Contents: "id,label,sweet,sour,colour,ripe\nfig,A fig,4,0,red,no\nkaki,A kaki,3,0,green,no\n"},
			{Name: "cameras.yaml", Contents: cameras},
			{Name: "fruits.tsv.gz", Contents: apifuzz.Packed(strings.ReplaceAll(fruits, ",", "\t"))},
			{Name: "e.npy", Contents: string(matrix), IDs: &apifuzz.File{Name: "e.txt", Contents: "a\nb\nc\nd\ne\nf\ng\nh\n"}},
			{Name: "fruits.jsonl", Contents: written(t, save(table.JSONLines))},
			{Name: "fruits.parquet", Contents: written(t, save(table.Parquet))},
			{Name: "fruits.npz", Contents: written(t, func(w *bytes.Buffer) error { return archive.Save(w, &encoded.Catalogue) })},
		},
		"ids":     {{Name: "ids.txt", Contents: "a\nb\n"}},
		"texts":   {{Name: "texts.csv", Contents: texts}, {Name: "texts.tsv.gz", Contents: apifuzz.Packed(strings.ReplaceAll(texts, ",", "\t"))}},
		"members": {{Name: "people.csv", Contents: "name\nanna\nZoë\n"}, {Name: "people.tsv.gz", Contents: apifuzz.Packed(strings.ReplaceAll(people, ",", "\t"))}},
	}
	for _, format := range []table.Format{table.CSV, table.JSONLines, table.Parquet} {
		all["answers"] = append(all["answers"], apifuzz.File{Name: "answers." + string(format), Contents: written(t, func(w *bytes.Buffer) error {
			out := answers.NewWriter(w, format, answers.Layout{Shown: 3, Picks: 1})
			at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
			for i, pick := range []string{"apple", "plum", "cherry"} {
				must(t, out.Write(answers.Row{Number: int64(i + 1), Kind: "answered", Shown: []string{"apple", "plum", "cherry"}, Picks: []string{pick}, Respondent: "anna", Asked: at, At: at}))
			}
			return out.Close()
		})})
	}
	return all
}

func written(t testing.TB, write func(w *bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	must(t, write(&out))
	return out.String()
}
