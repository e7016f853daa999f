-- +goose Up

-- Work for the background.
CREATE TABLE jobs (
    kind     TEXT    NOT NULL,
    args     TEXT    NOT NULL,
    due      INTEGER NOT NULL, -- no process runs the job before; the lease of a running job ends then
    attempts INTEGER NOT NULL, -- that failed
    PRIMARY KEY (kind, args)
) WITHOUT ROWID;

CREATE INDEX jobs_due ON jobs (due);
