package read

import (
	"math"
	"math/big"
	"strconv"
	"strings"

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
	unsigned := false
	switch m := meaning(t).(type) {
	case *format.DecimalType:
		if isNumeric(t) {
			return decimals(t.Kind(), int(m.Scale))
		}
	case *format.DateType, *format.TimeType, *format.TimestampType:
		return converter{text: timeText(t)}
	case *format.IntType:
		unsigned = !m.IsSigned
	}
	switch kind := t.Kind(); {
	case kind == parquet.Int32 && unsigned:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Uint32()) },
			text:   func(v parquet.Value) string { return strconv.FormatUint(uint64(v.Uint32()), 10) },
		}
	case kind == parquet.Int64 && unsigned:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Uint64()) },
			text:   func(v parquet.Value) string { return strconv.FormatUint(v.Uint64(), 10) },
		}
	case kind == parquet.Int32:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Int32()) },
			text:   func(v parquet.Value) string { return strconv.Itoa(int(v.Int32())) },
		}
	case kind == parquet.Int64:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Int64()) },
			text:   func(v parquet.Value) string { return strconv.FormatInt(v.Int64(), 10) },
		}
	case kind == parquet.Float:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Float()) },
			text:   func(v parquet.Value) string { return catalogue.Shortest(float64(v.Float()), 32) },
			single: true,
		}
	case kind == parquet.Double:
		return converter{
			number: parquet.Value.Double,
			text:   func(v parquet.Value) string { return catalogue.Shortest(v.Double(), 64) },
		}
	case kind == parquet.Int96:
		return converter{text: timeText(t)}
	case kind == parquet.Boolean:
		return converter{text: func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }}
	case kind == parquet.ByteArray:
		return converter{text: func(v parquet.Value) string { return string(v.ByteArray()) }}
	default:
		return converter{text: parquet.Value.String}
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
