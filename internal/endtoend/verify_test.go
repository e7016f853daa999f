package endtoend

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// TestVerify: the export of a study that was answered over HTTP reproduces its verdict, and an
// export with a single altered pick does not.
func TestVerify(t *testing.T) {
	at := sqliteFile(t)
	p := start(t, at, "")
	world := someArms(t, 6, 0.3, 2)
	id := world.newStudy(t, p.Client, wire.Settings{K: 3, Grace: -1, Budget: 60})
	crowd := &people{studies: map[string]truth{id: world}, reach: func(int) *client.Client { return p.Client }, acknowledged: map[string]said{}}
	crowd.answer(t.Context(), 4, "r")
	for verdict, err := range p.Events(t.Context(), id) { // until the study is done
		if err != nil {
			t.Fatal(err)
		}
		if verdict.State == "done" {
			break
		}
	}
	export := verified(t, p.Client, id)
	lines := bytes.SplitAfter(export, []byte("\n"))
	altered := 0
	for i, line := range lines {
		if altered > 2 || !bytes.Contains(line, []byte(`"kind":"answered"`)) {
			continue
		}
		other := bytes.Replace(line, []byte(`"picks":[0]`), []byte(`"picks":[1]`), 1)
		if bytes.Equal(other, line) {
			continue
		}
		altered++
		lines[i] = other
		if out, err := verify(t, bytes.Join(lines, nil)); exitStatus(err) != 2 || !strings.Contains(out, "export.jsonl: line ") {
			t.Errorf("an altered pick in line %d is accepted: %v: %s", i+1, err, out)
		}
		lines[i] = line
	}
	if altered == 0 {
		t.Error("no pick was found to alter")
	}
	start := time.Now()
	p.stop(t)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("stopping took %v", took)
	}
}
