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

	"bestpick/store/inspection"
	"bestpick/store/postgres"
	"bestpick/store/sqlite"
)

// configuration says how a server would be run.
func (c *doctorCommand) configuration() finding {
	const name = "configuration"
	if !isPostgres(c.Database) {
		if strings.Contains(c.Database, "://") {
			return finding{name, problem, c.Database + " is neither a file nor an address that begins with postgres://"}
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
		return []finding{{"store", healthy, "it is not there yet; bestpick serve makes it"}, checkFolder(folder), checkClock(time.Now(), inspection.Report{}), checkSpace(folder, 0)}
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
	findings := []finding{checkStore(report, err, "see that the server runs, and that address, user and password are right")}
	if err != nil {
		return findings
	}
	return append(findings, checkWriting(postgres.TryWrite(ctx, c.Database), "the user needs the right to create tables and to write to them, on a server that is no standby"),
		checkClock(time.Now(), report),
		finding{"space", healthy, fmt.Sprintf("the database takes %s; how much is left is known on its server only", megabytes(report.Bytes))})
}

// checkStore says what is in a database, or why it cannot be used. remedy is what may help.
func checkStore(r inspection.Report, err error, remedy string) finding {
	const name = "store"
	switch {
	case errors.Is(err, inspection.ErrForeign):
		return finding{name, problem, "it holds something else than studies: choose another database"}
	case err != nil:
		return finding{name, problem, fmt.Sprintf("%v; %s", err, remedy)}
	case r.Check() != nil:
		return finding{name, problem, r.Check().Error() + ": use a newer one"}
	case r.Version == 0:
		return finding{name, healthy, "it is empty; bestpick serve makes the tables"}
	case r.Version < r.Newest:
		return finding{name, warning, fmt.Sprintf("version %d, which bestpick serve brings to version %d for good: make a backup before; %s", r.Version, r.Newest, contents(r))}
	}
	sound := ""
	if r.Sound {
		sound = ", not damaged"
	}
	return finding{name, healthy, fmt.Sprintf("version %d%s; %s", r.Version, sound, contents(r))}
}

const writing = "writing"

// checkWriting says whether something can be written.
func checkWriting(err error, remedy string) finding {
	if err != nil {
		return finding{writing, problem, fmt.Sprintf("nothing can be written: %v; %s", err, remedy)}
	}
	return finding{writing, healthy, "it can be written to"}
}

// checkFolder says whether a file can be made in a folder.
func checkFolder(folder string) finding {
	file, err := os.CreateTemp(folder, ".bestpick-doctor-*")
	if err != nil {
		return finding{writing, problem, fmt.Sprintf("no file can be made in %s: %v", folder, cause(err))}
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return finding{writing, problem, err.Error()}
	}
	return finding{writing, healthy, "it can be made"}
}

// checkPermissions says whether others can read a file that has a secret in it.
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
			return finding{name, problem, fmt.Sprintf("%s has mode %04o, and answers and a secret in it that only its owner should read: chmod 600 %s", file, mode, file)}
		}
	}
	return finding{name, healthy, "only its owner can read it"}
}
