package read

import (
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// maxDecimalBytes is how long the bytes of a decimal may be.
const maxDecimalBytes = 64

// meaning returns what the file says the values of a type mean, nil where it says nothing.
func meaning(t parquet.Type) any {
	if logical := t.LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

// isNumeric reports whether values are numbers.
func isNumeric(t parquet.Type) bool {
	number := slices.Contains([]parquet.Kind{parquet.Int32, parquet.Int64, parquet.Float, parquet.Double}, t.Kind())
	switch meaning(t).(type) {
	case nil, *format.IntType:
		return number
	case *format.DecimalType:
		return number || t.Kind() == parquet.ByteArray || t.Kind() == parquet.FixedLenByteArray && t.Length() <= maxDecimalBytes
	default:
		return false
	}
}

// isText reports whether values are texts, true and false among them.
func isText(t parquet.Type) bool {
	if t.Kind() == parquet.Boolean {
		return true
	}
	switch meaning(t).(type) {
	case nil, *format.StringType, *format.EnumType, *format.JsonType:
		return t.Kind() == parquet.ByteArray
	default:
		return false
	}
}
