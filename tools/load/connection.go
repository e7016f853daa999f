package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// patience is the timeout of a connection, and of a request.
const patience = time.Minute

// A Connection is an [http.RoundTripper] that sends requests one by one over a single keep-alive connection.
// Clients often share the machine with the server that they measure; [http.Transport], with two goroutines
// per connection, takes twice the CPU time. Not safe for concurrent use.
type Connection struct {
	conn   net.Conn
	reader *bufio.Reader
	writer *bufio.Writer
}

// RoundTrip sends a request. The caller must read and close the reply before the next request. RoundTrip
// reconnects once if the server has closed the connection.
func (c *Connection) RoundTrip(r *http.Request) (*http.Response, error) {
	used := c.conn != nil
	reply, err := c.exchange(r)
	if err != nil && used && r.GetBody != nil {
		again := r.Clone(r.Context())
		if again.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
		reply, err = c.exchange(again)
	}
	return reply, err
}

// CloseIdleConnections closes the connection.
func (c *Connection) CloseIdleConnections() {
	if c.conn != nil {
		_ = c.conn.Close() // no request is in flight
		c.conn = nil
	}
}

// exchange sends a request and reads the reply. After a failure it closes the connection.
func (c *Connection) exchange(r *http.Request) (reply *http.Response, err error) {
	if c.conn == nil {
		if err := c.connect(r); err != nil {
			return nil, err
		}
	}
	if err = c.conn.SetDeadline(time.Now().Add(patience)); err == nil {
		err = r.Write(c.writer)
	}
	if err == nil {
		err = c.writer.Flush()
	}
	if err == nil {
		reply, err = http.ReadResponse(c.reader, r)
	}
	if err != nil {
		c.CloseIdleConnections()
		return nil, err
	}
	return reply, nil
}

func (c *Connection) connect(r *http.Request) (err error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	port := r.URL.Port()
	if r.URL.Scheme == "https" {
		if port == "" {
			port = "443"
		}
		c.conn, err = new(tls.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(r.URL.Hostname(), port))
	} else {
		if port == "" {
			port = "80"
		}
		c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(r.URL.Hostname(), port))
	}
	if err != nil {
		c.conn = nil
		return err
	}
	c.reader, c.writer = bufio.NewReader(c.conn), bufio.NewWriter(c.conn)
	return nil
}
