package recorded

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/table"
)

// isPrefLib reports whether a file is one of PrefLib: orders, complete or not, with ties or without.
func isPrefLib(name string, start []byte) bool {
	return slices.Contains([]string{".soc", ".soi", ".toc", ".toi"}, table.Ending(name)) ||
		bytes.HasPrefix(start, []byte("# FILE NAME:")) && bytes.Contains(start, []byte("# ALTERNATIVE NAME"))
}

// prefLibOrder matches a line of data, such as "12: 1,{2,3},4", or "12,1,{2,3},4" in the old format.
var prefLibOrder = regexp.MustCompile(`^(\d+)\s*[:,]\s*(.*)$`)

// readPrefLib reads a PrefLib file: the names of alternatives in comments, then orders with their number. In
// the old format the first line is the number of alternatives, one line for each with its number and name
// follow, and one of totals.
func (r *Rankings) readPrefLib(text *bufio.Reader) error {
	names, old := map[string]string{}, -1 // lines left of the old header
	return r.eachLine(text, func(value string, a answer) error {
		if comment, is := strings.CutPrefix(value, "#"); is {
			if label, name, found := strings.Cut(comment, ":"); found {
				if number, is := strings.CutPrefix(strings.TrimSpace(label), "ALTERNATIVE NAME "); is {
					names[number] = strings.TrimSpace(name)
				}
			}
			return nil
		}
		if count, err := strconv.Atoi(value); err == nil && len(names) == 0 && old < 0 {
			old = count + 1
			return nil
		}
		if old > 0 {
			number, name, _ := strings.Cut(value, ",")
			if old--; old > 0 {
				names[strings.TrimSpace(number)] = strings.TrimSpace(name)
			}
			return nil
		}
		parts := prefLibOrder.FindStringSubmatch(value)
		if parts == nil {
			return r.errorAt(a, "expected a number, a colon and an order, such as 12: 1,{2,3},4, found %s", table.Excerpt([]byte(value)))
		}
		var err error
		if a.times, err = strconv.ParseFloat(parts[1], 64); err != nil || a.times > 1e9 || a.times < 1 {
			return r.errorAt(a, "a count must be a whole number from 1 to 1000000000, got %s", parts[1])
		}
		return r.addPrefLib(parts[2], names, a)
	})
}

// addPrefLib adds an order such as 1,{2,3},4.
func (r *Rankings) addPrefLib(order string, names map[string]string, a answer) error {
	var places []place
	rank, tied := int32(1), false
	for field := range strings.SplitSeq(order, ",") {
		field = strings.TrimSpace(field)
		inside, opens := strings.CutPrefix(field, "{")
		number, closes := strings.CutSuffix(inside, "}")
		if tied && opens || closes && !opens && !tied {
			return r.errorAt(a, "the braces of a tie are not closed as they should be in %s", table.Excerpt([]byte(order)))
		}
		if tied = (tied || opens) && !closes; number != "" {
			name, known := names[number]
			if _, err := strconv.Atoi(number); err != nil || len(names) > 0 && !known {
				return r.errorAt(a, "%q is not the number of an alternative", number)
			}
			if !known || slices.ContainsFunc(places, func(p place) bool { return r.items.names[p.item] == name }) {
				name = number // two alternatives may have the same name
			}
			places = append(places, place{r.item(name), rank})
		}
		if !tied {
			rank++
		}
	}
	if tied {
		return r.errorAt(a, "the braces of a tie are not closed as they should be in %s", table.Excerpt([]byte(order)))
	}
	return r.add(places, a)
}

// eachLine calls take for every line that is not empty, or every element of a list in JSON.
func (r *Rankings) eachLine(text *bufio.Reader, take func(value string, a answer) error) error {
	decoded, err := table.Decoded(text)
	if err != nil {
		return table.ReadError(r.file, err)
	}
	return table.EachObject(decoded.Reader, r.file, table.Limits{}, func(value []byte, line int) error {
		return take(string(value), answer{line: int32(line), times: 1})
	})
}

// listOfLists matches the start of lists of rankings in JSON: a list of lists, or an object with one.
var listOfLists = regexp.MustCompile(`^[\s\x{feff}]*(\{[^{}]*:\s*)?\[\s*\[`)

// readLists reads rankings that are lists of items, best first. A list in a list is a tie.
func (r *Rankings) readLists(text *bufio.Reader) error {
	if start, _ := text.Peek(text.Size()); bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \t\r\n"), []byte{'{'}) {
		return r.readWrapped(text)
	}
	return r.eachLine(text, r.addList)
}

// readWrapped reads the list of lists in an object.
func (r *Rankings) readWrapped(text *bufio.Reader) error {
	var members map[string]json.RawMessage
	decoder := json.NewDecoder(text)
	if err := decoder.Decode(&members); err != nil {
		return r.errorAt(answer{}, "this is not JSON: %v", err)
	}
	found := ""
	for name, value := range members {
		if !listOfLists.Match(value) || value[0] != '[' {
			continue
		}
		if found != "" {
			return r.errorAt(answer{}, "%q and %q are both lists of lists; leave one of them", min(name, found), max(name, found))
		}
		found = name
	}
	if found == "" {
		return r.errorAt(answer{}, "the object has no list of rankings")
	}
	return r.eachLine(bufio.NewReaderSize(bytes.NewReader(members[found]), 1<<16), r.addList)
}

// addList adds a ranking such as ["a", ["b", "c"], "d"].
func (r *Rankings) addList(value string, a answer) error {
	var order []any
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	if err := decoder.Decode(&order); err != nil || decoder.More() {
		return r.errorAt(a, "expected a list of items, best first, found %s", table.Excerpt([]byte(value)))
	}
	var places []place
	for i, element := range order {
		tied, is := element.([]any)
		if !is {
			tied = []any{element}
		}
		for _, item := range tied {
			name := ""
			switch item := item.(type) {
			case string:
				name = strings.TrimSpace(item)
			case json.Number:
				name = item.String()
			}
			if name == "" {
				return r.errorAt(a, "an item must be a text or a number, found %s", table.Excerpt(fmt.Append(nil, item)))
			}
			places = append(places, place{r.item(name), int32(i + 1)})
		}
	}
	return r.add(places, a)
}
