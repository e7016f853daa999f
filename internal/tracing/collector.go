package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
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
