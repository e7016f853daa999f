package middleware

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestCORS: only pages of allowed origins can read replies, and only under the prefix.
func TestCORS(t *testing.T) {
	const allowed = "https://shop.example"
	for name, test := range map[string]struct {
		origins []string
		method  string
		path    string
		headers []string
		allowed string // the origin in the reply
		served  bool   // the request reaches the handler
	}{
		"a page of the origin":        {[]string{allowed}, http.MethodPost, "/api/x", []string{"Origin", allowed}, allowed, true},
		"an origin in capitals":       {[]string{"https://Shop.example"}, http.MethodPost, "/api/x", []string{"Origin", allowed}, allowed, true},
		"a preflight":                 {[]string{allowed}, http.MethodOptions, "/api/x", []string{"Origin", allowed, "Access-Control-Request-Method", "POST"}, allowed, false},
		"OPTIONS without a method":    {[]string{allowed}, http.MethodOptions, "/api/x", []string{"Origin", allowed}, allowed, true},
		"all origins":                 {[]string{"*"}, http.MethodGet, "/api/x", []string{"Origin", allowed}, allowed, true},
		"another origin":              {[]string{allowed}, http.MethodPost, "/api/x", []string{"Origin", "https://evil.example"}, "", true},
		"a preflight of another":      {[]string{allowed}, http.MethodOptions, "/api/x", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, "", true},
		"an origin that begins so":    {[]string{allowed}, http.MethodPost, "/api/x", []string{"Origin", allowed + ".evil.example"}, "", true},
		"a frame without an origin":   {[]string{allowed}, http.MethodPost, "/api/x", []string{"Origin", "null"}, "", true},
		"a program":                   {[]string{allowed}, http.MethodPost, "/api/x", nil, "", true},
		"a page, not the API":         {[]string{allowed}, http.MethodPost, "/studies/x", []string{"Origin", allowed}, "", true},
		"a preflight without origins": {nil, http.MethodOptions, "/api/x", []string{"Origin", allowed, "Access-Control-Request-Method", "POST"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, nil)
			for i := 0; i < len(test.headers); i += 2 {
				r.Header.Set(test.headers[i], test.headers[i+1])
			}
			served := false
			w := httptest.NewRecorder()
			CORS(Origins{test.origins, "/api/"})(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true })).ServeHTTP(w, r)
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != test.allowed || served != test.served {
				t.Errorf("allowed %q and served %v, want %q and %v", got, served, test.allowed, test.served)
			}
			if !served && (w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Headers") == "") {
				t.Errorf("the preflight got %d %v", w.Code, w.Header())
			}
			if w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Error("cookies are allowed")
			}
		})
	}
}
