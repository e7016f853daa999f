package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// VersionTable has the version of the schema. Version 0.2.0 and earlier used goose's default, goose_db_version.
const VersionTable = "schema_versions"

// ErrOld reports a database whose schema this program does not know.
var ErrOld = errors.New("database of version 0.2.0 or earlier; start with a new one")

// Migrator returns a provider of the migrations in the folder migrations.
func Migrator(d goose.Dialect, db *sql.DB, files fs.FS, options ...goose.ProviderOption) (*goose.Provider, error) {
	migrations, err := fs.Sub(files, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(d, db, migrations, append(options, goose.WithTableName(VersionTable))...)
}

// Newest returns the latest version that this program knows.
func Newest(m *goose.Provider) (version int64) {
	for _, source := range m.ListSources() {
		version = max(version, source.Version)
	}
	return version
}

// CheckVersion returns an error if a migrated database is newer than this program.
func CheckVersion(ctx context.Context, m *goose.Provider) error {
	current, err := m.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	return Report{Version: current, Newest: Newest(m)}.Check()
}
