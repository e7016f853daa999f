package parquetcheck_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"bestpick/internal/parquetcheck"
)

// codecs returns all codecs that the library supports.
func codecs() []compress.Codec {
	return []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw}
}

// wide returns the limits for whole files.
func wide() parquetcheck.Limits {
	return parquetcheck.Limits{Footer: 1 << 20, Structs: 1000, Header: 1 << 16, Size: 1 << 20, Values: 1 << 16, Bytes: 1 << 24}
}

// TestSoundPages: pages that the library writes pass, with every codec, encoding and version.
func TestSoundPages(t *testing.T) {
	type row struct {
		ID     string   `parquet:"id"`
		Level  string   `parquet:"level,dict"`
		One    string   `parquet:"one,dict"`
		Near   string   `parquet:"near,delta"`
		Count  int64    `parquet:"count,delta"`
		Price  float64  `parquet:"price,split"`
		Truth  bool     `parquet:"truth"`
		Maybe  *int32   `parquet:"maybe,optional"`
		Never  *string  `parquet:"never,optional"`
		Shown  []string `parquet:"shown,list"`
		Picked []int64  `parquet:"picked,dict"`
	}
	rows := make([]row, 5000)
	for i := range rows {
		rows[i] = row{ID: fmt.Sprint("arm ", i), Level: strconv.Itoa(i % 37), One: "x", Near: fmt.Sprintf("%08d", i), Count: int64(i * i), Price: float64(i) / 7, Truth: i%3 == 0}
		if i%5 > 0 {
			number := int32(i)
			rows[i].Maybe = &number
			rows[i].Shown = []string{"a", "b", strconv.Itoa(i)}[:i%4%3+1]
			rows[i].Picked = []int64{int64(i % 9), 2, 3}[:i%3]
		}
	}
	for _, codec := range codecs() {
		for version := 1; version <= 2; version++ {
			var file bytes.Buffer
			w := parquet.NewGenericWriter[row](&file, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(2000), parquet.MaxRowsPerRowGroup(3000))
			if _, err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := checkFile(file.Bytes(), wide()); err != nil {
				t.Errorf("%v, version %d: %v", codec, version, err)
			}
		}
	}
}

// checkFile checks all pages of a file.
func checkFile(content []byte, limits parquetcheck.Limits) error {
	file, err := parquetcheck.Open(bytes.NewReader(content), int64(len(content)), limits)
	if err != nil {
		return err
	}
	checker := parquetcheck.NewChecker(bytes.NewReader(content), int64(len(content)), limits)
	groups := file.Metadata().RowGroups
	var walk func(*parquet.Column) error
	walk = func(column *parquet.Column) error {
		for _, inner := range column.Columns() {
			if err := walk(inner); err != nil {
				return err
			}
		}
		for i := range groups {
			if !column.Leaf() {
				break
			}
			if err := checker.Check(parquetcheck.ColumnOf(&groups[i], column)); err != nil {
				return fmt.Errorf("%s: %w", column.Name(), err)
			}
		}
		return nil
	}
	return walk(file.Root())
}

// A hostilePage is a page that contains more than it declares.
type hostilePage struct {
	header format.PageHeader
	column parquetcheck.Column
	body   []byte
}

// check writes a page and checks it.
func (p hostilePage) check(t *testing.T) error {
	t.Helper()
	p.header.CompressedPageSize = int32(len(p.body))
	var protocol thrift.CompactProtocol
	header, err := thrift.Marshal(&protocol, p.header)
	if err != nil {
		t.Fatal(err)
	}
	file := append(append([]byte(parquetcheck.Magic), header...), p.body...)
	p.column.DataPageOffset = int64(len(parquetcheck.Magic))
	p.column.TotalCompressedSize = int64(len(header) + len(p.body))
	p.column.NumValues = int64(p.header.DataPageHeader.V.NumValues) + int64(p.header.DataPageHeaderV2.V.NumValues)
	return parquetcheck.NewChecker(bytes.NewReader(file), int64(len(file)), wide()).Check(p.column)
}

const pageValues = 100

// plainPage returns a page of 100 values.
func plainPage(codec format.CompressionCodec, encoding format.Encoding, size int, body []byte) hostilePage {
	p := hostilePage{column: parquetcheck.Column{ColumnMetaData: &format.ColumnMetaData{Codec: codec}, Kind: parquet.ByteArray}, body: body}
	p.header.UncompressedPageSize = int32(size)
	p.header.DataPageHeader.Valid = true
	p.header.DataPageHeader.V = format.DataPageHeader{NumValues: pageValues, Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
	return p
}

// refusedCheaply fails unless a page is rejected with little memory.
func refusedCheaply(t *testing.T, what string, p hostilePage) {
	t.Helper()
	const most = 16 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := p.check(t)
	runtime.ReadMemStats(&after)
	if _, limited := errors.AsType[*parquetcheck.LimitError](err); !limited && !errors.Is(err, parquetcheck.ErrDamaged) {
		t.Errorf("%s: %v", what, err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
		t.Errorf("%s: %d bytes", what, taken)
	}
}

// TestPagesThatUnpackToMore: a page that decompresses to more than it declares is rejected before
// the library allocates memory for it.
func TestPagesThatUnpackToMore(t *testing.T) {
	large := make([]byte, 50<<20)
	for _, codec := range codecs()[1:] {
		packed, err := codec.Encode(nil, large)
		if err != nil {
			t.Fatal(err)
		}
		refusedCheaply(t, codec.String(), plainPage(codec.CompressionCodec(), format.Plain, 1000, packed))
		refusedCheaply(t, codec.String()+", damaged", plainPage(codec.CompressionCodec(), format.Plain, 1000, bytes.Repeat([]byte{0xff}, 100)))
		sound, err := codec.Encode(nil, large[:1000])
		if err != nil {
			t.Fatal(err)
		}
		if err := plainPage(codec.CompressionCodec(), format.Plain, 1000, sound).check(t); err != nil {
			t.Errorf("%s: %v", codec, err)
		}
	}
	declares := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0} // a zstd frame of 32 GB
	refusedCheaply(t, "zstd of 32 GB", plainPage(format.Zstd, format.Plain, 1000, declares))
	refusedCheaply(t, "snappy of 4 GB", plainPage(format.Snappy, format.Plain, 1000, []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}))
}

// run returns a run of one byte with the given number of values.
func run(values uint64) []byte { return append(binary.AppendUvarint(nil, values<<1), 1) }

// groups returns the header of n bit-packed groups of eight values.
func groups(n uint64) []byte { return binary.AppendUvarint(nil, n<<1|1) }

// sized returns data with their length in front.
func sized(data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), data...)
}

// differences returns the header of delta-encoded numbers.
func differences(values uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), values)
}

// TestPagesWithMoreValues: a page is rejected if its runs and counts declare more values than the
// page.
func TestPagesWithMoreValues(t *testing.T) {
	const many = 1 << 30
	levels := func(p hostilePage) hostilePage { p.column.Definition = 1; return p }
	lists := func(p hostilePage) hostilePage { p.column.Repetition = 1; return p }
	truths := func(p hostilePage) hostilePage { p.column.Kind = parquet.Boolean; return p }
	second := func(p hostilePage) hostilePage {
		p.column.Definition = 1
		p.header.Type = format.DataPageV2
		p.header.DataPageHeader.V.NumValues, p.header.DataPageHeader.Valid = 0, false
		p.header.DataPageHeaderV2.Valid = true
		p.header.DataPageHeaderV2.V = format.DataPageHeaderV2{NumValues: pageValues, DefinitionLevelsByteLength: int32(len(p.body))}
		return p
	}
	plain := func(encoding format.Encoding, body ...[]byte) hostilePage {
		all := bytes.Join(body, nil)
		return plainPage(format.Uncompressed, encoding, len(all), all)
	}
	width := []byte{8}
	for what, p := range map[string]hostilePage{
		"indices":          plain(format.RLEDictionary, width, run(many)),
		"indices, old":     plain(format.PlainDictionary, width, run(many)), //nolint:staticcheck // older writers use it
		"indices, no bits": plain(format.RLEDictionary, []byte{0}, bytes.Repeat(run(many)[:5], 100)),
		"indices, in turn": plain(format.RLEDictionary, width, bytes.Repeat(run(pageValues), 1000)),
		"indices, packed":  plain(format.RLEDictionary, width, groups(many)),
		"overflow":         plain(format.RLEDictionary, width, bytes.Repeat([]byte{0xff}, 20)),
		"levels":           levels(plain(format.Plain, sized(run(many)))),
		"levels, packed":   levels(plain(format.Plain, sized(groups(many)))),
		"levels, beyond":   levels(plain(format.Plain, []byte{0xff, 0xff, 0xff, 0x7f})),
		"lists":            lists(plain(format.Plain, sized(run(many)))),
		"levels, new form": second(plain(format.Plain, run(many))),
		"truths":           truths(plain(format.RLE, sized(run(many)))),
		"differences":      plain(format.DeltaBinaryPacked, differences(many)),
		"lengths":          plain(format.DeltaLengthByteArray, differences(many)),
		"prefixes":         plain(format.DeltaByteArray, differences(many)),
	} {
		refusedCheaply(t, what, p)
	}
	for what, p := range map[string]hostilePage{
		"indices":        plain(format.RLEDictionary, width, run(pageValues)),
		"a last group":   plain(format.RLEDictionary, width, groups(13), make([]byte, 13*8)),
		"levels":         levels(plain(format.Plain, sized(run(pageValues)))),
		"truths":         truths(plain(format.RLE, sized(run(pageValues)))),
		"differences":    plain(format.DeltaBinaryPacked, differences(pageValues)),
		"no value":       plain(format.DeltaBinaryPacked),
		"no index":       plain(format.RLEDictionary),
		"levels, packed": levels(plain(format.Plain, sized(append(groups(13), make([]byte, 13)...)))),
	} {
		if err := p.check(t); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSharedPrefixes: strings with shared prefixes are rejected if they are short in the page, but
// long in memory.
func TestSharedPrefixes(t *testing.T) {
	type row struct {
		Near string `parquet:"near,delta"`
	}
	write := func(length int) []byte {
		rows := make([]row, 1000)
		for i := range rows {
			rows[i].Near = strings.Repeat("x", length)
		}
		var file bytes.Buffer
		if err := parquet.Write(&file, rows, parquet.PageBufferSize(16<<20)); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	if err := checkFile(write(900), wide()); err != nil {
		t.Error(err)
	}
	if err := checkFile(write(2000), wide()); err == nil || err.Error() != "near: a page of the Parquet file is larger than 1 MB; write it with smaller pages or row groups" {
		t.Error(err)
	}
}

// TestFooterLimits: a footer that would need much memory is not decoded.
func TestFooterLimits(t *testing.T) {
	structs := func(n int) string {
		list := binary.AppendUvarint([]byte{0x19, 0xfc}, uint64(n)) // a list of structs
		return described(string(list) + strings.Repeat("\x00", n+1))
	}
	numbers := func(n int) string {
		list := binary.AppendUvarint([]byte{0x19, 0xf5}, uint64(n))
		return described(string(list) + strings.Repeat("\x00", n+1))
	}
	for want, content := range map[string]string{
		"the footer of the Parquet file is larger than 1 MB":                         structs(1 << 20),
		"the Parquet file has too many columns and row groups; write it with fewer":  structs(1001),
		"the Parquet file has too many columns and row groups; write it with fewer ": numbers(16_001),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := parquetcheck.Open(strings.NewReader(content), int64(len(content)), wide())
		runtime.ReadMemStats(&after)
		if err == nil || err.Error() != strings.TrimSpace(want) {
			t.Errorf("%v, want %s", err, want)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 4<<20 {
			t.Errorf("%d bytes", taken)
		}
	}
	for _, content := range []string{structs(1000), numbers(16_000)} {
		if _, err := parquetcheck.Open(strings.NewReader(content), int64(len(content)), wide()); !errors.Is(err, parquetcheck.ErrDamaged) {
			t.Error(err)
		}
	}
}
