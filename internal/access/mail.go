package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/url"
	"time"
)

// A Mailer sends e-mail through an SMTP server. Safe for concurrent use.
type Mailer struct {
	host, port     string
	user, password string // empty for no authentication
	tls            bool   // from the first byte; otherwise STARTTLS where the server offers it
	from           string
}

// NewMailer returns a mailer for an address such as smtp://user:password@mail.example.com:587, or smtps:// for TLS from
// the first byte, that sends from an e-mail address. Passwords are sent over TLS, or to this machine, only.
func NewMailer(address, from string) (*Mailer, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "smtp" && parsed.Scheme != "smtps" || parsed.Hostname() == "" {
		return nil, errors.New("the SMTP server must be an address such as smtp://user:password@mail.example.com:587")
	}
	if !IsEmail(from) {
		return nil, fmt.Errorf("the sender must be an e-mail address, got %q", from)
	}
	m := &Mailer{host: parsed.Hostname(), port: parsed.Port(), tls: parsed.Scheme == "smtps", from: from}
	m.user = parsed.User.Username()
	m.password, _ = parsed.User.Password()
	if m.port == "" {
		m.port = map[bool]string{false: "587", true: "465"}[m.tls]
	}
	return m, nil
}

// IsEmail reports whether a text is an e-mail address and nothing else. Tokens with such names can sign in by e-mail.
func IsEmail(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}

// Send sends a text to one address, within 20 seconds.
func (m *Mailer) Send(ctx context.Context, to, subject, text string) error {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if !IsEmail(to) {
		return fmt.Errorf("access: %q is no e-mail address", to)
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(m.host, m.port))
	if err != nil {
		return fmt.Errorf("access: connecting to the mail server: %w", err)
	}
	defer func() { _ = connection.Close() }() // Quit has ended the session
	if deadline, has := ctx.Deadline(); has {
		if err := connection.SetDeadline(deadline); err != nil {
			return err
		}
	}
	secure := &tls.Config{ServerName: m.host, MinVersion: tls.VersionTLS12}
	if m.tls {
		connection = tls.Client(connection, secure)
	}
	if err := m.deliver(connection, secure, to, m.message(to, subject, text)); err != nil {
		return fmt.Errorf("access: sending e-mail: %w", err)
	}
	return nil
}

// deliver speaks SMTP over a connection.
func (m *Mailer) deliver(connection net.Conn, secure *tls.Config, to string, message []byte) error {
	client, err := smtp.NewClient(connection, m.host)
	if err != nil {
		return err
	}
	if offered, _ := client.Extension("STARTTLS"); offered && !m.tls {
		if err := client.StartTLS(secure); err != nil {
			return err
		}
	}
	if m.user != "" {
		if err := client.Auth(smtp.PlainAuth("", m.user, m.password, m.host)); err != nil {
			return err
		}
	}
	if err := errors.Join(client.Mail(m.from), client.Rcpt(to)); err != nil {
		return err
	}
	body, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := body.Write(message); err != nil {
		return err
	}
	return errors.Join(body.Close(), client.Quit())
}

// message returns an e-mail of plain text.
func (m *Mailer) message(to, subject, text string) []byte {
	var message bytes.Buffer
	fmt.Fprintf(&message, "From: %s\r\nTo: %s\r\nSubject: %s\r\nDate: %s\r\nMIME-Version: 1.0\r\n"+
		"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n",
		m.from, to, mime.QEncoding.Encode("utf-8", subject), time.Now().UTC().Format(time.RFC1123Z))
	body := quotedprintable.NewWriter(&message)
	_, _ = body.Write([]byte(text)) // buffers do not fail
	_ = body.Close()
	return message.Bytes()
}
