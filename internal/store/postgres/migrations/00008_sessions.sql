-- +goose Up

-- Sessions that were ended before their time, by hashes of what the cookies say. Rows are removed
-- when the sessions would be over.
CREATE TABLE ended_sessions (
    session text        PRIMARY KEY,
    until   timestamptz NOT NULL
);

CREATE INDEX ended_sessions_until ON ended_sessions (until);
