package live

import (
	"reflect"
	"time"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
)

// An entry is the live object of one study.
type entry struct {
	id    string
	bytes int
	study study.Study
	read  time.Time // when study was read; zero if it has changed since
	arms  keptArms
	panel keptPanel

	profiles keptProfiles

	parts map[reflect.Type]any
}

// keptArms are the arms of a study at a version, and their cards.
type keptArms struct {
	version int
	arms    *archive.Catalogue
	cards   *cardBox
	bytes   int
}

// keptPanel caches members of a study's panel at a version, by the hashes of their keys. Every
// change of a panel raises the version of its study.
type keptPanel struct {
	version int
	members generations[string, study.Member]
}
