package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store"
	"bestpick/internal/terminal"
)

// checkConfiguration describes the database that a server would use.
func checkConfiguration(path string) Finding {
	const name = "configuration"
	if !store.IsPostgres(path) {
		if strings.Contains(path, "://") {
			return Finding{name, Problem, path + " must be a file, or an address that begins with postgres://"}
		}
		return Finding{name, Healthy, fmt.Sprintf("SQLite in %s, for the processes of one machine", path)}
	}
	config, err := pgx.ParseConfig(path)
	if err != nil {
		return Finding{name, Problem, err.Error()}
	}
	return Finding{name, Healthy, fmt.Sprintf("PostgreSQL at %s, database %s, user %s", config.Host, config.Database, config.User)}
}

// checkFile checks an SQLite file and the folder it is in.
func checkFile(ctx context.Context, path string) []Finding {
	folder := filepath.Dir(path)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return []Finding{{"store", Healthy, "the file does not exist yet; bestpick serve creates it"}, checkFolder(folder), checkClock(time.Now(), store.Report{}), checkSpace(folder, 0)}
	}
	report, err := store.Inspect(ctx, path)
	findings := []Finding{checkStore(report, err, "stop all processes, keep a copy of the file, and restore the last backup")}
	if err == nil {
		findings = append(findings, checkWriting(store.TryWrite(ctx, path), "its owner must be the one who runs bestpick, who must be allowed to write to the folder, too"))
	}
	return append(findings, checkPermissions(path), checkClock(time.Now(), report), checkSpace(folder, report.Bytes))
}

// checkPostgres checks a database on a server.
func checkPostgres(ctx context.Context, path string) []Finding {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	report, err := store.Inspect(ctx, path)
	findings := []Finding{checkStore(report, err, "check that the server runs, and the address, user and password")}
	if err != nil {
		return findings
	}
	return append(findings, checkWriting(store.TryWrite(ctx, path), "the user needs the right to create tables and to write to them, on a server that is no standby"),
		checkClock(time.Now(), report),
		Finding{"space", Healthy, fmt.Sprintf("the database takes %s; check the free space on its server", megabytes(report.Bytes))})
}

// checkStore summarises the contents of a database, or says why it cannot be used, with a remedy.
func checkStore(r store.Report, err error, remedy string) Finding {
	const name = "store"
	switch {
	case errors.Is(err, store.ErrForeign):
		return Finding{name, Problem, "the database belongs to another program: choose another one"}
	case err != nil:
		return Finding{name, Problem, fmt.Sprintf("%v; %s", err, remedy)}
	case r.Check() != nil:
		return Finding{name, Problem, r.Check().Error() + ": use a newer one"}
	case r.Version == 0:
		return Finding{name, Healthy, "the database is empty; bestpick serve creates the tables"}
	case r.Version < r.Newest:
		return Finding{name, Warning, fmt.Sprintf("version %d; bestpick serve upgrades it to version %d, which cannot be undone: make a backup before; %s", r.Version, r.Newest, Contents(r))}
	}
	sound := ""
	if r.Sound {
		sound = ", not damaged"
	}
	return Finding{name, Healthy, fmt.Sprintf("version %d%s; %s", r.Version, sound, Contents(r))}
}

const writing = "writing"

// checkWriting checks that the database is writable.
func checkWriting(err error, remedy string) Finding {
	if err != nil {
		return Finding{writing, Problem, fmt.Sprintf("the database is not writable: %v; %s", err, remedy)}
	}
	return Finding{writing, Healthy, "the database is writable"}
}

// checkFolder checks that a file can be created in a folder.
func checkFolder(folder string) Finding {
	file, err := os.CreateTemp(folder, ".bestpick-doctor-*")
	if err != nil {
		return Finding{writing, Problem, fmt.Sprintf("no file can be created in %s: %v", folder, errors.Unwrap(err))}
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return Finding{writing, Problem, err.Error()}
	}
	return Finding{writing, Healthy, "the file can be created"}
}

// checkPermissions checks that other users cannot read the database, which contains a secret.
func checkPermissions(path string) Finding {
	const name, others = "permissions", 0o077
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Finding{name, Problem, err.Error()}
		}
		if mode := info.Mode().Perm(); mode&others != 0 {
			return Finding{name, Problem, fmt.Sprintf("%s has mode %04o, but contains answers and a secret that only its owner should read: chmod 600 %s", file, mode, file)}
		}
	}
	return Finding{name, Healthy, "only its owner can read it"}
}

// Contents summarises the contents of a database.
func Contents(r store.Report) string {
	studies := "1 study"
	if r.Studies != 1 {
		studies = fmt.Sprintf("%d studies", r.Studies)
	}
	return studies + " with " + terminal.Count(int(r.Outcomes), "outcome")
}
