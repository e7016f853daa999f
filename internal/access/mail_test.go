package access_test

import (
	"testing"

	"bestpick/internal/access"
)

func TestNewMailer(t *testing.T) {
	for _, c := range [][2]string{
		{"mail.example.com", "a@example.com"}, {"http://mail.example.com", "a@example.com"}, {"smtp://", "a@example.com"}, {"smtp://mail", "Anna"},
	} {
		if _, err := access.NewMailer(c[0], c[1]); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
