package tracing

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A destination is where spans go.
type destination struct {
	endpoint string // empty if tracing is off
	headers  http.Header
}

// readDestination reads the OpenTelemetry environment variables that apply to this exporter.
func readDestination(environment func(string) string) (to destination, err error) {
	const general, traces = "OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"
	variable := func(name string) (value, from string) {
		if value := environment(traces + name); value != "" {
			return value, traces + name
		}
		return environment(general + name), general + name
	}
	endpoint, from := variable("ENDPOINT")
	if endpoint == "" || strings.EqualFold(environment("OTEL_SDK_DISABLED"), "true") {
		return to, nil
	}
	parsed, err := url.Parse(endpoint)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return to, fmt.Errorf("%s must be an address such as http://127.0.0.1:4318", from)
	}
	if from == general+"ENDPOINT" {
		parsed = parsed.JoinPath("v1", "traces")
	}
	if protocol, from := variable("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return to, fmt.Errorf("%s must be http/protobuf, got %q", from, protocol)
	}
	headers, from := variable("HEADERS")
	if to.headers, err = readHeaders(headers); err != nil {
		return to, fmt.Errorf("%s: %w", from, err)
	}
	to.endpoint = parsed.String()
	return to, nil
}

// readHeaders reads name=value,name=value. Errors do not contain values, which may be tokens.
func readHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			return nil, fmt.Errorf("header %d is not of the form name=value", i+1)
		}
		headers.Set(name, value)
	}
	return headers, nil
}
