package dispatch_test

import (
	"testing"

	"go.uber.org/goleak"

	"bestpick/internal/study/studytest"
)

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
