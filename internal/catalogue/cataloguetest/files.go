package cataloguetest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
)

// A Shoe is an arm that tests write in every format.
type Shoe struct {
	ID     string  `json:"id" parquet:"id"`
	Label  string  `json:"label" parquet:"label,dict"`
	Image  string  `json:"image" parquet:"image"`
	Price  float64 `json:"price" parquet:"price"`
	Weight int64   `json:"weight" parquet:"weight"`
	Colour string  `json:"colour" parquet:"colour,dict"`
	New    bool    `json:"new" parquet:"new"`
}

// Shoes returns four arms.
func Shoes() []Shoe {
	random := rand.New(rand.NewPCG(1, 1))
	all := make([]Shoe, 300)
	for i := range all {
		all[i] = Shoe{
			ID: fmt.Sprintf("s%d", i), Label: fmt.Sprintf("Shoe, \"no %d\"", i/2), Image: fmt.Sprintf("https://example.org/%d.png", i),
			Price: random.NormFloat64(), Weight: random.Int64N(1000), Colour: []string{"red", "green", "blue"}[i%3], New: i%2 == 0,
		}
	}
	return all
}

// ShoesCSV returns the shoes as delimited text.
func ShoesCSV(delimiter string) string {
	var text strings.Builder
	text.WriteString(strings.Join([]string{"id", "label", "image", "price", "weight", "colour", "new"}, delimiter) + "\n")
	for _, s := range Shoes() {
		label := `"` + strings.ReplaceAll(s.Label, `"`, `""`) + `"`
		fmt.Fprintln(&text, strings.Join([]string{
			s.ID, label, s.Image, fmt.Sprint(s.Price), strconv.FormatInt(s.Weight, 10),
			s.Colour, strconv.FormatBool(s.New),
		}, delimiter))
	}
	return text.String()
}

// Packed compresses a text with gzip.
func Packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// JSONLines returns rows as JSON objects, one per line.
func JSONLines[T any](rows []T) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			panic(err)
		}
	}
	return text.String()
}

// ParquetFile returns rows as a Parquet file.
func ParquetFile[T any](t testing.TB, rows []T) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(100)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Embeddings returns the same vectors as a table and in every format.
func Embeddings(t testing.TB) (want *catalogue.Table, csv, lines, parquet, npy, ids string) {
	t.Helper()
	random := rand.New(rand.NewPCG(2, 2))
	id := catalogue.Column{Name: "id", Kind: catalogue.ID}
	e := catalogue.Column{Name: "e", Kind: catalogue.Embedding, Width: width}
	var text strings.Builder
	text.WriteString("id,e9,e2,e3,e4,e5,e6,e7,e8,e1\n") // e1 and e9 have changed places
	var asLists []listed
	var asColumns []spread
	for i := range 200 {
		v := make([]float32, width)
		for j := range v {
			v[j] = float32(random.NormFloat64())
		}
		name := fmt.Sprintf("a%d", i)
		id.Texts = append(id.Texts, name)
		e.Vectors = append(e.Vectors, v...)
		asLists = append(asLists, listed{ID: name, E: v})
		asColumns = append(asColumns, spread{name, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]})
		fmt.Fprintln(&text, strings.Trim(strings.ReplaceAll(fmt.Sprint(name,
			[]float32{v[8], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[0]}), " ", ","), "[]"))
	}
	matrix := NPYFile(len(id.Texts), e.Vectors)
	want = &catalogue.Table{Columns: []catalogue.Column{id, e}}
	csvText := strings.ReplaceAll(text.String(), "[", ",")
	return want, csvText, JSONLines(asLists), ParquetFile(t, asColumns), matrix, strings.Join(id.Texts, "\n") + "\n"
}

// NPY returns the header of a .npy in the format of NumPy.
func NPY(descr string, fortran bool, shape ...int) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	var sizes strings.Builder
	for _, size := range shape {
		fmt.Fprintf(&sizes, "%d,", size)
	}
	dictionary := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, sizes.String())
	header := []byte("\x93NUMPY\x01\x00")
	header = binary.LittleEndian.AppendUint16(header, uint16(len(dictionary)+1))
	return append(append(header, dictionary...), '\n')
}

// NPYFile returns a .npy of a matrix, given row by row.
func NPYFile[T float32 | float64](rows int, numbers []T) string {
	file := NPY(fmt.Sprintf("<f%d", binary.Size(numbers[0])), false, rows, len(numbers)/rows)
	file, _ = binary.Append(file, binary.LittleEndian, numbers) // numbers have a fixed size
	return string(file)
}

const width = 9

type listed struct {
	ID string    `json:"id"`
	E  []float32 `json:"e"`
}

type spread struct {
	ID string  `parquet:"id"`
	E1 float32 `parquet:"e_1"`
	E2 float32 `parquet:"e_2"`
	E3 float32 `parquet:"e_3"`
	E4 float32 `parquet:"e_4"`
	E5 float32 `parquet:"e_5"`
	E6 float32 `parquet:"e_6"`
	E7 float32 `parquet:"e_7"`
	E8 float32 `parquet:"e_8"`
	E9 float32 `parquet:"e_9"`
}

// ColumnNames returns n names of columns, each after a comma.
func ColumnNames(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, ",c%d", i)
	}
	return text.String()
}

// PNG returns a picture of one shade of grey.
func PNG(t *testing.T, grey uint8) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 3, 3))
	for i := range m.Pix {
		m.Pix[i] = grey
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// GzipBomb returns text and then at least size bytes of a text that is repeated, compressed.
func GzipBomb(text, repeated string, size int) string {
	const block = 4 << 20
	times := block/len(repeated) + 1
	return Packed(text) + strings.Repeat(Packed(strings.Repeat(repeated, times)), size/(times*len(repeated))+1)
}

// LongFile is a file that starts with a text and goes on with one byte. It takes no memory.
type LongFile struct {
	Start string
	Fill  byte
	Size  int64
}

// ReadAt reads any part.
func (l LongFile) ReadAt(p []byte, at int64) (int, error) {
	if at >= l.Size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), l.Size-at))
	copied := 0
	if at < int64(len(l.Start)) {
		copied = copy(p[:n], l.Start[at:])
	}
	for i := copied; i < n; i++ {
		p[i] = l.Fill
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// PeakMemory returns how many bytes the heap grows while f runs, sampled a thousand times a second, and at most the bytes
// that f allocates in total. The garbage collector runs whenever the heap grows by a tenth, so that the garbage of
// the calling test does not count.
func PeakMemory(f func()) int64 {
	const interval, growth = time.Millisecond, 10 // percent
	defer debug.SetGCPercent(debug.SetGCPercent(growth))
	runtime.GC()
	base, allocated := heap(), total()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := base
		for {
			most = max(most, heap())
			select {
			case <-stop:
				peak <- max(most, heap()) - base
				return
			case <-time.After(interval):
			}
		}
	}()
	f()
	close(stop)
	return min(<-peak, total()-allocated)
}

func heap() int64  { return readMetric("/memory/classes/heap/objects:bytes") }
func total() int64 { return readMetric("/gc/heap/allocs:bytes") }

func readMetric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
