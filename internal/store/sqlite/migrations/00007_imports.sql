-- +goose Up

-- An import. Its rows are staged in imported, a chunk at a time, and count from when it has its place in the log,
-- which is one update of this row. One that was not touched for a while and has no place is left over.
CREATE TABLE imports (
    key     INTEGER PRIMARY KEY AUTOINCREMENT,
    study   INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    after   INTEGER, -- the number of the outcome before its first one; null while rows are staged
    rows    INTEGER NOT NULL DEFAULT 0,
    touched INTEGER NOT NULL DEFAULT (unixepoch()) -- in seconds since 1970
);

CREATE INDEX imports_log ON imports (study, after);

-- The outcomes of imports, beside those in the table outcomes, which has the ones imported by earlier versions. The
-- number of an outcome is the sum of after and place.
CREATE TABLE imported (
    import     INTEGER NOT NULL REFERENCES imports (key) ON DELETE CASCADE,
    place      INTEGER NOT NULL, -- from 1 on
    kind       TEXT    NOT NULL,
    shown      TEXT    NOT NULL,
    picks      TEXT    NOT NULL,
    respondent TEXT    NOT NULL,
    segment    TEXT    NOT NULL,
    asked      INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (import, place)
) WITHOUT ROWID;
