package read_test

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/testsupport"
)

// BenchmarkReadCSV reads 1,000,000 arms of 32 numbers and reports how many times as fast that
// is as encoding/csv is at only splitting the same file into fields.
func BenchmarkReadCSV(b *testing.B) {
	const arms, numbers = 1_000_000, 32
	path := filepath.Join(b.TempDir(), "arms.csv")
	writeNumbers(b, path, arms, numbers)
	b.ReportMetric(1/timesAsLong(b, path, arms, splitByLibrary), "csv/ours")
}

// timesAsLong returns how many times as long reading the arms of a file takes as another function
// of the file.
func timesAsLong(b *testing.B, path string, arms int, other func(b *testing.B, path string)) float64 {
	b.Helper()
	var ours, others time.Duration
	for b.Loop() {
		start := time.Now()
		t, err := file(path, catalogue.Options{})
		if err != nil || t.Len() != arms {
			b.Fatal(err)
		}
		ours += time.Since(start)
		start = time.Now()
		other(b, path)
		others += time.Since(start)
	}
	return ours.Seconds() / others.Seconds()
}

func writeNumbers(b *testing.B, path string, arms, numbers int) {
	b.Helper()
	file, err := os.Create(path)
	testsupport.NoError(b, err)
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	random := rand.New(rand.NewPCG(1, 1))
	fmt.Fprint(w, "id")
	for i := range numbers {
		fmt.Fprintf(w, ",feature %c%c", 'a'+i/26, 'a'+i%26)
	}
	var row []byte
	for arm := range arms {
		row = append(row[:0], "\na"...)
		row = strconv.AppendInt(row, int64(arm), 10)
		for range numbers {
			row = append(row, ',')
			row = strconv.AppendFloat(row, random.NormFloat64(), 'g', 7, 64)
		}
		_, _ = w.Write(row)
	}
	testsupport.NoError(b, w.Flush())
}

// BenchmarkReadWorkbook reads a sheet of 100,000 rows and 20 columns, half of them texts, and reports
// the highest memory while doing so, from another run that collects garbage all the time.
func BenchmarkReadWorkbook(b *testing.B) {
	const arms, columns = 100_000, 20
	path := filepath.Join(b.TempDir(), "arms.xlsx")
	writeWorkbook(b, path, arms, columns)
	readAll := func() {
		t, err := file(path, catalogue.Options{})
		if err != nil || t.Len() != arms {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		readAll()
	}
	b.ReportMetric(float64(cataloguetest.PeakMemory(readAll)>>20), "MB")
}

func writeWorkbook(b *testing.B, path string, arms, columns int) {
	b.Helper()
	file := excelize.NewFile()
	w, err := file.NewStreamWriter("Sheet1")
	testsupport.NoError(b, err)
	random := rand.New(rand.NewPCG(1, 1))
	for arm := range arms + 1 {
		row := []any{fmt.Sprintf("a%d", arm)}
		for i := 1; i < columns; i++ {
			switch {
			case arm == 0:
				row = append(row, fmt.Sprintf("feature %c", 'a'+i))
			case i < columns/2:
				row = append(row, fmt.Sprintf("level %d", random.IntN(20)))
			default:
				row = append(row, random.NormFloat64())
			}
		}
		if arm == 0 {
			row[0] = "id"
		}
		testsupport.NoError(b, w.SetRow(fmt.Sprintf("A%d", arm+1), row))
	}
	testsupport.NoError(b, errors.Join(w.Flush(), file.SaveAs(path)))
}

func splitByLibrary(b *testing.B, path string) {
	b.Helper()
	file, err := os.Open(path)
	testsupport.NoError(b, err)
	defer file.Close()
	r := csv.NewReader(file)
	r.ReuseRecord = true
	for {
		if _, err := r.Read(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadNPY reads 100,000 vectors of 512 numbers and reports how many times as long
// that takes as only reading the file.
func BenchmarkReadNPY(b *testing.B) {
	const arms, numbers = 100_000, 512
	path := filepath.Join(b.TempDir(), "arms.npy")
	writeMatrix(b, path, arms, numbers)
	b.ReportMetric(timesAsLong(b, path, arms, readPlainly), "ours/read")
}

func writeMatrix(b *testing.B, path string, arms, numbers int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	data := cataloguetest.NPY("<f4", false, arms, numbers)
	row := make([]float32, numbers)
	ids := make([]byte, 0, 8*arms)
	for arm := range arms {
		for i := range row {
			row[i] = float32(random.NormFloat64())
		}
		data, _ = binary.Append(data, binary.LittleEndian, row)
		ids = fmt.Appendf(ids, "a%d\n", arm)
	}
	testsupport.NoError(b, errors.Join(os.WriteFile(path, data, 0o600), os.WriteFile(path[:len(path)-len("npy")]+"ids", ids, 0o600)))
}

func readPlainly(b *testing.B, path string) {
	b.Helper()
	file, err := os.Open(path)
	testsupport.NoError(b, err)
	defer file.Close()
	info, err := file.Stat()
	testsupport.NoError(b, err)
	if _, err := io.ReadFull(file, make([]byte, info.Size())); err != nil {
		b.Fatal(err)
	}
}
