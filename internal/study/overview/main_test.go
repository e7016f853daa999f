package overview_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"bestpick/internal/study/studytest"
)

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // unless the command line asks for more
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
