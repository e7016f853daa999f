// Package boundaries checks which package may import which. The rooms and the
// reasons are those of docs/architecture.md.
package boundaries

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A room is a package with what it may import besides the standard library.
type room struct {
	imports []string // paths; a trailing … allows everything below
	library bool     // usable without the service: see outside
	why     string
}

var rooms = map[string]room{
	"bestpick": {
		imports: []string{"bestpick/choice", "bestpick/strategy", "bestpick/strategy/racing"},
		library: true,
		why:     "the front door has a race and nothing else",
	},
	"choice": {
		imports: []string{"gonum.org/v1/gonum/…"},
		library: true,
		why:     "the model knows mathematics only; everything else rests on it",
	},
	"design": {
		imports: []string{"bestpick/choice", "gonum.org/v1/gonum/…"},
		library: true,
		why:     "it knows which questions shrink uncertainty, not what the answers were",
	},
	"evidence": {
		imports: []string{"bestpick/choice", "gonum.org/v1/gonum/…"},
		library: true,
		why:     "how sure one can be follows from the model and the answers alone",
	},
	"checks": {
		imports: []string{"bestpick/choice", "bestpick/evidence", "gonum.org/v1/gonum/…"},
		library: true,
		why:     "model checks use the same evidence, and do not depend on the strategy",
	},
	"strategy": {
		imports: []string{"bestpick/checks", "bestpick/choice"},
		library: true,
		why:     "what a strategy is does not depend on how one works",
	},
	"strategy/internal/survey": {
		imports: []string{"bestpick/choice", "bestpick/design", "bestpick/evidence", "bestpick/strategy", "gonum.org/v1/gonum/…"},
		library: true,
		why:     "both races ask survey questions, whatever their evidence is",
	},
	"strategy/majority": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/design", "bestpick/evidence", "bestpick/strategy",
			"bestpick/strategy/internal/survey",
			"gonum.org/v1/gonum/…",
		},
		library: true,
		why:     "what people choose is evidence without a model of utilities",
	},
	"strategy/racing": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/design", "bestpick/evidence", "bestpick/strategy",
			"bestpick/strategy/internal/survey",
			"bestpick/strategy/majority", "gonum.org/v1/gonum/…",
		},
		library: true,
		why:     "a strategy combines design and evidence, and does not know who answers; a linear race may fall back to majority",
	},
	"strategy/prospects": {
		imports: []string{
			"bestpick/choice", "bestpick/design", "bestpick/evidence", "bestpick/strategy", "bestpick/strategy/internal/survey",
			"bestpick/strategy/majority", "bestpick/strategy/racing", "gonum.org/v1/gonum/…",
		},
		library: true,
		why:     "it predicts what races take, before there is an answer",
	},
	"strategy/baseline": {
		imports: []string{"bestpick/choice", "bestpick/design", "bestpick/evidence", "bestpick/strategy", "gonum.org/v1/gonum/…"},
		library: true,
		why:     "the paper's strategies share nothing with racing but what every strategy is",
	},
	"strategy/strategytest": {
		imports: []string{"bestpick/choice", "bestpick/crowd", "bestpick/strategy"},
		library: true,
		why:     "the suite drives strategies with simulated people",
	},
	"crowd": {
		imports: []string{"bestpick/choice"},
		library: true,
		why:     "people know their own utilities and nothing of strategies",
	},
	"simulate": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/crowd", "bestpick/evidence", "bestpick/strategy",
			"gonum.org/v1/gonum/…",
		},
		library: true,
		why:     "it brings strategies and crowds together",
	},
	"theory": {
		imports: []string{"bestpick/choice", "bestpick/design", "bestpick/evidence", "gonum.org/v1/gonum/…"},
		library: true,
		why:     "what an instance needs follows from its arms and the truth; no strategy has to run",
	},
	"internal/paper": {
		imports: []string{
			"bestpick/choice", "bestpick/crowd", "bestpick/simulate", "bestpick/strategy", "bestpick/strategy/baseline",
			"bestpick/theory", "golang.org/x/sync/errgroup",
		},
		library: true,
		why:     "its exhibits are simulations, drawn; where files go is the command's business",
	},
	"internal/fitting": {
		imports: []string{"bestpick/checks", "bestpick/choice", "bestpick/internal/recorded", "gonum.org/v1/gonum/…"},
		why:     "it fits the model to recorded choices; flags and tables are for the command",
	},
	"internal/sweep": {
		imports: []string{
			"bestpick/internal/jobs", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/…",
			"github.com/riverqueue/river", "github.com/riverqueue/river/…", "github.com/rogpeppe/go-internal/lockedfile",
		},
		why: "it stores and queues runs of any kind; what they are is the command's business",
	},
	"internal/jobs": {
		imports: []string{"github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/…", "github.com/riverqueue/river/…"},
		why:     "a job has a kind and arguments; what it does is others' business. Sweeps use the same tables in another schema",
	},
	"internal/terminal": {
		imports: []string{"github.com/rivo/uniseg", "golang.org/x/term"},
		why:     "it knows terminals, not what they show",
	},
	"internal/interview": {
		imports: []string{
			"bestpick/choice", "bestpick/internal/catalogue/archive", "bestpick/internal/terminal", "bestpick/strategy",
			"bestpick/strategy/racing",
		},
		why: "one person in a terminal needs a strategy and no service",
	},
	"internal/engine": {
		imports: []string{
			"bestpick/choice", "bestpick/internal/catalogue", "bestpick/internal/catalogue/archive",
			"bestpick/internal/catalogue/read", "bestpick/internal/statement", "bestpick/simulate", "bestpick/strategy",
			"bestpick/strategy/prospects", "bestpick/strategy/racing", "bestpick/wire",
		},
		why: "another program is the respondent, and needs a strategy and no service",
	},
	"internal/watch": {
		imports: []string{"bestpick/client", "bestpick/internal/terminal", "bestpick/wire"},
		why:     "it shows a study as any client sees it, in the sentences of the pages",
	},
	"internal/store": {
		imports: []string{"bestpick/internal/store/postgres", "bestpick/internal/store/sqlite", "bestpick/internal/store/sqlstore"},
		why:     "it opens either database, so that its callers need to know neither",
	},
	"internal/doctor": {
		imports: []string{"bestpick/internal/store", "bestpick/internal/terminal", "github.com/jackc/pgx/v5"},
		why:     "it inspects databases and the machine, and runs no service",
	},
	"serve": {
		imports: []string{
			"bestpick/internal/access", "bestpick/internal/api", "bestpick/internal/jobs", "bestpick/internal/middleware",
			"bestpick/internal/observe", "bestpick/internal/picture", "bestpick/internal/store", "bestpick/internal/study",
			"bestpick/internal/web", "bestpick/internal/webhook", "bestpick/strategy", "bestpick/wire", "bestpick/internal/study/owner",
			"bestpick/internal/study/wiring",
		},
		why: "it combines the parts of the service into one handler, for any program",
	},
	"internal/table": {
		imports: []string{"github.com/parquet-go/parquet-go", "golang.org/x/text/…"},
		why:     "it knows rows of text and places in files, not what the text is about",
	},
	"internal/recorded": {
		imports: []string{
			"bestpick/choice", "bestpick/internal/answers", "bestpick/internal/catalogue",
			"bestpick/internal/catalogue/read", "bestpick/internal/table",
		},
		why: "it turns tables into what the model takes, and does no mathematics of its own",
	},
	"internal/answers": {
		imports: []string{"bestpick/internal/catalogue/read", "bestpick/internal/table"},
		why:     "it knows answers as files have them; which arms and studies there are is the caller's business",
	},
	"internal/catalogue": {
		imports: []string{"bestpick/internal/table"},
		why:     "tables of arms are the ground of reading, encoding and saving, and know none of them",
	},
	"internal/catalogue/read": {
		imports: []string{
			"bestpick/internal/catalogue", "bestpick/choice", "bestpick/internal/table",
			"github.com/parquet-go/parquet-go/…", "github.com/parquet-go/parquet-go",
		},
		why: "it turns files into tables; what becomes of the columns is decided elsewhere",
	},
	"internal/catalogue/encode": {
		imports: []string{"bestpick/internal/catalogue", "bestpick/choice", "bestpick/internal/table", "gonum.org/v1/gonum/…"},
		why:     "it turns tables into what the model takes, whichever files they come from",
	},
	"internal/catalogue/product": {
		imports: []string{
			"bestpick/internal/catalogue", "bestpick/internal/catalogue/encode", "bestpick/choice",
			"bestpick/internal/table", "go.yaml.in/yaml/v3",
		},
		why: "attributes and levels are encoded like the columns of a table",
	},
	"internal/catalogue/archive": {
		imports: []string{
			"bestpick/internal/catalogue", "bestpick/internal/catalogue/encode", "bestpick/internal/catalogue/product",
			"bestpick/internal/catalogue/read", "bestpick/choice", "bestpick/internal/picture", "bestpick/internal/table",
			"gonum.org/v1/gonum/mat",
		},
		why: "it brings reading and encoding together; what is asked about the arms is not its concern",
	},
	"internal/catalogue/cataloguetest": {
		imports: []string{
			"bestpick/internal/catalogue", "bestpick/internal/catalogue/encode", "bestpick/internal/catalogue/product",
			"bestpick/choice", "github.com/parquet-go/parquet-go", "github.com/xuri/excelize/v2", "golang.org/x/text/encoding",
			"golang.org/x/text/encoding/charmap", "golang.org/x/text/encoding/unicode", "pgregory.net/rapid",
		},
		why: "it makes tables and files of arms for the tests of all parts",
	},
	"internal/picture": {
		imports: []string{
			"bestpick/internal/middleware", "bestpick/internal/table", "golang.org/x/image/draw",
			"golang.org/x/image/webp",
		},
		why: "it knows pixels, and neither arms nor who looks at them",
	},
	"internal/study": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/internal/picture", "bestpick/strategy",
			"bestpick/strategy/majority", "bestpick/strategy/racing",
		},
		why: "what a study is does not depend on how it is run, where it is kept and who asks over which wire",
	},
	"internal/study/live": {
		imports: []string{"bestpick/internal/catalogue/archive", "bestpick/internal/study"},
		why:     "all parts share one memory of a study, which knows none of them",
	},
	"internal/study/dispatch": {
		imports: []string{"bestpick/internal/middleware", "bestpick/internal/study", "bestpick/internal/study/live"},
		why:     "respondents never wait for mathematics; it counts their requests with the limiter of the middleware",
	},
	"internal/study/replay": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/internal/catalogue/archive", "bestpick/internal/study",
			"bestpick/strategy", "bestpick/strategy/racing",
		},
		why: "what a log leads to follows from the log alone: no memory, clock or network",
	},
	"internal/study/planning": {
		imports: []string{"bestpick/internal/study", "bestpick/internal/study/live", "bestpick/internal/study/replay"},
		why:     "a planner continues what replay computes, and knows nothing of respondents",
	},
	"internal/study/overview": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/internal/answers", "bestpick/internal/catalogue/archive",
			"bestpick/internal/catalogue/encode", "bestpick/internal/study", "bestpick/internal/study/live",
			"bestpick/internal/study/replay", "bestpick/internal/table", "bestpick/strategy", "bestpick/strategy/racing",
			"gonum.org/v1/gonum/mat",
		},
		why: "pages and exports read what plans have written",
	},
	"internal/study/owner": {
		imports: []string{
			"bestpick/internal/jobs", "bestpick/choice", "bestpick/internal/catalogue", "bestpick/internal/catalogue/archive",
			"bestpick/internal/catalogue/encode",
			"bestpick/internal/catalogue/read", "bestpick/internal/picture", "bestpick/internal/study", "bestpick/internal/study/live",
			"bestpick/internal/study/overview",
			"bestpick/internal/study/planning", "bestpick/internal/study/replay", "bestpick/internal/table", "bestpick/strategy",
			"bestpick/strategy/prospects", "bestpick/strategy/racing", "golang.org/x/sync/singleflight",
		},
		why: "an erasure replaces plans and says what became of the verdict; respondents are not its business",
	},
	"internal/study/wiring": {
		imports: []string{"bestpick/internal/middleware", "bestpick/internal/study", "bestpick/internal/study/…"},
		why:     "it gives every part what it needs, and does nothing else",
	},
	"internal/study/studytest": {
		imports: []string{
			"bestpick/choice", "bestpick/crowd", "bestpick/internal/catalogue", "bestpick/internal/catalogue/…",
			"bestpick/internal/store/sqlite", "bestpick/internal/study", "bestpick/internal/study/…", "bestpick/strategy/racing",
			"github.com/google/go-cmp/…",
		},
		why: "it is the stage of tests: a whole service on a store",
	},
	"internal/statement": {
		imports: []string{
			"bestpick/checks", "bestpick/evidence", "bestpick/internal/catalogue/archive", "bestpick/internal/study",
			"bestpick/internal/study/overview", "bestpick/strategy", "bestpick/strategy/racing",
		},
		why: "a result is the same sentence on pages, in the API and in a terminal",
	},
	"internal/access": {
		imports: []string{"bestpick/internal/table", "golang.org/x/text/unicode/norm"},
		why:     "who may do what has nothing to do with what is done",
	},
	"internal/store/storetest": {why: "the tests that every store must pass"},
	"internal/store/sqlstore": {
		imports: []string{
			"bestpick/internal/access", "bestpick/internal/jobs", "bestpick/internal/study", "bestpick/internal/webhook",
			"github.com/pressly/goose/v3",
		},
		why: "the queries that both databases share know neither of their drivers",
	},
	"internal/store/sqlite": {
		imports: []string{
			"bestpick/internal/jobs", "bestpick/internal/access", "bestpick/internal/store/sqlstore",
			"bestpick/internal/study", "bestpick/internal/webhook", "github.com/pressly/goose/v3", "modernc.org/sqlite",
			"modernc.org/sqlite/…",
		},
		why: "a store knows studies, who may run them, and its database, nothing else",
	},
	"internal/store/postgres": {
		imports: []string{
			"github.com/riverqueue/river", "github.com/riverqueue/river/…", "bestpick/internal/jobs",
			"bestpick/internal/access", "bestpick/internal/store/sqlstore", "bestpick/internal/study", "bestpick/internal/webhook",
			"github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/…", "github.com/pressly/goose/v3",
		},
		why: "a store knows studies, who may run them, and its database, nothing else",
	},
	"internal/api": {
		imports: []string{
			"bestpick/checks", "bestpick/internal/access", "bestpick/internal/answers", "bestpick/wire",
			"bestpick/internal/catalogue", "bestpick/internal/catalogue/…", "bestpick/internal/middleware", "bestpick/internal/picture",
			"bestpick/internal/problems", "bestpick/choice", "bestpick/internal/recorded", "bestpick/internal/statement",
			"bestpick/strategy", "bestpick/strategy/prospects", "bestpick/strategy/racing", "bestpick/internal/study",
			"bestpick/internal/table", "bestpick/internal/webhook", "github.com/danielgtaylor/huma/v2",
			"github.com/danielgtaylor/huma/v2/adapters/humago", "bestpick/internal/study/…",
		},
		why: "it offers the operations of studies over HTTP, on any store",
	},
	"internal/problems": {
		imports: []string{"bestpick/internal/study", "bestpick/wire"},
		why:     "how an error is reported is the same for programs and for people",
	},
	"internal/web": {
		imports: []string{
			"bestpick/internal/access", "bestpick/internal/study/replay", "bestpick/internal/study/wiring",
			"bestpick/internal/web/admin", "bestpick/internal/web/page", "bestpick/internal/web/respond",
			"bestpick/internal/web/results", "bestpick/internal/web/setup",
		},
		why: "it routes requests to the pages",
	},
	"internal/web/page": {
		imports: []string{
			"bestpick/internal/table", "bestpick/internal/access", "bestpick/internal/middleware", "bestpick/internal/picture",
			"bestpick/internal/statement", "bestpick/internal/study",
			"bestpick/internal/webhook",
		},
		why: "what all pages share does not depend on any of them",
	},
	"internal/web/respond": {
		imports: []string{
			"bestpick/internal/access", "bestpick/internal/catalogue/archive", "bestpick/internal/problems",
			"bestpick/internal/statement", "bestpick/internal/study", "bestpick/internal/study/dispatch",
			"bestpick/internal/study/live", "bestpick/internal/web/page", "github.com/yuin/goldmark",
			"github.com/yuin/goldmark/…",
		},
		why: "respondents see questions, and no results",
	},
	"internal/web/setup": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/examples", "bestpick/internal/access", "bestpick/internal/catalogue",
			"bestpick/internal/catalogue/archive", "bestpick/internal/catalogue/encode", "bestpick/internal/catalogue/read",
			"bestpick/internal/picture", "bestpick/internal/problems",
			"bestpick/internal/recorded", "bestpick/internal/statement", "bestpick/internal/study",
			"bestpick/internal/study/live", "bestpick/internal/study/owner", "bestpick/internal/table",
			"bestpick/internal/web/page", "bestpick/internal/web/respond", "bestpick/strategy/majority", "bestpick/strategy",
			"bestpick/strategy/prospects", "bestpick/strategy/racing",
		},
		why: "owners change studies; a preview shows what respondents will see",
	},
	"internal/web/results": {
		imports: []string{
			"bestpick/checks", "bestpick/internal/access", "bestpick/internal/answers",
			"bestpick/internal/catalogue/archive", "bestpick/internal/catalogue/encode",
			"bestpick/internal/middleware", "bestpick/internal/statement",
			"bestpick/internal/study", "bestpick/internal/study/live", "bestpick/internal/study/overview",
			"bestpick/internal/study/replay", "bestpick/internal/table",
			"bestpick/internal/web/page", "bestpick/internal/web/respond", "bestpick/strategy",
		},
		why: "results are shown, never changed",
	},
	"internal/web/admin": {
		imports: []string{
			"bestpick/internal/access", "bestpick/internal/catalogue/archive", "bestpick/internal/statement",
			"bestpick/internal/study", "bestpick/internal/study/overview", "bestpick/internal/web/page",
			"bestpick/internal/webhook", "bestpick/strategy", "rsc.io/qr",
		},
		why: "who has access, and what happened, is not about one study",
	},
	"wire": {why: "what goes over the wire is known to programs that have nothing else of ours"},
	"client": {
		imports: []string{"bestpick/wire"},
		why:     "a client needs no code of the server",
	},
	"internal/observe": {
		imports: []string{
			"bestpick/internal/access", "bestpick/internal/middleware", "bestpick/internal/study", "bestpick/internal/study/planning",
			"github.com/prometheus/client_golang/…", "go.opentelemetry.io/…", "google.golang.org/protobuf/proto",
		},
		why: "it counts what a service does and tells how long it takes, under the pseudonyms of studies",
	},
	"internal/webhook": {
		imports: []string{"bestpick/internal/jobs", "bestpick/internal/middleware", "bestpick/wire", "bestpick/internal/study"},
		why:     "it delivers any message, on any store",
	},
	"internal/middleware": {why: "it knows HTTP, not what is served"},
	"tools/load": {
		imports: []string{
			"bestpick/client", "bestpick/crowd", "bestpick/internal/access", "bestpick/internal/catalogue",
			"bestpick/internal/catalogue/archive",
			"bestpick/internal/catalogue/read", "bestpick/internal/store", "bestpick/internal/study", "bestpick/internal/study/planning",
			"bestpick/internal/study/wiring", "bestpick/internal/testpostgres", "bestpick/strategy", "bestpick/strategy/racing",
			"bestpick/wire",
			"github.com/alecthomas/kong", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/stdlib", "modernc.org/sqlite",
		},
		why: "it starts the program as a process, measures the bare store beside it, and runs a study on a database to measure that",
	},
	"tools/docs": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/crowd", "bestpick/internal/api", "bestpick/internal/paper",
			"bestpick/internal/study/wiring", "bestpick/simulate", "bestpick/strategy", "bestpick/strategy/racing",
			"github.com/chromedp/chromedp",
		},
		why: "it makes parts of the documentation and is no part of the product",
	},
	"tools/peers": {
		imports: []string{"bestpick/choice", "bestpick/internal/recorded", "github.com/alecthomas/kong"},
		why:     "it times the estimate alone, as the other packages do",
	},
	"examples": {why: "it has files, and programs that are tests"},
	"cmd/bestpick": {
		imports: []string{"…"},
		why:     "wiring may import every package",
	},
	"cmd/bestpick/command": {
		imports: []string{
			"bestpick/internal/catalogue", "bestpick/internal/catalogue/archive", "bestpick/internal/terminal",
			"github.com/schollz/progressbar/v3",
		},
		why: "commands share streams, exit statuses and how they read files",
	},
	"cmd/bestpick/simulation": {
		imports: []string{
			"bestpick/checks", "bestpick/choice", "bestpick/cmd/bestpick/command", "bestpick/crowd", "bestpick/design",
			"bestpick/evidence",
			"bestpick/internal/catalogue/encode", "bestpick/internal/paper", "bestpick/internal/recorded", "bestpick/internal/statement",
			"bestpick/internal/store", "bestpick/internal/sweep", "bestpick/internal/table", "bestpick/internal/terminal",
			"bestpick/simulate", "bestpick/strategy", "bestpick/strategy/…", "bestpick/theory", "github.com/schollz/progressbar/v3",
		},
		why: "simulations need strategies and crowds, and no service",
	},
	"internal/browser": {
		imports: []string{"github.com/chromedp/cdproto/…", "github.com/chromedp/chromedp"},
		why:     "a helper of tests has no business with the product",
	},
	"internal/approx": {why: "a helper of tests has no business with the product"},
	"internal/testpostgres": {
		imports: []string{"github.com/jackc/pgx/v5/stdlib"},
		why:     "a helper of tests has no business with the product",
	},
	"internal/endtoend":    {why: "it knows the program by its command line and its HTTP interface"},
	"internal/testsupport": {why: "a helper of tests has no business with the product"},
	"internal/boundaries":  {why: "it reads imports and has none"},
}

// modulePath is renamed by tools/rename.sh.
const modulePath = "bestpick"

// outside are standard packages that reach out of the program or keep state for all
// of it. The library half must not import them: its caller hands in what it
// needs, and the same calls give the same results.
var outside = map[string]string{
	"time":          "no clock",
	"os":            "no files, no environment",
	"os/exec":       "no other programs",
	"os/signal":     "no signals",
	"io/fs":         "no files",
	"log":           "no output",
	"log/slog":      "no output",
	"net":           "no network",
	"net/http":      "no network",
	"math/rand":     "no global random state: random sources are handed in",
	"crypto/rand":   "no randomness that cannot be repeated",
	"database/sql":  "no database",
	"syscall":       "nothing of the machine",
	"unsafe":        "no need",
	"path/filepath": "no files",
}

// listed is what go list says of a package.
type listed struct {
	Dir        string   `json:"Dir"`
	ImportPath string   `json:"ImportPath"`
	GoFiles    []string `json:"GoFiles"`
	Imports    []string `json:"Imports"`
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=Dir,ImportPath,GoFiles,Imports", "bestpick/...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func TestImports(t *testing.T) {
	met := map[string]bool{}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "bestpick/")
		r, known := rooms[name]
		if !known {
			t.Errorf("%s has no room: say here what it may import, and why", name)
			continue
		}
		met[name] = true
		for _, path := range p.Imports {
			if why, forbidden := outside[path]; forbidden && r.library {
				t.Errorf("%s imports %s: %s in the library half", name, path, why)
			}
			if isStandard(path) || slices.ContainsFunc(r.imports, func(allowed string) bool { return allows(allowed, path) }) {
				continue
			}
			t.Errorf("%s imports %s, but %s", name, path, r.why)
		}
	}
	for name := range rooms {
		if !met[name] {
			t.Errorf("there is no package %s any more", name)
		}
	}
}

func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && first != modulePath
}

func allows(allowed, path string) bool {
	prefix, all := strings.CutSuffix(allowed, "…")
	return allowed == path || all && strings.HasPrefix(path, prefix)
}

// TestNoGlobalRandomness: of math/rand/v2 the library half uses only what makes a
// source of its own.
func TestNoGlobalRandomness(t *testing.T) {
	own := []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}
	for _, p := range listPackages(t) {
		if !rooms[strings.TrimPrefix(p.ImportPath, "bestpick/")].library {
			continue
		}
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"math/rand/v2"` }) {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "rand" && x.Obj == nil && !slices.Contains(own, s.Sel.Name) {
						t.Errorf("%s uses rand.%s, which draws from a global source", files.Position(s.Pos()), s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
