package testsupport

import (
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
)

// MailServer accepts e-mail over SMTP (RFC 5321) and returns its address and the received messages. It refuses lines that
// begin with refuse, unless that is empty.
func MailServer(t testing.TB, refuse string) (address string, received <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // listening does not block
	NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	messages := make(chan string, 10)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go mailSession(connection, refuse, messages)
		}
	}()
	return listener.Addr().String(), messages
}

// mailSession speaks SMTP with one client.
func mailSession(connection net.Conn, refuse string, messages chan<- string) {
	defer func() { _ = connection.Close() }()
	text := textproto.NewConn(connection)
	_ = text.PrintfLine("220 test ESMTP")
	for {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); {
		case refuse != "" && strings.HasPrefix(line, refuse):
			_ = text.PrintfLine("550 refused")
		case verb == "EHLO":
			_ = text.PrintfLine("250-test")
			_ = text.PrintfLine("250 AUTH PLAIN")
		case verb == "AUTH":
			_ = text.PrintfLine("235 ok")
		case verb == "DATA":
			_ = text.PrintfLine("354 go on")
			body, err := io.ReadAll(text.DotReader())
			if err != nil {
				return
			}
			messages <- string(body)
			_ = text.PrintfLine("250 ok")
		case verb == "QUIT":
			_ = text.PrintfLine("221 bye")
			return
		default:
			_ = text.PrintfLine("250 ok")
		}
	}
}
