package endtoend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// fruits is a CSV file of arms.
const fruits = "id,sweet,sour\napple,1,1\npear,2,0\nquince,0,2\nplum,2,1\ncherry,3,1\nlemon,-1,4\n"

// TestHostileRequests sends generated requests over real connections: truncated and oversized bodies, decompression
// bombs, and headers of all kinds. The process survives, and a study that no request refers to does not change.
func TestHostileRequests(t *testing.T) {
	const requests = 300
	p := start(t, sqliteFile(t), "")
	_, _, document := get(t, p.Client, "/api/v1/openapi.json", "")
	spec := testsupport.Value(parseSpec([]byte(document))).OrFail(t)
	fixtures := fuzzFixtures{Owner: p.Token, Others: []string{"bestpick_none"}, Files: map[string][]fuzzFile{
		"catalogue": {{Name: "fruits.csv", Contents: fruits}, {Name: "fruits.csv.gz", Contents: bomb(fruits, 300<<20)}},
		"ids":       {{Name: "ids.txt", Contents: "a\n"}},
		"texts": {
			{Name: "texts.csv", Contents: "arm,context,text\napple,a,b\n"},
			{Name: "texts.csv.gz", Contents: bomb("arm,context,text\napple,a,b\n", 300<<20)},
		},
		"members": {{Name: "people.csv", Contents: "name\nanna\n"}, {Name: "people.csv.gz", Contents: bomb("name\nanna\n", 300<<20)}},
		"answers": {
			{Name: "a.csv", Contents: "shown_1,shown_2,pick_1\napple,pear,pear\n"},
			{Name: "b.csv", Contents: bomb("shown_1,shown_2,pick_1\napple,pear,pear\n", 300<<20)},
		},
	}}
	for range 3 {
		fixtures.Studies = append(fixtures.Studies, p.openStudy(t))
	}
	bystander := p.openStudy(t)
	before := p.exported(t, bystander.ID)
	replies := map[int]int{}
	for seed := range uint64(requests) {
		r := spec.request(&fixtures, newChoices(randomBytes(seed, 1000))) // a large body takes all bytes of its own request
		status := p.reply(t, r)
		replies[status]++
		if t.Failed() {
			t.Fatalf("after %v", r)
		}
		if r.Operation == "delete-study" && status == http.StatusNoContent {
			gone := slices.IndexFunc(fixtures.Studies, func(s fuzzStudy) bool { return s.ID == r.Study })
			fixtures.Studies[gone] = p.openStudy(t)
		}
	}
	t.Logf("replies by status: %v", replies)
	if !bytes.Equal(before, p.exported(t, bystander.ID)) {
		t.Error("a study changed that no request refers to")
	}
	for _, status := range []int{200, 400, 401, 404, 409, 415, 422} {
		if replies[status] == 0 {
			t.Errorf("no reply has the status %d", status)
		}
	}
	if took := p.memory(t); took > 1<<30 {
		t.Errorf("the process used %d MB", took>>20)
	}
	p.stop(t)
	if log := p.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "panic") {
		t.Errorf("the log is %s", log)
	}
}

// openStudy creates and opens a study with three open questions.
func (s *process) openStudy(t *testing.T) fuzzStudy {
	t.Helper()
	created, err := s.Create(t.Context(), client.NewStudy{
		Name: "Fruits", Settings: wire.Settings{K: 3, Grace: -1},
		Catalogue: client.File{Name: "fruits.csv", Contents: strings.NewReader(fruits)},
	})
	testsupport.NoError(t, err)
	opened := testsupport.Value(s.Open(t.Context(), created.Study.ID)).OrFail(t)
	known := fuzzStudy{ID: opened.ID, ETag: strconv.Quote(strconv.Itoa(opened.Version)), Arms: []string{"apple", "pear", "quince"}}
	for i := range 3 {
		q := testsupport.Value(s.Ask(t.Context(), opened.ID, wire.Ask{Respondent: strconv.Itoa(i)})).OrFail(t)
		asked := fuzzQuestion{Token: q.Token, Picks: q.Picks}
		for _, arm := range q.Arms {
			asked.Arms = append(asked.Arms, arm.ID)
		}
		known.Questions = append(known.Questions, asked)
	}
	return known
}

// exported returns the study and the outcomes of its log. Plans follow from these, and may still be made.
func (s *process) exported(t *testing.T, id string) []byte {
	t.Helper()
	var text bytes.Buffer
	testsupport.NoError(t, s.Export(t.Context(), id, "log", "", &text))
	return bytes.Join(slices.DeleteFunc(bytes.Split(text.Bytes(), []byte("\n")), func(line []byte) bool {
		return bytes.HasPrefix(line, []byte(`{"plan":`)) || bytes.HasPrefix(line, []byte(`{"closing":`))
	}), []byte("\n"))
}

// dial opens a new connection.
func (s *process) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	dialer := net.Dialer{Timeout: 10 * time.Second}
	connection := testsupport.Value(dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))).OrFail(t)
	tcp, ok := connection.(*net.TCPConn)
	if !ok {
		t.Fatal("the connection does not use TCP")
	}
	testsupport.NoError(t, tcp.SetDeadline(time.Now().Add(time.Minute)))
	return tcp
}

// reply sends a request and returns the status of the reply, or 0 without one: the server may close
// the connection of a client that exceeds a limit.
func (s *process) reply(t *testing.T, r fuzzRequest) int {
	t.Helper()
	connection := s.dial(t)
	var sending sync.WaitGroup
	defer testsupport.Wait(t, "sending", sending.Wait)
	defer connection.Close()
	sending.Go(func() {
		_, err := io.Copy(connection, r.Reader())
		if err == nil && r.Cut {
			_ = connection.CloseWrite() // the request is complete; the server may have closed the connection
		}
	})
	reply, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: r.Method})
	if err != nil {
		return 0
	}
	defer reply.Body.Close()
	if reply.StatusCode < http.StatusBadRequest {
		_ = connection.Close() // event streams do not end
		return reply.StatusCode
	}
	text, err := io.ReadAll(reply.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !isReset(err) {
		t.Errorf("reading the reply: %v", err)
	}
	if gone := r.Cut && reply.StatusCode == http.StatusServiceUnavailable; !gone { // the client has disconnected
		checkRefusal(t, reply, text)
	}
	return reply.StatusCode
}

// isReset reports whether the peer has closed the connection.
func isReset(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network
}

// checkRefusal checks that a rejection is a problem, or one short line if the headers could not be
// read.
func checkRefusal(t *testing.T, reply *http.Response, text []byte) {
	t.Helper()
	var problem wire.Problem
	kind := reply.Header.Get("Content-Type")
	switch {
	case reply.StatusCode >= 500 && !bytes.Contains(text, []byte(wire.NoQuestion)):
		t.Errorf("the status is %d: %s", reply.StatusCode, text)
	case bytes.Contains(text, []byte("goroutine ")) || bytes.Contains(text, []byte(".go:")):
		t.Errorf("the reply has a stack trace: %s", text)
	case kind == "application/problem+json" && len(text) > 0 && json.Unmarshal(text, &problem) != nil:
		t.Errorf("%d with %s", reply.StatusCode, text)
	case kind != "application/problem+json" && len(text) > 100:
		t.Errorf("%d %s with %s", reply.StatusCode, kind, text)
	}
}

// memory returns the peak memory of the process, or 0 if the system does not report it.
func (s *process) memory(t *testing.T) int64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	status := testsupport.Value(os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))).OrFail(t)
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("the status is %s", status)
	}
	size := testsupport.Value(strconv.ParseInt(string(found[1]), 10, 64)).OrFail(t)
	return size << 10
}

// TestSlowAndCutConnections: the server times out slow clients, survives disconnects, and rejects
// too large headers and bodies before it reads them.
func TestSlowAndCutConnections(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	known := p.openStudy(t)
	before := p.exported(t, known.ID)
	head := "POST /api/v1/studies/" + known.ID + "/answers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	body := fmt.Sprintf(`{"token":%q,"picks":[%q]}`, known.Questions[0].Token, known.Questions[0].Arms[0])
	for cut := range 100 {
		connection := p.dial(t)
		whole := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
		send(t, connection, whole[:len(whole)*cut/100])
		if cut%2 == 0 {
			_ = connection.SetLinger(0) // resets the connection
		}
		_ = connection.Close()
	}
	many := p.dial(t)
	go func() { // fails when the server closes the connection
		_, _ = io.WriteString(many, head+strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 2000)+"\r\n")
	}()
	expect(t, many, 431)
	const huge = 100 << 20
	blank := strings.Repeat(" ", huge) // takes a while
	large := p.dial(t)
	go func() { // fails like above
		_, _ = fmt.Fprintf(large, "%sContent-Length: %d\r\n\r\n", head, huge)
		_, _ = io.WriteString(large, blank)
	}()
	expect(t, large, 413)
	if took := p.memory(t); took > huge {
		t.Errorf("the process used %d MB", took>>20)
	}
	slow := p.dial(t)
	send(t, slow, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body[:10]))
	expect(t, slow, 408)
	if !bytes.Equal(before, p.exported(t, known.ID)) {
		t.Error("an incomplete answer was counted")
	}
	if err := p.Answer(t.Context(), known.ID, known.Questions[0].Token, known.Questions[0].Arms[:2]...); err != nil {
		t.Error(err)
	}
	p.stop(t)
	if log := p.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "panic") {
		t.Errorf("the log is %s", log)
	}
}

func send(t *testing.T, connection net.Conn, text string) {
	t.Helper()
	testsupport.Value(io.WriteString(connection, text)).OrFail(t)
}

// expect reads a reply, and fails unless it has the status.
func expect(t *testing.T, connection net.Conn, status int) {
	t.Helper()
	reply, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Error(err)
		return
	}
	_ = reply.Body.Close()
	if reply.StatusCode != status {
		t.Errorf("the status is %d, want %d", reply.StatusCode, status)
	}
	_ = connection.Close()
}
