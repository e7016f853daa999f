package read_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
)

// recognised returns the kinds of the columns of a file, by name.
func recognised(t *testing.T, name, content string, kinds map[string]catalogue.Kind) string {
	t.Helper()
	table, err := read.Table(strings.NewReader(content), name, catalogue.Options{Kinds: kinds})
	if err != nil {
		t.Errorf("%.80q: %v", content, err)
		return ""
	}
	var words []string
	for _, c := range table.Columns {
		words = append(words, c.Name+" "+c.Kind.String())
	}
	return strings.Join(words, ", ")
}

func TestRecognise(t *testing.T) {
	eight := "e1,e2,e3,e4,e5,e6,e7,e8"
	for _, test := range []struct {
		text, want string
		kinds      map[string]catalogue.Kind
	}{
		{"ID,x\na,1\n", "ID id, x number", nil},
		{"x,SKU\n1,a\n", "x number, SKU id", nil},
		{"sku,item\na,b\n", "sku ignored, item id", nil},
		{"id,sku\n1,2\n", "id id, sku number", nil},
		{"n,x\n7,1\n", "n id, x number", map[string]catalogue.Kind{"n": catalogue.ID}},
		{"id,n,x\n7,8,1\n", "id number, n id, x number", map[string]catalogue.Kind{"n": catalogue.ID}},
		{"id,title,name\na,b,c\n", "id id, title ignored, name label", nil},
		{"id,label\na,1\n", "id id, label label", nil},
		{"id,text,description\na,b,c\n", "id id, text ignored, description description", nil},
		{"id,text\na,\n", "id id, text description", nil},
		{"id,photo,img\na,b,c.png\n", "id id, photo image, img image", nil},
		{"id,look\na,x/y.JPG?width=3\nb,https://example.org/1.gif\nc,data:image/png;base64\nd,\ne,NA\n", "id id, look image", nil},
		{"id,link\na,https://example.org/1\nb,https://example.org/2\n", "id id, link ignored", nil},
		{"id,look\na,y.png\nb,n\nc,n\n", "id id, look category", nil},
		{"id,b\na,yes\nb,No\nc,T\nd,false\n", "id id, b boolean", nil},
		{"id,b\na,yes\nb,no\nc,perhaps\nd,no\n", "id id, b category", nil},
		{"id,b\na,1\nb,0\n", "id id, b boolean", map[string]catalogue.Kind{"b": catalogue.Boolean}},
		{"id,x\na,\nb,NA\n", "id id, x ignored", nil},
		{"id,x\na,1\nb,x\nc,x\nd,1\n", "id id, x category", nil},
		{"id,brand\na,x\nb,y\nc,z\nd,x\n", "id id, brand category", nil},
		{"id,model\na,x\nb,\nc,z\nd,NA\n", "id id, model ignored", nil},
		{"id,x\na,1\nb,2\n", "id id, x category", map[string]catalogue.Kind{"x": catalogue.Category}},
		{"id,x\na,1\nb,2\n", "id id, x ignored", map[string]catalogue.Kind{"x": catalogue.Ignored}},
		{"id," + eight + "\na,1,2,3,4,5,6,7,8\n", "id id, e embedding", nil},
		{"id,e0,e1,e2,e3,e4,e5,e6,e7\na,1,2,3,4,5,6,7,8\n", "id id, e embedding", nil},
		{"id,e2,e3,e4,e5,e6,e7,e8,e9\na,1,2,3,4,5,6,7,8\n", "id id, e2 number, e3 number, e4 number, e5 number, e6 number, e7 number, e8 number, e9 number", nil},
		{"id,e1,e2\na,1,2\n", "id id, e1 number, e2 number", nil},
		{"id,e1,e2\na,1,2\n", "id id, e embedding", map[string]catalogue.Kind{"e": catalogue.Embedding}},
		{"id," + eight + "\na,1,2,3,4,5,6,7,8\n", "id id, e1 number, e2 number, e3 number, e4 number, e5 number, e6 number, e7 number, e8 number", map[string]catalogue.Kind{"e": catalogue.Number}},
		{"id,e1,e2\na,1,2\n", "id id, e1 ignored, e2 ignored", map[string]catalogue.Kind{"e": catalogue.Ignored}},
	} {
		if got := recognised(t, "a.csv", test.text, test.kinds); got != test.want {
			t.Errorf("%q %v: %s", test.text, test.kinds, got)
		}
	}
}

// TestBracesInTables: a name that says that it is a table goes before a first character that
// could be JSON.
func TestBracesInTables(t *testing.T) {
	for _, name := range []string{"a.csv", "a.tsv", "a.txt", "a.txt.gz"} {
		if got := recognised(t, name, "{x}\tid\n1\ta\n", nil); got != "{x} number, id id" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestNamedImage: the image that respondents see is the one that is called so.
func TestNamedImage(t *testing.T) {
	text := "id,thumb,x,photo\na,s.png,1,NA\nb,t.png,2,https://example.org/b\n"
	for name, kinds := range map[string]map[string]catalogue.Kind{"photo": nil, "x": {"x": catalogue.Image}, "thumb": {"photo": catalogue.Ignored}} {
		got, err := read.Table(strings.NewReader(text), "a.csv", catalogue.Options{Kinds: kinds})
		if err != nil {
			t.Fatal(err)
		}
		if image := got.First(catalogue.Image); image.Name != name || name == "photo" && image.Texts[0] != "" || len(got.Columns) != 4 {
			t.Errorf("%s: %v", name, got.Columns)
		}
	}
}

// TestCategoryOrFreeText: the number of levels decides.
func TestCategoryOrFreeText(t *testing.T) {
	for _, test := range []struct {
		rows, levels int
		want         string
	}{{1, 1, "ignored"}, {2, 1, "category"}, {4, 3, "category"}, {4, 4, "ignored"}, {10, 8, "category"}, {10, 9, "ignored"}, {22, 19, "category"}, {23, 20, "category"}, {24, 21, "ignored"}, {100, 50, "category"}, {100, 51, "ignored"}, {5000, 1000, "category"}} {
		text := "id,x\n" + rows(test.rows, func(i int) string { return fmt.Sprintf("a%d,k%d", i, i%test.levels) })
		if got := recognised(t, "a.csv", text, nil); got != "id id, x "+test.want {
			t.Errorf("%v: %s", test, got)
		}
	}
}

// TestNumericShare: 51 numbers of 100 make a column one of numbers, 50 do not.
func TestNumericShare(t *testing.T) {
	for others, number := range map[int]bool{49: true, 50: false} {
		text := "id,x\n" + rows(100, func(i int) string {
			if i < others {
				return fmt.Sprintf("a%d,red", i)
			}
			return fmt.Sprintf("a%d,%d", i, i%7)
		})
		_, err := read.Table(strings.NewReader(text), "a.csv", catalogue.Options{})
		if (err != nil) != number {
			t.Errorf("%d texts: %v", others, err)
		}
	}
	none := catalogue.Options{}
	refused(t, "a.csv", "id,price\na,10\nb,4O\nc,30\n", none, `a.csv:3: column "price": "4O" is not a number`)
	refused(t, "a.jsonl", "{\"id\":1,\"e\":[1,2]}\n{\"id\":2,\"e\":3}\n{\"id\":3,\"e\":[1,2]}\n", none, `a.jsonl:2: column "e": "3" is not a list of numbers`)
}

// TestDressedNumbers: numbers with something around them are not taken for levels.
func TestDressedNumbers(t *testing.T) {
	none := catalogue.Options{}
	for text, plain := range map[string]string{
		"$10": "10", "-$3": "-3", "10 €": "10", "EUR 9.50": "9.50", "£1,234": "1234", "$1,234.50": "1234.50", "5%": "5", "12 kg": "12", "12kg": "12",
		"1,5 l": "1.5", "3 doors": "3", "1.234,50 €": "1234.50", "64GB": "64", "-5 °C": "-5",
	} {
		lines := "id\tx\na\tx\nb\t" + text + "\nc\t" + text + "\n"
		refused(t, "a.tsv", lines, none, fmt.Sprintf(`a.tsv: column "x": %q looks like a number with something around it; write %s, or --as x=category`, text, plain))
		if got := recognised(t, "a.tsv", lines, map[string]catalogue.Kind{"x": catalogue.Category}); got != "id id, x category" {
			t.Error(got)
		}
	}
	refused(t, "a.tsv", "id\tx\na\t1,234.50\nb\t1,999.00\n", none,
		`a.tsv: column "x": "1,234.50" looks like a number with marks between thousands; write 1234.50, or --as x=category`)
	for _, text := range []string{"2024-01-02", "01.02.2024", "12 May", "1/2/2024", "10:30", "4K", "5G", "A4", "3-door", "2 x 4", "v1.2", "12 angry men", "10-20"} {
		if got := recognised(t, "a.tsv", "id\tx\na\t"+text+"\nb\t"+text+"\n", nil); got != "id id, x category" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestTypesOfJSON: numbers may be in quotes, ids may be numbers, and large integers are kept.
func TestTypesOfJSON(t *testing.T) {
	text := `{"id":9007199254740993,"zip":"01234","mass":"12.5","size":1.50,"new":true,"e":[1,2],"junk":{"a":1}}
{"id":2,"zip":"99999","mass":13,"size":1e3,"new":false,"e":[3,4],"label":"late"}`
	kinds := map[string]catalogue.Kind{"size": catalogue.Category, "zip": catalogue.Category, "junk": catalogue.Ignored}
	got, err := read.Table(strings.NewReader(text), "-", catalogue.Options{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	want := &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"9007199254740993", "2"}},
		{Name: "zip", Kind: catalogue.Category, Texts: []string{"01234", "99999"}},
		{Name: "mass", Kind: catalogue.Number, Numbers: []float64{12.5, 13}},
		{Name: "size", Kind: catalogue.Category, Texts: []string{"1.5", "1000"}},
		{Name: "new", Kind: catalogue.Boolean, Texts: []string{"true", "false"}},
		{Name: "e", Kind: catalogue.Embedding, Width: 2, Vectors: []float32{1, 2, 3, 4}},
		{Name: "junk", Kind: catalogue.Ignored, Texts: []string{`{"a":1}`, ""}},
		{Name: "label", Kind: catalogue.Label, Texts: []string{"", "late"}},
	}}
	if diff := sameTable(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int32{1, 2}, got.Lines); diff != "" {
		t.Error(diff)
	}
	split, err := read.Table(strings.NewReader(`{"id":"a","e":[1,2]}`), "a.jsonl", catalogue.Options{Kinds: map[string]catalogue.Kind{"e": catalogue.Number}})
	if err != nil || split.Column("e2") == nil || split.Column("e2").Numbers[0] != 2 {
		t.Error(split, err)
	}
}

// TestLongJSON: columns are settled by their first values, and those that come late are, too.
func TestLongJSON(t *testing.T) {
	const n = 70_000
	text := rows(n, func(i int) string {
		if i == n-1 {
			return fmt.Sprintf(`{"id":%d,"x":%d,"label":"last"}`, i, i)
		}
		return fmt.Sprintf(`{"id":%d,"x":%d}`, i, i)
	})
	if got := recognised(t, "a.jsonl", text, nil); got != "id id, x number, label label" {
		t.Error(got)
	}
	refused(t, "a.jsonl", text+`{"id":"z","x":"many"}`, catalogue.Options{}, fmt.Sprintf(`a.jsonl:%d: column "x": "many" is not a number`, n+1))
}

// TestTypesOfNumPy: all types of numbers, both orders of bytes and of the matrix.
func TestTypesOfNumPy(t *testing.T) {
	want := []float32{1, 2, 3, 4, 5, 6}
	for _, test := range []struct {
		descr   string
		fortran bool
		order   binary.AppendByteOrder
		numbers any
	}{
		{"<f4", false, binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6}},
		{"<f4", true, binary.LittleEndian, []float32{1, 4, 2, 5, 3, 6}},
		{">f4", false, binary.BigEndian, []float32{1, 2, 3, 4, 5, 6}},
		{"<f8", false, binary.LittleEndian, []float64{1, 2, 3, 4, 5, 6}},
		{">f8", false, binary.BigEndian, []float64{1, 2, 3, 4, 5, 6}},
		{"<f2", false, binary.LittleEndian, []uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}},
		{"|i1", false, binary.LittleEndian, []int8{1, 2, 3, 4, 5, 6}},
		{"<i2", false, binary.LittleEndian, []int16{1, 2, 3, 4, 5, 6}},
		{"<i4", false, binary.LittleEndian, []int32{1, 2, 3, 4, 5, 6}},
		{"<i8", false, binary.LittleEndian, []int64{1, 2, 3, 4, 5, 6}},
		{"|u1", false, binary.LittleEndian, []uint8{1, 2, 3, 4, 5, 6}},
		{"<u2", false, binary.LittleEndian, []uint16{1, 2, 3, 4, 5, 6}},
		{"<u4", false, binary.LittleEndian, []uint32{1, 2, 3, 4, 5, 6}},
		{">u8", false, binary.BigEndian, []uint64{1, 2, 3, 4, 5, 6}},
	} {
		order, _ := test.order.(binary.ByteOrder)
		matrix, err := binary.Append(cataloguetest.NPY(test.descr, test.fortran, 2, 3), order, test.numbers)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read.NPY(strings.NewReader(string(matrix)), "e.npy", strings.NewReader("a\nb"), "e.ids", catalogue.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.descr, err)
		} else if diff := cmp.Diff(want, got.Column("e").Vectors); diff != "" {
			t.Errorf("%s, Fortran's order %v: %s", test.descr, test.fortran, diff)
		}
	}
}

// TestLargeMatrix: a matrix of several blocks whose size is not known beforehand is read whole.
func TestLargeMatrix(t *testing.T) {
	const rows, columns = 1 << 10, 1 << 11
	want := make([]float64, rows*columns)
	for i := range want {
		want[i] = float64(i + 1)
	}
	matrix, err := binary.Append(cataloguetest.NPY(">f8", false, rows, columns), binary.BigEndian, want)
	if err != nil {
		t.Fatal(err)
	}
	var ids strings.Builder
	for i := range rows {
		fmt.Fprintln(&ids, i)
	}
	got, err := read.NPY(bytes.NewReader(matrix), "e.npy", strings.NewReader(ids.String()), "e.ids", catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range got.Column("e").Vectors {
		if x != float32(want[i]) {
			t.Fatalf("number %d is %v", i, x)
		}
	}
}

// TestTypesOfParquet: integers of all sizes, decimals, nulls in labels, and numbers as a category.
func TestTypesOfParquet(t *testing.T) {
	type row struct {
		ID    int64   `parquet:"id"`
		Label *string `parquet:"label"`
		Small int8    `parquet:"small"`
		Large uint64  `parquet:"large"`
		Price int64   `parquet:"price,decimal(2:18)"`
		Size  float32 `parquet:"size"`
		Zip   string  `parquet:"zip"`
	}
	name := "A"
	content := cataloguetest.ParquetFile(t, []row{{1, &name, -1, 1 << 63, 150, 0.1, "01"}, {2, nil, 2, 3, -25, 2.5, "01"}})
	got, err := read.Table(strings.NewReader(content), "-", catalogue.Options{Kinds: map[string]catalogue.Kind{"size": catalogue.Category}})
	if err != nil {
		t.Fatal(err)
	}
	want := &catalogue.Table{Columns: []catalogue.Column{
		{Name: "id", Kind: catalogue.ID, Texts: []string{"1", "2"}},
		{Name: "label", Kind: catalogue.Label, Texts: []string{"A", ""}},
		{Name: "small", Kind: catalogue.Number, Numbers: []float64{-1, 2}},
		{Name: "large", Kind: catalogue.Number, Numbers: []float64{1 << 63, 3}},
		{Name: "price", Kind: catalogue.Number, Numbers: []float64{1.5, -0.25}},
		{Name: "size", Kind: catalogue.Category, Texts: []string{"0.1", "2.5"}},
		{Name: "zip", Kind: catalogue.Category, Texts: []string{"01", "01"}},
	}}
	if diff := sameTable(want, got); diff != "" {
		t.Error(diff)
	}
}
