package catalogue

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"bestpick/internal/table"
)

// writing is the notation of the numbers of a column in its file, so that they can be shown as
// written: 12.50, not 12.5. A byte each is enough for nearly all of them; the others are kept as
// texts. Without any forms, all are as short as possible.
type writing struct {
	forms []uint8
	odd   []oddText // in the order of rows
	gaps  bool      // some of the numbers with forms may be NaN
}

// An oddText is the text of a row in an unusual notation, such as +5 or 007.
type oddText struct {
	row  int32
	text string
}

// The forms of numbers. Others are the number of decimals.
const (
	singleForm = 253 // as short as possible for a number of 32 bits
	shortForm  = 254 // the same, for one of 64 bits
	oddForm    = 255
)

// add appends the notation of a number.
func (w *writing) add(text []byte, x float64) {
	form := formOf(text, x)
	if form == oddForm {
		w.odd = append(w.odd, oddText{int32(len(w.forms)), string(text)})
	}
	w.forms = append(w.forms, form)
	w.gaps = w.gaps || math.IsNaN(x)
}

// addAll appends the notation of other numbers, with capacity for more if it must grow.
func (w *writing) addAll(others *writing, room int) {
	for _, o := range others.odd {
		w.odd = append(w.odd, oddText{o.row + int32(len(w.forms)), o.text})
	}
	w.forms = appendWithRoom(w.forms, others.forms, room)
	w.gaps = w.gaps || others.gaps
}

// reset removes all numbers and keeps the capacity.
func (w *writing) reset(room int) {
	w.forms = slices.Grow(w.forms[:0], room)
	w.odd = w.odd[:0]
	w.gaps = false
}

// first returns the notation of the first numbers.
func (w *writing) first(n int) writing {
	if w.forms == nil {
		return writing{}
	}
	odd := sort.Search(len(w.odd), func(i int) bool { return int(w.odd[i].row) >= n })
	return writing{w.forms[:n:n], w.odd[:odd:odd], w.gaps}
}

// text returns the number of a row as written.
func (w *writing) text(row int, x float64) string {
	form := uint8(shortForm)
	if w.forms != nil {
		form = w.forms[row]
	}
	switch {
	case form == oddForm:
		at := sort.Search(len(w.odd), func(i int) bool { return int(w.odd[i].row) >= row })
		return w.odd[at].text
	case math.IsNaN(x):
		return ""
	case form == singleForm:
		return Shortest(x, 32)
	case form == shortForm:
		return Shortest(x, 64)
	}
	return strconv.FormatFloat(x, 'f', int(form), 64)
}

// formOf returns the form of a number that is written as text.
func formOf(text []byte, x float64) uint8 {
	if _, decimals, plain := table.PlainDecimal(text); plain {
		return uint8(decimals)
	}
	if Shortest(x, 64) == string(text) {
		return shortForm
	}
	return oddForm
}

// Shortest returns the shortest text of a number with this many bits.
func Shortest(x float64, bits int) string {
	const large, small = 1e21, 1e-6 // beyond, zeros would be longer than an exponent
	format := byte('f')
	if size := max(x, -x); size >= large || size < small && size > 0 {
		format = 'e'
	}
	return strconv.FormatFloat(x, format, -1, bits)
}

// appendWithRoom appends values, with capacity for room more if it must grow.
func appendWithRoom[T any](values, more []T, room int) []T {
	if cap(values)-len(values) < len(more) {
		values = slices.Grow(values, room)
	}
	return append(values, more...)
}
