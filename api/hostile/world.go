package hostile

// A World is what requests can be about. It is real, so that nothing is wrong with a request but what is meant
// to be.
type World struct {
	Owner  string   // the token of one
	Others []string // tokens of owners and others that allow less, or nothing
	Scenes []Scene
	Files  map[string][]File // by the field of a form
}

// A Scene is a study, and what is known of it.
type Scene struct {
	Study     string
	ETag      string
	Arms      []string // ids
	Segments  []string
	Keys      []string // of members of its panel
	Questions []Question
}

// A Question is one that was asked.
type Question struct {
	Token string
	Arms  []string // that were shown
	Picks int
}

// A File is one that can be sent.
type File struct {
	Name     string
	Contents string
	Beside   *File // the ids of its rows, where it needs them
}
