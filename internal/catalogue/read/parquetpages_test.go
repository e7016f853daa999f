package read_test

import (
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
)

// tampered returns a Parquet file of one column of texts after a change to what it says of
// itself and of its first page, which has the levels.
func tampered(t *testing.T, change func(file *format.FileMetaData, page *format.PageHeader)) string {
	t.Helper()
	type row struct {
		ID string `parquet:"id,dict"`
	}
	whole := cataloguetest.ParquetFile(t, []row{{"a"}, {"b"}, {"c"}})
	file, err := parquet.OpenFile(strings.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	description := file.Metadata()
	var protocol thrift.CompactProtocol
	var page format.PageHeader
	body := whole[len("PAR1"):]
	header := protocol.NewReaderFromBytes([]byte(body))
	if err := thrift.NewDecoder(header).Decode(&page); err != nil {
		t.Fatal(err)
	}
	change(description, &page)
	start, err := thrift.Marshal(&protocol, page)
	if err != nil {
		t.Fatal(err)
	}
	chunk := &description.RowGroups[0].Columns[0].MetaData
	pages := body[header.BytesRead():chunk.TotalCompressedSize]
	more := int64(len(start) - header.BytesRead())
	chunk.TotalCompressedSize += more
	chunk.DataPageOffset += more
	end, err := thrift.Marshal(&protocol, *description)
	if err != nil {
		t.Fatal(err)
	}
	end = binary.LittleEndian.AppendUint32(end, uint32(len(end)))
	return "PAR1" + string(start) + pages + string(end) + "PAR1"
}

// TestTamperedPages: what a file says about its size is not believed.
func TestTamperedPages(t *testing.T) {
	type metadata = format.FileMetaData
	type header = format.PageHeader
	const huge, most = 1 << 31, 64 << 20
	whole := tampered(t, func(*metadata, *header) {})
	if got := recognised(t, "a.parquet", whole, nil); got != "id id" {
		t.Fatal(got)
	}
	refused(t, "a.parquet", tampered(t, func(_ *metadata, page *header) { page.UncompressedPageSize = huge - 1 }), catalogue.Options{},
		"a.parquet: a page of the Parquet file is larger than 256 MB; write it with smaller pages or row groups")
	for name, change := range map[string]func(*metadata, *header){
		"a packed page": func(_ *metadata, page *header) { page.CompressedPageSize = -1 },
		"levels":        func(_ *metadata, page *header) { page.DictionaryPageHeader.V.NumValues = huge - 1 },
		"values":        func(file *metadata, _ *header) { file.RowGroups[0].Columns[0].MetaData.NumValues++ },
		"all rows":      func(file *metadata, _ *header) { file.NumRows = huge },
	} {
		var before, after runtime.MemStats
		content := tampered(t, change)
		runtime.ReadMemStats(&before)
		refused(t, "a.parquet", content, catalogue.Options{}, "a.parquet: the Parquet file is damaged")
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
			t.Errorf("%s: %d bytes for %d", name, taken, len(content))
		}
	}
}
