package endtoend

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/testpostgres"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

var program string // the path of bestpick, built for these tests

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "bestpick-")
	if err != nil {
		log.Fatal(err)
	}
	program = filepath.Join(folder, "bestpick")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "bestpick/cmd/bestpick") //nolint:gosec // a path of the test
	if out, err := build.CombinedOutput(); err != nil {
		log.Fatalf("%v\n%s", err, out)
	}
	if err := flag.Set("test.parallel", "4"); err != nil { // such tests mostly wait
		log.Fatal(err)
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		log.Print(err)
	}
	os.Exit(code)
}

// A place is a database, with a function that opens it.
type place struct {
	database string
	open     func(ctx context.Context) (study.Store, error)
	server   *testpostgres.Server // nil for a file
}

// sqliteFile returns a new SQLite database.
func sqliteFile(t *testing.T) place {
	t.Helper()
	return fileIn(t.TempDir())
}

func fileIn(folder string) place {
	path := filepath.Join(folder, "studies.db")
	return place{database: path, open: func(context.Context) (study.Store, error) { return sqlite.Open(path) }} //nolint:contextcheck // opening a file does not block
}

// postgresDatabase returns a new database on a PostgreSQL server that is started for the test.
func postgresDatabase(t *testing.T) place {
	t.Helper()
	return databaseOn(t, testpostgres.New())
}

func databaseOn(t *testing.T, server *testpostgres.Server) place {
	t.Helper()
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return databaseAt(server.Database(t), server)
}

func databaseAt(url string, server *testpostgres.Server) place {
	return place{url, func(ctx context.Context) (study.Store, error) { return postgres.Open(ctx, url) }, server}
}

// A process is a running bestpick serve.
type process struct {
	*client.Client

	command *exec.Cmd
	ended   chan error
	log     *testsupport.Log
}

// secretOfReplicas is the secret that all processes on a PostgreSQL database share.
const secretOfReplicas = "BESTPICK_SECRET=a secret of tests that is long enough"

// addOwner adds an owner at the command line, and returns the token.
func addOwner(t *testing.T, database string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, "token", "add", "owner", "--role", "owner", "--database", database) //nolint:gosec // our program
	return strings.TrimSpace(string(testsupport.Value(command.Output()).OrFail(t)))
}

// start starts bestpick serve, and waits until it prints its address. token is the owner's token,
// or empty for the first process of a database, which gets one.
func start(t *testing.T, p place, token string, flags ...string) *process {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, append([]string{"serve", "--listen", "127.0.0.1:0", "--database", p.database}, flags...)...) //nolint:gosec // the program under test
	s := &process{command: command, ended: make(chan error, 1), log: &testsupport.Log{}}
	s.command.Stderr = s.log
	s.command.Env = append(os.Environ(), secretOfReplicas)
	out := testsupport.Value(s.command.StdoutPipe()).OrFail(t)
	testsupport.NoError(t, s.command.Start())
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	lines := bufio.NewScanner(out)
	address := regexp.MustCompile(`^Listening on (https?://\S+)`)
	url := ""
	for url == "" {
		if !lines.Scan() {
			t.Fatalf("the output of bestpick serve ends: %v\n%s", lines.Err(), s.log)
		}
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			url = found[1]
		}
	}
	if token == "" {
		token = addOwner(t, p.database)
	}
	go func() {
		for lines.Scan() {
		}
		s.ended <- s.command.Wait()
	}()
	s.Client = &client.Client{URL: url, Token: token, HTTP: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: 20 * time.Second,
	}}
	return s
}

// kill ends the process without a chance to clean up, like a power failure.
func (s *process) kill() {
	_ = s.command.Process.Kill() // it may have ended
	_ = s.end()
}

// stop ends the process with a signal, and checks that it exits successfully.
func (s *process) stop(t *testing.T) {
	t.Helper()
	s.signal(t, syscall.SIGTERM)
	if err := s.end(); err != nil {
		t.Errorf("the process ended with %v\n%s", err, s.log)
	}
}

// signal sends a signal to the process.
func (s *process) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	testsupport.NoError(t, s.command.Process.Signal(signal))
}

// end waits until the process has ended.
func (s *process) end() error {
	const limit = 2 * time.Minute
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(limit):
		return fmt.Errorf("it has not ended within %v", limit)
	}
}

// eventually waits until a condition holds, and fails the test if it does not within a time.
func eventually(t *testing.T, what string, within time.Duration, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > within {
			t.Fatalf("waited %v until %s", within, what)
		}
	}
}

// verified exports a study, and has bestpick verify recompute its verdict.
func verified(t *testing.T, c *client.Client, id string) []byte {
	t.Helper()
	var export bytes.Buffer
	testsupport.NoError(t, c.Export(t.Context(), id, "log", "", &export))
	key := testsupport.Value(c.PublicKey(t.Context())).OrFail(t)
	if out, err := verify(t, export.Bytes(), "--public-key", key); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return export.Bytes()
}

func verify(t *testing.T, export []byte, flags ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "export.jsonl")
	testsupport.NoError(t, os.WriteFile(path, export, 0o600))
	out, err := exec.CommandContext(testsupport.Limited(t), program, append([]string{"verify", path}, flags...)...).CombinedOutput() //nolint:gosec // the program under test
	return string(out), err
}

// exitStatus returns the exit status in an error.
func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}

// A fleet is two replicas behind a load balancer, as docs/operations.md describes it.
type fleet struct {
	*testing.T
	*client.Client // an owner's client, through the balancer

	at        place
	addresses [2]string
	replicas  [2]*process
	drain     time.Duration
}

// newFleet starts replicas and a balancer in front of them.
func newFleet(t *testing.T, at place, front balancer, drain time.Duration) *fleet {
	t.Helper()
	front.path(t) // before anything is started
	f := &fleet{T: t, at: at, addresses: [2]string{freeAddress(t), freeAddress(t)}, drain: drain}
	f.start(0, "")
	f.start(1, f.replicas[0].Token)
	f.Client = front.start(t, f.addresses)
	f.Token = f.replicas[0].Token
	return f
}

// start starts a replica at its address.
func (f *fleet) start(i int, token string) {
	f.Helper()
	f.replicas[i] = start(f.T, f.at, token, "--listen", f.addresses[i], "--trust", "127.0.0.1", "--secure", "--drain",
		f.drain.String())
}

// restart restarts a replica, and waits until the balancer has had time to notice.
func (f *fleet) restart(i int) {
	f.Helper()
	f.replicas[i].stop(f.T)
	f.start(i, f.Token)
	const noticed = 2 * time.Second // HAProxy needs two successful checks, half a second apart
	eventually(f.T, "the restarted replica is ready", 20*time.Second, func() bool {
		status, _, _ := get(f.T, f.replicas[i].Client, "/readyz", "")
		return status == http.StatusOK
	})
	time.Sleep(noticed)
}

// respondents returns people who answer a new study that does not end.
func (f *fleet) respondents(think time.Duration) *people {
	f.Helper()
	return f.respondentsOf(think, wire.Settings{K: 3, Delta: 1e-12, Grace: -1})
}

// respondentsOf returns people who answer new studies, one with each of the settings.
func (f *fleet) respondentsOf(think time.Duration, studies ...wire.Settings) *people {
	f.Helper()
	worlds := map[string]truth{}
	for _, settings := range studies {
		world := someArms(f.T, 6, 0.01, 1)
		worlds[world.newStudy(f.T, f.Client, settings)] = world
	}
	return &people{
		studies: worlds, delay: think, duplicate: 0.05, abandon: 0.02, acknowledged: map[string]said{},
		reach: func(int) *client.Client { return &client.Client{URL: f.URL, Token: f.Token, HTTP: f.HTTP} },
	}
}

// while has n people answer while happens runs. The durations of their first requests, which open
// connections and wait for the first plans, are not measured.
func (f *fleet) while(people *people, n int, happens func()) {
	f.Helper()
	people.during(f.T, n, "r", func() {
		eventually(f.T, fmt.Sprintf("%d people gave as many answers", n), time.Minute, func() bool { return people.answers() >= n })
		people.measure()
		happens()
	})
}

// unharmed checks that no request failed, and that the log contains exactly the acknowledged
// answers.
func (f *fleet) unharmed(people *people) {
	f.Helper()
	for status, n := range people.told {
		f.Errorf("%d responses had the status %d", n, status)
	}
	for _, err := range people.broken {
		f.Errorf("a request failed: %v", err)
	}
	logged := people.exported(f.T, f.Client)
	f.Logf("%d requests: p50 %v, p99 %v, at most %v; %d answers acknowledged, %d in the log",
		len(people.took), people.quantile(0.5), people.quantile(0.99), people.quantile(1), people.answers(), logged)
}

// measure begins to measure durations of requests: it discards those so far.
func (p *people) measure() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.took = nil
}

// quantile returns a quantile of the durations of requests.
func (p *people) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(p.took))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))].Round(time.Millisecond)
}

// Resources are the resources that a process holds.
type resources struct {
	goroutines int
	files      int // including sockets; 0 if unknown
}

// Tolerances for changes that are no leak: a process may keep or close some connections to its
// database, and become the one of all processes that maintains the jobs, in about twelve goroutines.
// Whatever leaks once per round exceeds them in twenty rounds.
const (
	moreGoroutines = 18
	moreFiles      = 16
)

// resources returns the resources of the process when no client is connected.
func (s *process) resources(t *testing.T) resources {
	t.Helper()
	s.HTTP.CloseIdleConnections()
	r := resources{goroutines: int(s.metric(t, "go_goroutines"))}
	if runtime.GOOS == "linux" {
		files := testsupport.Value(os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.command.Process.Pid))).OrFail(t)
		r.files = len(files)
	}
	return r
}

// left checks that the process releases its resources soon after all clients have disconnected.
func (s *process) left(t *testing.T, before resources) {
	t.Helper()
	eventually(t, fmt.Sprintf("the process holds little more than %+v again", before), 15*time.Second, func() bool {
		now := s.resources(t)
		return now.goroutines <= before.goroutines+moreGoroutines && now.files <= before.files+moreFiles
	})
}

// pool returns the default size of a process's pool of PostgreSQL connections.
func pool() int { return max(4, runtime.NumCPU()) }

// connected checks that processes do not exceed their pools of PostgreSQL connections and two that listen, and that no
// connection is busy without a client.
func (at place) connected(t *testing.T, processes int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d processes have few connections, none of them busy", processes), 15*time.Second, func() bool {
		all, busy := at.server.Connections(t, at.database)
		return all <= processes*(pool()+2) && busy == 0
	})
}

// metric returns the value of a metric of the process.
func (s *process) metric(t *testing.T, name string) float64 {
	t.Helper()
	status, _, text := get(t, s.Client, "/metrics", s.Token)
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
	if status != 200 || found == nil {
		t.Fatalf("%d %s", status, text)
	}
	value := testsupport.Value(strconv.ParseFloat(found[1], 64)).OrFail(t)
	return value
}
