package main

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

	"bestpick/internal/store/inspection"
	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
)

// configuration describes the database that a server would use.
func (c *doctorCommand) configuration() finding {
	const name = "configuration"
	if !isPostgres(c.Database) {
		if strings.Contains(c.Database, "://") {
			return finding{name, problem, c.Database + " must be a file, or an address that begins with postgres://"}
		}
		return finding{name, healthy, fmt.Sprintf("SQLite in %s, for the processes of one machine", c.Database)}
	}
	config, err := pgx.ParseConfig(c.Database)
	if err != nil {
		return finding{name, problem, err.Error()}
	}
	return finding{name, healthy, fmt.Sprintf("PostgreSQL at %s, database %s, user %s", config.Host, config.Database, config.User)}
}

// checkFile checks an SQLite file and the folder it is in.
func (c *doctorCommand) checkFile(ctx context.Context) []finding {
	folder := filepath.Dir(c.Database)
	_, err := os.Stat(c.Database)
	if errors.Is(err, fs.ErrNotExist) {
		return []finding{{"store", healthy, "the file does not exist yet; bestpick serve creates it"}, checkFolder(folder), checkClock(time.Now(), inspection.Report{}), checkSpace(folder, 0)}
	}
	report, err := sqlite.Inspect(ctx, c.Database)
	findings := []finding{checkStore(report, err, "stop all processes, keep a copy of the file, and restore the last backup")}
	if err == nil {
		findings = append(findings, checkWriting(sqlite.TryWrite(ctx, c.Database), "its owner must be the one who runs bestpick, who must be allowed to write to the folder, too"))
	}
	return append(findings, checkPermissions(c.Database), checkClock(time.Now(), report), checkSpace(folder, report.Bytes))
}

// checkPostgres checks a database on a server.
func (c *doctorCommand) checkPostgres(ctx context.Context) []finding {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	report, err := postgres.Inspect(ctx, c.Database)
	findings := []finding{checkStore(report, err, "check that the server runs, and the address, user and password")}
	if err != nil {
		return findings
	}
	return append(findings, checkWriting(postgres.TryWrite(ctx, c.Database), "the user needs the right to create tables and to write to them, on a server that is no standby"),
		checkClock(time.Now(), report),
		finding{"space", healthy, fmt.Sprintf("the database takes %s; check the free space on its server", megabytes(report.Bytes))})
}

// checkStore summarises the contents of a database, or says why it cannot be used, with a remedy.
func checkStore(r inspection.Report, err error, remedy string) finding {
	const name = "store"
	switch {
	case errors.Is(err, inspection.ErrForeign):
		return finding{name, problem, "the database belongs to another program: choose another one"}
	case err != nil:
		return finding{name, problem, fmt.Sprintf("%v; %s", err, remedy)}
	case r.Check() != nil:
		return finding{name, problem, r.Check().Error() + ": use a newer one"}
	case r.Version == 0:
		return finding{name, healthy, "the database is empty; bestpick serve creates the tables"}
	case r.Version < r.Newest:
		return finding{name, warning, fmt.Sprintf("version %d; bestpick serve upgrades it to version %d, which cannot be undone: make a backup before; %s", r.Version, r.Newest, contents(r))}
	}
	sound := ""
	if r.Sound {
		sound = ", not damaged"
	}
	return finding{name, healthy, fmt.Sprintf("version %d%s; %s", r.Version, sound, contents(r))}
}

const writing = "writing"

// checkWriting checks that the database is writable.
func checkWriting(err error, remedy string) finding {
	if err != nil {
		return finding{writing, problem, fmt.Sprintf("the database is not writable: %v; %s", err, remedy)}
	}
	return finding{writing, healthy, "the database is writable"}
}

// checkFolder checks that a file can be created in a folder.
func checkFolder(folder string) finding {
	file, err := os.CreateTemp(folder, ".bestpick-doctor-*")
	if err != nil {
		return finding{writing, problem, fmt.Sprintf("no file can be created in %s: %v", folder, cause(err))}
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return finding{writing, problem, err.Error()}
	}
	return finding{writing, healthy, "the file can be created"}
}

// checkPermissions checks that other users cannot read the database, which contains a secret.
func checkPermissions(path string) finding {
	const name, others = "permissions", 0o077
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return finding{name, problem, err.Error()}
		}
		if mode := info.Mode().Perm(); mode&others != 0 {
			return finding{name, problem, fmt.Sprintf("%s has mode %04o, but contains answers and a secret that only its owner should read: chmod 600 %s", file, mode, file)}
		}
	}
	return finding{name, healthy, "only its owner can read it"}
}
