package hostile

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
)

// file is one that a field takes, in which something may be wrong.
func (m *maker) file(field string) File {
	files := m.world.Files[field]
	if len(files) == 0 {
		return File{Name: "nothing.csv"}
	}
	f := choose(m.dice, files)
	if m.odd(3) {
		f.Contents = m.damagedFile(f.Contents)
	}
	if m.odd(8) {
		f.Contents = m.packed(f.Contents)
	}
	if m.odd(8) {
		f.Name = m.oddName(f.Name)
	}
	return f
}

func (m *maker) damagedFile(contents string) string {
	switch m.dice.below(6) {
	case 0, 1:
		return m.damagedBytes(contents)
	case 2:
		return m.swapped(contents)
	case 3:
		return m.grown(contents)
	case 4:
		return contents[len(contents)/2:] + contents[:len(contents)/2]
	}
	return m.damagedText(contents)
}

// swapped has something odd in the place of a word.
func (m *maker) swapped(contents string) string {
	words := strings.FieldsFunc(contents, func(r rune) bool { return strings.ContainsRune(",;\n\t[]{}:\" ", r) })
	if len(words) == 0 {
		return contents
	}
	return strings.Replace(contents, choose(m.dice, words), choose(m.dice, slices.Concat(m.texts, m.numbers)), 1+m.dice.below(3))
}

// grown has far more of something.
func (m *maker) grown(contents string) string {
	const times = 20_000
	line, _, _ := strings.Cut(contents, "\n")
	return choose(m.dice, []string{
		contents + strings.Repeat("\n", times),
		contents + strings.Repeat(",", times),
		contents + `"` + strings.Repeat("quoted\n", times),
		line + strings.Repeat(",again", times) + strings.TrimPrefix(contents, line),
		contents + strings.Repeat(line+"\n", times/10),
		strings.Repeat("[", times) + contents,
		"a: &a [x, y]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n" + contents,
		"? " + strings.Repeat("- ", times/10) + "\n" + contents,
	})
}

// packed is a file that is packed, wrongly perhaps.
func (m *maker) packed(contents string) string {
	once := Packed(contents)
	switch m.dice.below(5) {
	case 0:
		return once
	case 1:
		return once[:m.dice.below(len(once))]
	case 2:
		return m.damagedBytes(once)
	case 3:
		return Packed(once)
	}
	return Bomb(contents, 1<<28)
}

// Packed is a text packed with gzip.
func Packed(text string) string {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, _ = writer.Write([]byte(text)) // to memory
	_ = writer.Close()                // as above
	return out.String()
}

// Bomb is a small file that unpacks to a text and then at least so many bytes of more lines like its last.
func Bomb(text string, size int) string {
	line := text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
	if line == "" {
		line = "\n"
	}
	block := strings.Repeat(line, 1+(1<<20)/len(line))
	return Packed(text) + strings.Repeat(Packed(block), size/len(block)+1)
}

// oddName is another name for a file.
func (m *maker) oddName(name string) string {
	return choose(m.dice, m.or(
		name+".gz", ".csv", "a.parquet", "a.npz", "a.npy", "a.yaml", "a.jsonl", "a.json", "a.csv", "a.xlsx", "a", "/etc/passwd", "a.csv\x00.npz", name[:len(name)/2],
	))
}
