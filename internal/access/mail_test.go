package access_test

import (
	"bufio"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/testsupport"
)

// TestMail: a message arrives as it was sent, and a refusal is an error.
func TestMail(t *testing.T) {
	address, received := testsupport.MailServer(t, "")
	mailer, err := access.NewMailer("smtp://user:secret@"+address, "studies@example.com")
	testsupport.NoError(t, err)
	link := "http://studies.example.com/sign-in/link/" + strings.Repeat("x", 120)
	testsupport.NoError(t, mailer.Send(t.Context(), "anna@example.com", "Größe", "Öffnen Sie\n\n"+link+"\n"))
	select {
	case message := <-received:
		head, body, _ := strings.Cut(message, "\n\n")
		text, err := io.ReadAll(quotedprintable.NewReader(bufio.NewReader(strings.NewReader(body))))
		testsupport.NoError(t, err)
		if !strings.Contains(head, "To: anna@example.com") || !strings.Contains(head, "Subject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=") ||
			!strings.Contains(string(text), "Öffnen Sie") || !strings.Contains(string(text), link) {
			t.Errorf("%s", message)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no message arrived within 10 seconds")
	}
	refusing, _ := testsupport.MailServer(t, "RCPT")
	mailer, err = access.NewMailer("smtp://"+refusing, "studies@example.com")
	testsupport.NoError(t, err)
	if err := mailer.Send(t.Context(), "anna@example.com", "x", "y"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
	if err := mailer.Send(t.Context(), "anna@example.com\r\nBcc: b@example.com", "x", "y"); err == nil {
		t.Error("a header was injected")
	}
}

func TestNewMailer(t *testing.T) {
	for _, c := range [][2]string{{"mail.example.com", "a@example.com"}, {"http://mail.example.com", "a@example.com"}, {"smtp://", "a@example.com"}, {"smtp://mail", "Anna"}} {
		if _, err := access.NewMailer(c[0], c[1]); err == nil {
			t.Error(fmt.Sprint(c))
		}
	}
}
