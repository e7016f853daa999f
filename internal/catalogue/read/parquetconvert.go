package read

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"bestpick/internal/catalogue"
)

// A converter turns values of one type into numbers, if they are, and texts.
type converter struct {
	number func(parquet.Value) float64
	text   func(parquet.Value) string
	single bool // the numbers have 32 bits
}

func converterOf(t parquet.Type) converter {
	convert := converter{text: parquet.Value.String}
	switch m := meaning(t).(type) {
	case *format.DecimalType:
		if isNumeric(t) {
			return decimals(t.Kind(), int(m.Scale))
		}
	case *format.DateType, *format.TimeType, *format.TimestampType:
		return converter{text: timeText(t)}
	case *format.IntType:
		if !m.IsSigned {
			return unsigned(t.Kind())
		}
	}
	switch t.Kind() {
	case parquet.Int32:
		convert.number = func(v parquet.Value) float64 { return float64(v.Int32()) }
	case parquet.Int64:
		convert.number = func(v parquet.Value) float64 { return float64(v.Int64()) }
	case parquet.Float:
		convert.single = true
		convert.number = func(v parquet.Value) float64 { return float64(v.Float()) }
		convert.text = func(v parquet.Value) string { return catalogue.Shortest(float64(v.Float()), 32) }
	case parquet.Double:
		convert.number = parquet.Value.Double
		convert.text = func(v parquet.Value) string { return catalogue.Shortest(v.Double(), 64) }
	case parquet.Int96:
		convert.text = timeText(t)
	case parquet.Boolean, parquet.ByteArray, parquet.FixedLenByteArray:
	}
	return convert
}

// unsigned converts integers that have no sign.
func unsigned(kind parquet.Kind) converter {
	integer := parquet.Value.Uint64
	if kind == parquet.Int32 {
		integer = func(v parquet.Value) uint64 { return uint64(v.Uint32()) }
	}
	return converter{
		number: func(v parquet.Value) float64 { return float64(integer(v)) },
		text:   func(v parquet.Value) string { return strconv.FormatUint(integer(v), 10) },
	}
}

// decimals converts integers that count fractions 10⁻ˢ, where s is the scale.
func decimals(kind parquet.Kind, scale int) converter {
	if kind == parquet.ByteArray || kind == parquet.FixedLenByteArray {
		return bigDecimals(scale)
	}
	unscaled := func(v parquet.Value) float64 {
		if kind == parquet.Int32 {
			return float64(v.Int32())
		}
		return float64(v.Int64())
	}
	number := func(v parquet.Value) float64 { return unscaled(v) / math.Pow10(scale) }
	return converter{number: number, text: func(v parquet.Value) string { return catalogue.Shortest(number(v), 64) }}
}

// bigDecimals converts decimals that are stored as bytes: integers in two's complement, the highest byte
// first, that count fractions 10⁻ˢ, where s is the scale.
func bigDecimals(scale int) converter {
	text := func(v parquet.Value) string {
		bytes := v.ByteArray()
		if len(bytes) > maxDecimalBytes {
			return ""
		}
		x := new(big.Int).SetBytes(bytes)
		if len(bytes) > 0 && bytes[0]>>7 == 1 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
		}
		if scale <= 0 || scale > maxScale {
			return x.String()
		}
		return new(big.Rat).SetFrac(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
	}
	return converter{text: text, number: func(v parquet.Value) float64 {
		x, _ := strconv.ParseFloat(text(v), 64) // it is a number
		return x
	}}
}

// The limits of decimals that are stored as bytes.
const (
	maxDecimalBytes = 64
	maxScale        = 200
)

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

// isTime reports whether values are dates or times.
func isTime(t parquet.Type) bool {
	switch meaning(t).(type) {
	case *format.DateType, *format.TimeType, *format.TimestampType:
		return t.Kind() == parquet.Int32 || t.Kind() == parquet.Int64
	default:
		return t.Kind() == parquet.Int96
	}
}

// isoTime is how a date with a time of day is written: in ISO 8601, without the fraction if it is zero.
const isoTime = "2006-01-02T15:04:05.999999999"

// timeText returns a function that writes dates and times of a type in ISO 8601. Times of day have
// no zone.
func timeText(t parquet.Type) func(parquet.Value) string {
	const secondsPerDay = 24 * 60 * 60
	switch m := meaning(t).(type) {
	case *format.DateType:
		return func(v parquet.Value) string {
			return time.Unix(int64(v.Int32())*secondsPerDay, 0).UTC().Format(time.DateOnly)
		}
	case *format.TimeType:
		unit := unitOf(m.Unit)
		return func(v parquet.Value) string {
			count := v.Int64()
			if t.Kind() == parquet.Int32 {
				count = int64(v.Int32())
			}
			return time.Unix(0, 0).UTC().Add(time.Duration(count) * unit).Format("15:04:05.999999999")
		}
	case *format.TimestampType:
		perSecond := int64(time.Second / unitOf(m.Unit))
		return func(v parquet.Value) string {
			count := v.Int64()
			return time.Unix(count/perSecond, count%perSecond*int64(unitOf(m.Unit))).UTC().Format(isoTime)
		}
	default:
		return func(v parquet.Value) string {
			const epoch = 2_440_588 // the Julian day of 1 January 1970
			parts := v.Int96()      // nanoseconds of the day in two words, and the Julian day
			nanoseconds := int64(parts[1])<<32 | int64(parts[0])
			return time.Unix((int64(parts[2])-epoch)*secondsPerDay, nanoseconds).UTC().Format(isoTime)
		}
	}
}

// unitOf returns the unit that times are counted in.
func unitOf(unit format.TimeUnit) time.Duration {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	default:
		return time.Nanosecond
	}
}
