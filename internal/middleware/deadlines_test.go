package middleware

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const huge = 64 << 20

// slowly serves some replies, with short deadlines, and reports how writing ends.
func slowly(t *testing.T) (server *httptest.Server, ended chan error) {
	t.Helper()
	ended = make(chan error, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("/nothing", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, huge))
		ended <- err
	})
	mux.HandleFunc("/late", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(1200 * time.Millisecond)
		_, err := io.WriteString(w, "late")
		ended <- err
	})
	mux.HandleFunc("/own", func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		err := control.SetWriteDeadline(time.Now().Add(-time.Second))
		if err == nil {
			_, _ = io.WriteString(w, "own")
			err = control.Flush()
		}
		ended <- err
	})
	server = httptest.NewServer(Chain(mux, Deadlines(200*time.Millisecond, time.Second)))
	t.Cleanup(server.Close)
	return server, ended
}

// request sends the beginning of a request and returns the connection.
func request(t *testing.T, server *httptest.Server, text string) net.Conn {
	t.Helper()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	connection, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
	return connection
}

// TestMissingBody: a client that announces a body and does not send it is disconnected, whether or not the
// handler reads the body.
func TestMissingBody(t *testing.T) {
	server, _ := slowly(t)
	for _, method := range []string{"GET", "POST"} {
		connection := request(t, server, method+" /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123")
		if _, err := io.Copy(io.Discard, connection); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestSlowReader: a client that does not read the reply is disconnected; one that reads slowly gets all of it.
func TestSlowReader(t *testing.T) {
	server, ended := slowly(t)
	const get = "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	request(t, server, fmt.Sprintf(get, "/huge"))
	if err := <-ended; err == nil {
		t.Error("64 MB were sent to a client that does not read")
	}
	slow := request(t, server, fmt.Sprintf(get, "/huge"))
	var got int64
	for part := range 12 {
		most := int64(huge / 10)
		if part == 11 {
			most = 2 * huge
		}
		n, err := io.CopyN(io.Discard, slow, most)
		got += n
		if err != nil && part < 9 {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := <-ended; err != nil || got < huge {
		t.Errorf("%d bytes in more than a second: %v", got, err)
	}
	for path, fails := range map[string]bool{"/late": false, "/own": true} {
		reply, err := io.ReadAll(request(t, server, fmt.Sprintf(get, path)))
		if wrote := <-ended; (wrote != nil) != fails || !fails && (err != nil || !bytes.Contains(reply, []byte("200 OK"))) {
			t.Errorf("%s: %s, %v, %v", path, reply, err, wrote)
		}
	}
}

// TestDeadlinesEnd: deadlines do not affect the next request on the same connection.
func TestDeadlinesEnd(t *testing.T) {
	server, _ := slowly(t)
	connection := request(t, server, "")
	reader := bufio.NewReader(connection)
	for range 3 {
		if _, err := io.WriteString(connection, "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n123"); err != nil {
			t.Fatal(err)
		}
		reply, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		time.Sleep(500 * time.Millisecond)
	}
}
