package observe

import (
	"fmt"
	"strings"
	"testing"
)

// TestDestination: OpenTelemetry's variables are read, and errors about them contain no secrets.
func TestDestination(t *testing.T) {
	for _, c := range []struct{ environment, endpoint, headers, problem string }{
		{"", "", "map[]", ""},
		{"HEADERS=a=b", "", "map[]", ""},
		{"ENDPOINT=http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces", "map[]", ""},
		{"ENDPOINT=https://example.com/otlp/", "https://example.com/otlp/v1/traces", "map[]", ""},
		{"TRACES_ENDPOINT=http://x/y ENDPOINT=http://z", "http://x/y", "map[]", ""},
		{"ENDPOINT=http://x HEADERS=api-key=a%20b,x=y=z,", "http://x/v1/traces", "map[Api-Key:[a b] X:[y=z]]", ""},
		{"ENDPOINT=http://x HEADERS=a=b TRACES_HEADERS=c=d", "http://x/v1/traces", "map[C:[d]]", ""},
		{"ENDPOINT=http://x PROTOCOL=http/protobuf", "http://x/v1/traces", "map[]", ""},
		{"ENDPOINT=http://x PROTOCOL=grpc", "", "map[]", `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, got "grpc"`},
		{"ENDPOINT=secret:4317", "", "map[]", "OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://127.0.0.1:4318"},
		{"TRACES_ENDPOINT=ftp://x", "", "map[]", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an address such as http://127.0.0.1:4318"},
		{"ENDPOINT=http://x HEADERS=a=b,secret", "", "map[]", "OTEL_EXPORTER_OTLP_HEADERS: header 2 is not of the form name=value"},
	} {
		variables := map[string]string{}
		for pair := range strings.FieldsSeq(c.environment) {
			name, value, _ := strings.Cut(pair, "=")
			variables["OTEL_EXPORTER_OTLP_"+name] = value
		}
		read := func(name string) string { return variables[name] }
		got, err := readDestination(read)
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if got.endpoint != c.endpoint || fmt.Sprint(map[string][]string(got.headers)) != c.headers || problem != c.problem {
			t.Errorf("%s: %v, %q", c.environment, got, problem)
		}
		variables["OTEL_SDK_DISABLED"] = "true"
		if got, err := readDestination(read); err != nil || got.endpoint != "" {
			t.Errorf("%s, disabled: %v, %v", c.environment, got, err)
		}
	}
}
