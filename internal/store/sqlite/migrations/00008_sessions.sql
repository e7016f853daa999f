-- +goose Up

-- Sessions that were ended before their time, by hashes of what the cookies say. Rows are removed
-- when the sessions would be over.
CREATE TABLE ended_sessions (
    session TEXT    PRIMARY KEY,
    until   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX ended_sessions_until ON ended_sessions (until);
