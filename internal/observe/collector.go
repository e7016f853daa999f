package observe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A collector sends spans by OTLP over HTTP. OpenTelemetry's own client would link gRPC, 7 MB. Spans that
// cannot be sent are lost.
type collector struct {
	destination

	report  func(err error)
	client  http.Client
	failing atomic.Bool
}

var _ otlptrace.Client = (*collector)(nil)

// Start does nothing.
func (c *collector) Start(context.Context) error { return nil }

// Stop closes idle connections.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans. It reports the first failure, and the first success after it.
func (c *collector) UploadTraces(ctx context.Context, spans []*traces.ResourceSpans) error {
	err := c.send(ctx, spans)
	if failing := err != nil; c.failing.Swap(failing) != failing {
		c.report(err)
	}
	return nil
}

func (c *collector) send(ctx context.Context, spans []*traces.ResourceSpans) error {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := proto.Marshal(&traces.TracesData{ResourceSpans: spans}) // encoded like an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	maps.Copy(r.Header, c.headers)
	r.Header.Set("Content-Type", "application/x-protobuf")
	reply, err := c.client.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err // without the address, which may contain a secret
	}
	if err != nil {
		return err
	}
	const most = 64 << 10 // bytes
	_, _ = io.CopyN(io.Discard, reply.Body, most)
	_ = reply.Body.Close()
	if reply.StatusCode/100 != 2 {
		return fmt.Errorf("the collector replied with %s", reply.Status)
	}
	return nil
}

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
