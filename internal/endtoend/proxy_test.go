package endtoend

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"bestpick/internal/testsupport"
)

// A proxy forwards connections, and simulates network faults.
type proxy struct {
	listener net.Listener
	to       func(ctx context.Context) (net.Conn, error)

	mutex   sync.Mutex
	manners manners
	random  *rand.Rand
	open    map[net.Conn]bool
	serving sync.WaitGroup
}

// Manners are the faults of a proxy.
type manners struct {
	cut   int           // connections end after at most this number of bytes; 0 for never
	delay time.Duration // maximum delay of each piece
	piece int           // maximum size of a piece; 0 for any
	hole  bool          // all data is silently dropped
}

// newProxy starts a proxy to an address, without faults.
func newProxy(t *testing.T, network, address string) *proxy {
	t.Helper()
	listener := testsupport.Value(net.Listen("tcp", "127.0.0.1:0")).OrFail(t) //nolint:noctx // opening a port does not block
	dialer := net.Dialer{Timeout: 10 * time.Second}
	p := &proxy{
		listener: listener, random: rand.New(rand.NewPCG(9, 9)), open: map[net.Conn]bool{},
		to: func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, network, address) },
	}
	ctx := context.WithoutCancel(t.Context())
	p.serving.Go(func() { p.serve(ctx) })
	t.Cleanup(func() { p.close(t) })
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// close closes all connections.
func (p *proxy) close(t *testing.T) {
	t.Helper()
	_ = p.listener.Close() // it may be closed already
	p.cutAll()
	testsupport.Wait(t, "the connections of a proxy", p.serving.Wait)
}

// behave sets the faults of existing and new connections.
func (p *proxy) behave(m manners) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.manners = m
}

// cutAll closes all existing connections, whatever their state.
func (p *proxy) cutAll() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for connection := range p.open {
		reset(connection)
	}
}

// reset closes a connection so that its peer notices at once.
func reset(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it may be closed already
	}
	_ = connection.Close()
}

func (p *proxy) serve(ctx context.Context) {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.serving.Go(func() { p.connect(ctx, from) })
	}
}

// connect forwards data between a connection and the address.
func (p *proxy) connect(ctx context.Context, from net.Conn) {
	defer reset(from)
	to, err := p.to(ctx)
	if err != nil {
		return
	}
	defer reset(to)
	p.mutex.Lock()
	p.open[from], p.open[to] = true, true
	p.mutex.Unlock()
	var passing sync.WaitGroup
	passing.Go(func() { p.pass(from, to) })
	passing.Go(func() { p.pass(to, from) })
	passing.Wait()
	p.mutex.Lock()
	delete(p.open, from)
	delete(p.open, to)
	p.mutex.Unlock()
}

// pass forwards data in one direction, with the faults of the proxy.
func (p *proxy) pass(from, to net.Conn) {
	defer reset(from)
	defer reset(to)
	left := -1
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer[:p.piece()])
		if n > 0 {
			m, wait := p.treatment()
			if left < 0 && m.cut > 0 {
				left = p.upTo(m.cut)
			}
			time.Sleep(wait)
			last := m.cut > 0 && n >= left
			if last {
				n = left
			}
			left -= n
			if m.hole {
				_, _ = io.Copy(io.Discard, from) // until a peer closes the connection
				return
			}
			if _, failed := to.Write(buffer[:n]); failed != nil || last {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) piece() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.manners.piece > 0 {
		return p.manners.piece
	}
	return 32 << 10
}

func (p *proxy) treatment() (m manners, wait time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.manners.delay > 0 {
		wait = time.Duration(p.random.Int64N(int64(p.manners.delay)))
	}
	return p.manners, wait
}

func (p *proxy) upTo(most int) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.random.IntN(most)
}
