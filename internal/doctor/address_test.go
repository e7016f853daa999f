package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAddressInUse: a running bestpick at the address is fine, and another program is not.
func TestAddressInUse(t *testing.T) {
	for reply, want := range map[string]Condition{"alive\n": Healthy, "hello\n": Warning} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/healthz" {
				_, _ = fmt.Fprint(w, reply)
			}
		}))
		listen := strings.TrimPrefix(server.URL, "http://")
		if found := checkAddress(t.Context(), listen); found.Status != want {
			t.Errorf("%q: %+v", reply, found)
		}
		server.Close()
	}
}
