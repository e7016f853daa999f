package read

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"bestpick/internal/table"
)

// An npyHeader says what a .npy holds: a matrix of a type.
type npyHeader struct {
	descr         string // the type, as NumPy writes it
	size          int    // of a number, in bytes
	rows, columns int
	fortran       bool // column by column
	length        int64

	// number is the first of a block as it is in the file.
	number func(block []byte) float64
}

// readNPYHeader reads the start of a .npy, of version 1 to 3: the magic, the version, the
// length of a dictionary as Python writes it, and the dictionary.
func readNPYHeader(source io.Reader, file string) (*npyHeader, error) {
	refuse := func(format string, arguments ...any) error {
		return &table.Error{File: file, Problem: table.Problemf("npy", format, arguments...)}
	}
	start := make([]byte, len(table.NPYMagic)+2)
	if _, err := io.ReadFull(source, start); err != nil || string(start[:len(table.NPYMagic)]) != table.NPYMagic {
		return nil, refuse("this is not a .npy of NumPy")
	}
	lengthSize := 4
	switch version := start[len(table.NPYMagic)]; version {
	case 1:
		lengthSize = 2
	case 2, 3:
	default:
		return nil, refuse("version %d of the format is not known; there are 1 to 3", version)
	}
	lengthBytes := make([]byte, 4)
	if _, err := io.ReadFull(source, lengthBytes[:lengthSize]); err != nil {
		return nil, refuse("the header ends too early")
	}
	const maxHeaderBytes = 1 << 16
	length := binary.LittleEndian.Uint32(lengthBytes)
	if length > maxHeaderBytes {
		return nil, refuse("the header cannot be %d bytes long", length)
	}
	dictionary := make([]byte, length)
	if _, err := io.ReadFull(source, dictionary); err != nil {
		return nil, refuse("the header ends too early")
	}
	h := &npyHeader{length: int64(len(start)+lengthSize) + int64(length)}
	if problem := h.parse(string(dictionary)); problem != "" {
		return nil, refuse("%s", problem)
	}
	return h, nil
}

// parse reads the dictionary. It returns what is wrong with it, if anything is.
func (h *npyHeader) parse(dictionary string) string {
	descr, found := entry(dictionary, "descr")
	if !found {
		return "the header does not say what type the numbers have"
	}
	quoted := strings.FieldsFunc(descr, func(c rune) bool { return c == '\'' || c == '"' })
	if strings.HasPrefix(descr, "[") || len(quoted) == 0 {
		return "the matrix has fields; it must be of plain numbers"
	}
	h.descr = quoted[0]
	if h.number = numberOf(h.descr); h.number == nil {
		return fmt.Sprintf("the type is %q; it must be a float (f2, f4, f8) or an integer", h.descr)
	}
	h.size = int(h.descr[2] - '0')
	order, found := entry(dictionary, "fortran_order")
	h.fortran = strings.HasPrefix(order, "True")
	if !found || !h.fortran && !strings.HasPrefix(order, "False") {
		return "the header does not say whether it is in Fortran's order"
	}
	shape, found := entry(dictionary, "shape")
	inside, _, closed := strings.Cut(strings.TrimPrefix(shape, "("), ")")
	if !found || !closed || !strings.HasPrefix(shape, "(") {
		return "the header does not say what shape the matrix has"
	}
	return h.parseShape(inside)
}

func (h *npyHeader) parseShape(inside string) string {
	const maxNumbers = 1 << 40
	var sizes []int
	for text := range strings.SplitSeq(inside, ",") {
		text = strings.TrimSuffix(strings.TrimSpace(text), "L")
		if text == "" {
			continue
		}
		size, err := strconv.Atoi(text)
		if err != nil || size < 0 {
			return fmt.Sprintf("the shape (%s) is none", inside)
		}
		sizes = append(sizes, size)
	}
	if len(sizes) != 2 {
		return fmt.Sprintf("the shape is (%s); it must be (arms, numbers)", inside)
	}
	h.rows, h.columns = sizes[0], sizes[1]
	switch {
	case h.rows == 0 || h.columns == 0:
		return fmt.Sprintf("the shape (%s) is empty", inside)
	case h.rows > maxNumbers/h.columns:
		return fmt.Sprintf("the shape (%s) is too large", inside)
	}
	return ""
}

// limitProblem returns which limit the matrix exceeds, if any.
func (h *npyHeader) limitProblem(limits table.Limits) table.Problem {
	if problem := limits.RowsProblem(int64(h.rows)); problem.Exists() {
		return problem
	}
	const size = 4 // bytes of a number in memory
	if limits.Bytes > 0 && int64(h.rows) > limits.Bytes/size/int64(h.columns) {
		return table.Problemf("memory-numbers", "%s × %s numbers take more than %s in memory",
			table.Grouped(h.rows), table.Grouped(h.columns), table.Size(limits.Bytes))
	}
	return table.Problem{}
}

// entry returns what follows a key of a dictionary.
func entry(dictionary, key string) (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if _, value, found := strings.Cut(dictionary, quote+key+quote); found {
			value, colon := strings.CutPrefix(strings.TrimSpace(value), ":")
			return strings.TrimSpace(value), colon
		}
	}
	return "", false
}

// numberOf returns how to read a number of a type, nil for types that are not plain numbers.
func numberOf(descr string) func([]byte) float64 {
	if len(descr) != 3 || strings.IndexByte("<>=|", descr[0]) < 0 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	return map[string]func([]byte) float64{
		"f2": func(b []byte) float64 { return half(order.Uint16(b)) },
		"f4": func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) },
		"f8": func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) },
		"i1": func(b []byte) float64 { return float64(int8(b[0])) },
		"i2": func(b []byte) float64 { return float64(int16(order.Uint16(b))) },
		"i4": func(b []byte) float64 { return float64(int32(order.Uint32(b))) },
		"i8": func(b []byte) float64 { return float64(int64(order.Uint64(b))) },
		"u1": func(b []byte) float64 { return float64(b[0]) },
		"u2": func(b []byte) float64 { return float64(order.Uint16(b)) },
		"u4": func(b []byte) float64 { return float64(order.Uint32(b)) },
		"u8": func(b []byte) float64 { return float64(order.Uint64(b)) },
	}[descr[1:]]
}

// half returns the number that 16 bits are: a sign, 5 bits of exponent e and 10 of mantissa
// m, ±2ᵉ⁻¹⁵(1 + m/2¹⁰), where e = 0 means ±2⁻¹⁴·m/2¹⁰ and e = 31 what is not finite.
func half(bits uint16) float64 {
	exponent, mantissa := int(bits>>10&0x1f), float64(bits&0x3ff)/(1<<10)
	var x float64
	switch exponent {
	case 0:
		x = math.Ldexp(mantissa, -14)
	case 0x1f:
		x = math.Inf(1)
		if mantissa > 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(1+mantissa, exponent-15)
	}
	if bits>>15 == 1 {
		x = -x
	}
	return x
}
