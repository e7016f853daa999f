package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"bestpick/internal/middleware"
)

// post sends a signed body and returns the status of the reply. Errors do not contain the URL, which may be secret.
func (s *Sender) post(ctx context.Context, h Hook, body []byte) (status int, err error) {
	if err := CheckURL(h.URL, s.Private); err != nil {
		return 0, middleware.ErrNotPublic // the server may allow less than when the hook was set
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return 0, bare(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "bestpick")
	at := s.Clock()
	r.Header.Set(IDHeader, h.Delivery)
	r.Header.Set(TimestampHeader, strconv.FormatInt(at.Unix(), 10))
	r.Header.Set(SignatureHeader, Sign(h.Secret, h.Delivery, at, body))
	reply, err := s.client.Do(r)
	if err != nil {
		return 0, bare(err)
	}
	const most = 4 << 10 // bytes; the body is discarded
	_, _ = io.CopyN(io.Discard, reply.Body, most)
	_ = reply.Body.Close()
	return reply.StatusCode, nil
}

// bare returns an error without the URL.
func bare(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// problem describes why there was no reply. It reveals nothing about networks that the owner of a study cannot see.
func problem(err error) string {
	if err == nil {
		return ""
	}
	if _, is := errors.AsType[*net.DNSError](err); is {
		return "its name is not known"
	}
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return "its certificate is not trusted"
	}
	switch {
	case errors.Is(err, middleware.ErrNotPublic):
		return middleware.ErrNotPublic.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "there was no reply within 10 seconds"
	}
	return "it cannot be reached"
}
