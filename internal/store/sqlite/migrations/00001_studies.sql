-- +goose Up

-- Times are microseconds since 1970. Lists and structures are JSON.

CREATE TABLE studies (
    key     INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of creation
    id      TEXT    NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    body    TEXT    NOT NULL
);

CREATE TABLE catalogues (
    study INTEGER PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    bytes BLOB NOT NULL
);

-- How far a study is. What is written about respondents and plans goes past this row.
CREATE TABLE progress (
    study    INTEGER PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    outcomes INTEGER NOT NULL DEFAULT 0, -- the number of the last outcome
    told     INTEGER NOT NULL DEFAULT 0, -- the number of the last outcome that a plan told
    plans    INTEGER NOT NULL DEFAULT 0, -- the number of the last plan
    planned  INTEGER NOT NULL DEFAULT 0, -- questions in all plans
    claimed  INTEGER NOT NULL DEFAULT 0, -- questions handed out, always the first ones
    planner  TEXT    NOT NULL DEFAULT '',
    until    INTEGER NOT NULL DEFAULT 0  -- when the planner's time is over
);

-- The log. Rows are only added.
CREATE TABLE outcomes (
    study      INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    shown      TEXT    NOT NULL,
    picks      TEXT    NOT NULL,
    respondent TEXT    NOT NULL,
    segment    TEXT    NOT NULL,
    asked      INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    undoes     INTEGER, -- the number of the answer that was taken back
    PRIMARY KEY (study, number)
) WITHOUT ROWID;

CREATE INDEX outcomes_undone ON outcomes (study, number) WHERE undoes IS NOT NULL;

-- The questions that were claimed or have an outcome. That a question has one row is what keeps
-- a second outcome away.
CREATE TABLE questions (
    study    INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    claimed  INTEGER,                    -- when
    number   INTEGER,                    -- of the last outcome
    stands   INTEGER NOT NULL DEFAULT 0, -- whether that is not an undone one
    PRIMARY KEY (study, position)
) WITHOUT ROWID;

CREATE INDEX questions_out ON questions (study, claimed, position) WHERE stands = 0;

CREATE TABLE plans (
    study     INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number    INTEGER NOT NULL,
    upto      INTEGER NOT NULL,
    first     INTEGER NOT NULL,
    questions TEXT    NOT NULL,
    verdict   TEXT,
    done      TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (study, number)
) WITHOUT ROWID;

CREATE INDEX plans_first ON plans (study, first);

CREATE TABLE snapshots (
    study INTEGER PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    plan  INTEGER NOT NULL,
    state BLOB    NOT NULL
);

CREATE TABLE secrets (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    bytes BLOB NOT NULL
);
