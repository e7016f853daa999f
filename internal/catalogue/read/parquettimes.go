package read

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

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

// times converts dates and times to text in ISO 8601. Times of day have no zone.
func times(t parquet.Type) converter {
	const secondsPerDay = 24 * 60 * 60
	switch m := meaning(t).(type) {
	case *format.DateType:
		return converter{text: func(v parquet.Value) string {
			return time.Unix(int64(v.Int32())*secondsPerDay, 0).UTC().Format(time.DateOnly)
		}}
	case *format.TimeType:
		unit := unitOf(m.Unit)
		return converter{text: func(v parquet.Value) string {
			count := v.Int64()
			if t.Kind() == parquet.Int32 {
				count = int64(v.Int32())
			}
			return time.Unix(0, 0).UTC().Add(time.Duration(count) * unit).Format("15:04:05.999999999")
		}}
	case *format.TimestampType:
		perSecond := int64(time.Second / unitOf(m.Unit))
		return converter{text: func(v parquet.Value) string {
			count := v.Int64()
			return time.Unix(count/perSecond, count%perSecond*int64(unitOf(m.Unit))).UTC().Format(isoTime)
		}}
	default:
		return converter{text: func(v parquet.Value) string {
			const epoch = 2_440_588 // the Julian day of 1 January 1970
			parts := v.Int96()      // nanoseconds of the day in two words, and the Julian day
			nanoseconds := int64(parts[1])<<32 | int64(parts[0])
			return time.Unix((int64(parts[2])-epoch)*secondsPerDay, nanoseconds).UTC().Format(isoTime)
		}}
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

// maxDecimalBytes is how long the bytes of a decimal may be.
const maxDecimalBytes = 64

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
		return pointed(x, scale)
	}
	return converter{text: text, number: func(v parquet.Value) float64 {
		x, _ := strconv.ParseFloat(text(v), 64) // it is a number
		return x
	}}
}

// pointed returns an integer with a point before its last digits.
func pointed(x *big.Int, scale int) string {
	const maxScale = 200
	if scale <= 0 || scale > maxScale {
		return x.String()
	}
	digits := new(big.Int).Abs(x).String()
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	sign := ""
	if x.Sign() < 0 {
		sign = "-"
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
