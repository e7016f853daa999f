package catalogue

// A Note says what was decided about a file where the file left a choice.
type Note struct {
	Column string // the one it is about, if it is about one
	Text   string
	Remedy string // the flag that decides otherwise

	// Features is how many features an excluded column would add.
	Features int
}
