package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// fewestJoined is how many numbered columns are taken for a vector.
const fewestJoined = 8

// A series is number columns that are one vector: e1, e2, …, or e_0, e_1, ….
type series struct {
	name    string
	members []int // the columns, in the order of their numbers
}

// seriesAmong finds the vectors that may be spread over columns: at least eight number columns
// with one name and consecutive numbers from 0 or 1, or fewer if the user says it is an
// embedding. Only columns whose kind is left open can be members.
func seriesAmong(names []string, open func(column int) bool, options catalogue.Options) []series {
	type member struct{ column, number int }
	var order []string
	members := map[string][]member{}
	for i, name := range names {
		prefix, number, numbered := catalogue.NumberedName(name)
		if !numbered || !open(i) {
			continue
		}
		if members[prefix] == nil {
			order = append(order, prefix)
		}
		members[prefix] = append(members[prefix], member{column: i, number: number})
	}
	var found []series
	for _, prefix := range order {
		all := members[prefix]
		slices.SortFunc(all, func(a, b member) int { return cmp.Compare(a.number, b.number) })
		consecutive := all[0].number <= 1 && all[len(all)-1].number == all[0].number+len(all)-1
		s := series{name: prefix}
		for i, m := range all {
			consecutive = consecutive && m.number == all[0].number+i
			s.members = append(s.members, m.column)
		}
		if consecutive && (len(all) >= fewestJoined || options.Kinds[prefix] == catalogue.Embedding) {
			found = append(found, s)
		}
	}
	return found
}

// memberName returns the name of a number of a vector, counting from 0, where the file has
// none for it.
func memberName(name string, i int) string { return fmt.Sprintf("%s%d", name, i+1) }

// join makes vectors of the number columns that are spread over several.
func (d *draft) join(kinds []catalogue.Kind, options catalogue.Options) {
	open := func(i int) bool { return d.Columns[i].Kind == catalogue.Number && kinds[i] == catalogue.Unknown }
	gone := map[int]bool{}
	for _, s := range seriesAmong(d.Names(), open, options) {
		width := len(s.members)
		if options.Kinds[s.name] != catalogue.Embedding && !d.noteSeries(s) {
			continue
		}
		vectors := make([]float32, len(d.Columns[s.members[0]].Numbers)*width)
		for i, member := range s.members {
			for row, x := range d.Columns[member].Numbers {
				vectors[row*width+i] = d.single(row, d.Columns[member].Name, x)
			}
			d.Columns[member].Numbers = nil
			gone[member] = true
		}
		first := slices.Min(s.members)
		d.Columns[first] = catalogue.Column{Name: s.name, Kind: catalogue.Embedding, Vectors: vectors, Width: width}
		delete(gone, first)
	}
	kept := d.Columns[:0]
	for i, c := range d.Columns {
		if !gone[i] {
			kept = append(kept, c)
		}
	}
	d.Columns = kept
}

// noteSeries reports whether a series is a vector, and notes the decision.
func (d *draft) noteSeries(s series) bool {
	names := fmt.Sprintf("%s … %s", d.Columns[s.members[0]].Name, d.Columns[s.members[len(s.members)-1]].Name)
	if looksLikeEmbedding(s.name, d.Columns, s.members) {
		d.Notes = append(d.Notes, catalogue.Note{
			Column: s.name, Problem: table.Problemf("one-embedding", "%s are one embedding", names),
			Remedy: catalogue.Remedy{Column: s.name, As: catalogue.Number},
		})
		return true
	}
	d.Notes = append(d.Notes, catalogue.Note{
		Column: s.name, Problem: table.Problemf("no-embedding", "%s are %d numbers, not an embedding", names, len(s.members)),
		Remedy: catalogue.Remedy{Column: s.name, As: catalogue.Embedding},
	})
	return false
}

// looksLikeEmbedding reports whether number columns with one name are a vector: by the name, because
// there are very many, or because their values are mostly fractions of both signs.
func looksLikeEmbedding(name string, columns []catalogue.Column, members []int) bool {
	const many = 64
	short := strings.ToLower(strings.TrimRight(name, "_"))
	if len(members) >= many || slices.Contains([]string{
		"e", "v", "emb", "embedding", "vec", "vector", "dim", "pc",
		"component", "latent",
	}, short) {
		return true
	}
	var values, fractions, negative, positive int
	for _, m := range members {
		for _, x := range columns[m].Numbers {
			values++
			if x != math.Trunc(x) {
				fractions++
			}
			if x < 0 {
				negative++
			} else {
				positive++
			}
		}
	}
	return 2*fractions > values && 10*negative > values && 10*positive > values
}

// split makes number columns of a vector.
func split(c *catalogue.Column) []catalogue.Column {
	columns := make([]catalogue.Column, c.Width)
	rows := len(c.Vectors) / c.Width
	for i := range columns {
		numbers := make([]float64, rows)
		for row := range numbers {
			numbers[row] = float64(c.Vectors[row*c.Width+i])
		}
		columns[i] = catalogue.Column{Name: memberName(c.Name, i), Kind: catalogue.Number, Numbers: numbers}
	}
	return columns
}

// single returns a number as vectors hold it.
func (d *draft) single(row int, column string, x float64) float32 {
	y := float32(x)
	switch {
	case math.IsNaN(x):
		d.problem(row, column, table.NoValue(""))
	case math.IsInf(float64(y), 0):
		d.problem(row, column, table.Problemf("large-number", "%v is too large for an embedding", x))
	}
	return y
}
