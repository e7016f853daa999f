package apifuzz

// Fixtures are the existing objects that requests refer to.
type Fixtures struct {
	Owner   string   // the token of an owner
	Others  []string // tokens that allow less, or nothing
	Studies []Study
	Files   map[string][]File // by form field
}

// A Study is an existing study.
type Study struct {
	ID        string
	ETag      string
	Arms      []string // IDs
	Segments  []string
	Keys      []string // of panel members
	Questions []Question
}

// A Question is an open question.
type Question struct {
	Token string
	Arms  []string
	Picks int
}

// A File is a valid upload.
type File struct {
	Name     string
	Contents string
	IDs      *File // the row IDs of a .npy file
}
