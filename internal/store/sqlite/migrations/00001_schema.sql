-- +goose Up
-- +goose StatementBegin

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

-- Pictures of arms, ready to be served, by hashes of their bytes.
CREATE TABLE pictures (
    study INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hash  TEXT    NOT NULL,
    type  TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (study, hash)
);

-- Members of panels. Keys are not hashed, so that owners can send links again; they are found by their hashes.
CREATE TABLE members (
    study   INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number  INTEGER NOT NULL, -- in the order in which they were added
    name    TEXT    NOT NULL,
    segment TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    hash    TEXT    NOT NULL, -- of the key
    added   INTEGER NOT NULL,
    PRIMARY KEY (study, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX members_name ON members (study, name);
CREATE UNIQUE INDEX members_hash ON members (study, hash);

-- Answers of respondents to profile questions, as JSON by the name of the question.
CREATE TABLE profiles (
    study      INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    respondent TEXT    NOT NULL,
    answers    TEXT    NOT NULL,
    consent    TEXT    NOT NULL, -- the hash of the text that the respondent has agreed to; empty without one
    agreed     INTEGER NOT NULL, -- when
    PRIMARY KEY (study, respondent)
) WITHOUT ROWID;

-- Texts of consent that respondents have agreed to.
CREATE TABLE consents (
    study INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hash  TEXT    NOT NULL,
    text  TEXT    NOT NULL,
    PRIMARY KEY (study, hash)
) WITHOUT ROWID;

-- Places of respondents in the groups of profile questions with choices. Quotas limit those that have not ended.
CREATE TABLE places (
    study      INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    question   TEXT    NOT NULL,
    answer     TEXT    NOT NULL,
    respondent TEXT    NOT NULL,
    until      INTEGER NOT NULL, -- the end of the reservation; the year 9999 if the respondent keeps the place
    PRIMARY KEY (study, respondent, question)
) WITHOUT ROWID;

CREATE INDEX places_group ON places (study, question, answer, until);

-- How many people of a network have arrived in an hour. Rows of earlier hours are removed when the next network comes.
CREATE TABLE networks (
    study   INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hour    INTEGER NOT NULL, -- since 1970
    network TEXT    NOT NULL, -- a keyed hash of network and hour
    people  INTEGER NOT NULL,
    PRIMARY KEY (study, hour, network)
) WITHOUT ROWID;

-- The counters of a study. Version, state, budget and deadline are also in the body of the study.
CREATE TABLE progress (
    study    INTEGER PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    version  INTEGER NOT NULL,
    state    TEXT    NOT NULL,
    budget   INTEGER NOT NULL,           -- 0 for none
    deadline INTEGER NOT NULL,           -- the zero time for none
    answers  INTEGER NOT NULL DEFAULT 0, -- that stand, with imported ones
    excluded INTEGER NOT NULL DEFAULT 0, -- of the answers, those that the last plan leaves out of the budget
    held     INTEGER NOT NULL DEFAULT 0, -- claimed and dealt questions without a standing outcome
    outcomes INTEGER NOT NULL DEFAULT 0, -- the number of the last outcome
    told     INTEGER NOT NULL DEFAULT 0, -- the number of the last outcome that a plan counts
    plans    INTEGER NOT NULL DEFAULT 0, -- the number of the last plan
    planned  INTEGER NOT NULL DEFAULT 0, -- questions in all plans
    claimed  INTEGER NOT NULL DEFAULT 0, -- claimed questions, always the first ones
    seen     INTEGER NOT NULL DEFAULT 0, -- the version of the study in the last plan
    low      INTEGER NOT NULL DEFAULT 0, -- the number of unclaimed questions at which the planner adds some
    wakes    INTEGER,                    -- when a hand ends, if there is one
    waits    INTEGER,                    -- when a question without a standing outcome was claimed, as of the last plan
    over     INTEGER NOT NULL DEFAULT 0, -- whether it is done, and its last plan is made
    planner  TEXT    NOT NULL DEFAULT '', -- that held the lease last; empty after it has released it
    until    INTEGER NOT NULL DEFAULT 0, -- the end of the planner's lease
    due      INTEGER GENERATED ALWAYS AS (CASE -- when a planner has something to do
        WHEN over OR state = 'draft' THEN NULL
        WHEN outcomes > told OR state = 'done' AND plans > 0 OR state <> 'done' AND version > seen
            OR state = 'open' AND planned - claimed <= low THEN -9223372036854775807
        WHEN state <> 'done' THEN nullif(min(coalesce(wakes, 9223372036854775807), coalesce(waits, 9223372036854775807),
            CASE WHEN deadline > -62135596800000000 THEN deadline ELSE 9223372036854775807 END), 9223372036854775807)
    END) STORED
);

-- Planners look for due studies every second, so idle ones must cost nothing.
CREATE INDEX progress_due ON progress (due, until) WHERE due IS NOT NULL;
CREATE INDEX progress_planner ON progress (planner) WHERE planner <> '';

-- The log. Rows are only added, and erased.
--
-- The outcomes of one respondent are read with every question. Names have no order, so an index by name would write
-- another page with every outcome. So only the first outcome of a respondent is found by name, and the others by its
-- number.
CREATE TABLE outcomes (
    study      INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    shown      TEXT    NOT NULL,
    picks      TEXT    NOT NULL,
    respondent TEXT    NOT NULL,
    segment    TEXT    NOT NULL,
    plan       INTEGER NOT NULL,
    asked      INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    note       TEXT    NOT NULL, -- JSON, empty if there is none
    undoes     INTEGER,          -- the number of the answer that was taken back
    began      INTEGER,          -- the number of the respondent's first outcome; none for lost and imported ones
    PRIMARY KEY (study, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX outcomes_first ON outcomes (study, respondent) WHERE began = number;
CREATE INDEX outcomes_later ON outcomes (study, began) WHERE began < number;
CREATE INDEX outcomes_undone ON outcomes (study, number) WHERE undoes IS NOT NULL;
CREATE INDEX outcomes_undoes ON outcomes (study, undoes) WHERE undoes IS NOT NULL;

-- Names of imported batches. One row per batch keeps it from being imported twice.
CREATE TABLE batches (
    study INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    name  TEXT    NOT NULL,
    PRIMARY KEY (study, name)
) WITHOUT ROWID;

-- Imports. Rows are staged in the table imported, a chunk at a time, and count from one update of this row.
CREATE TABLE imports (
    key     INTEGER PRIMARY KEY AUTOINCREMENT,
    study   INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    after   INTEGER, -- the number of the outcome before its first one; null while rows are staged
    rows    INTEGER NOT NULL DEFAULT 0,
    touched INTEGER NOT NULL DEFAULT (unixepoch()) -- in seconds since 1970
);

CREATE INDEX imports_log ON imports (study, after);

-- Outcomes of imports. The number of an outcome is the sum of after and place.
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
    note       TEXT    NOT NULL,
    PRIMARY KEY (import, place)
) WITHOUT ROWID;

-- Questions that were claimed or have an outcome. One row per question keeps a second outcome away.
CREATE TABLE questions (
    study    INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    claimed  INTEGER,                    -- when
    number   INTEGER,                    -- of the last outcome
    stands   INTEGER NOT NULL DEFAULT 0, -- whether that is not an undone one
    undos    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (study, position)
) WITHOUT ROWID;

CREATE INDEX questions_out ON questions (study, claimed, position) WHERE stands = 0;

CREATE TABLE plans (
    study     INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number    INTEGER NOT NULL,
    upto      INTEGER NOT NULL,
    known     INTEGER NOT NULL, -- the number of the last outcome when it was made
    first     INTEGER NOT NULL,
    changes   TEXT    NOT NULL, -- JSON, empty if there are none
    questions TEXT    NOT NULL,
    verdict   TEXT    NOT NULL, -- pruned
    done      TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (study, number)
) WITHOUT ROWID;

-- The complete verdict of the last plan.
CREATE TABLE verdicts (
    study   INTEGER PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    plan    INTEGER NOT NULL,
    verdict TEXT    NOT NULL
);

CREATE TABLE snapshots (
    study INTEGER PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    plan  INTEGER NOT NULL,
    state BLOB    NOT NULL
);

CREATE TABLE secrets (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    bytes BLOB NOT NULL
);

CREATE TABLE tokens (
    name    TEXT    PRIMARY KEY,
    role    TEXT    NOT NULL,
    hash    TEXT    NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    study   TEXT    NOT NULL, -- the only study of a viewer; empty for all
    expires INTEGER NOT NULL, -- of an invitation; the zero time for others
    look    TEXT    NOT NULL UNIQUE -- the same for names that look alike
) WITHOUT ROWID;

-- Sessions that were ended early, by hashes of their cookies. Rows are removed when the sessions would have ended.
CREATE TABLE ended_sessions (
    session TEXT    PRIMARY KEY,
    until   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX ended_sessions_until ON ended_sessions (until);

-- Operations of owners. Rows are only added, and outlive their studies, so there is no reference.
CREATE TABLE audit (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    actor     TEXT    NOT NULL, -- the name of the token
    token     TEXT    NOT NULL, -- its ID
    operation TEXT    NOT NULL,
    about     TEXT    NOT NULL, -- the id of a study
    detail    TEXT    NOT NULL
);

-- Webhooks of studies, with the state of their delivery.
CREATE TABLE webhooks (
    study    INTEGER PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    url      TEXT    NOT NULL,
    secret   TEXT    NOT NULL,
    delivery TEXT    NOT NULL,
    made     INTEGER NOT NULL,
    state    TEXT    NOT NULL,
    attempts INTEGER NOT NULL,
    first    INTEGER NOT NULL,
    last     INTEGER NOT NULL,
    status   INTEGER NOT NULL,
    problem  TEXT    NOT NULL,
    next     INTEGER NOT NULL -- no attempt before
);

CREATE INDEX webhooks_waiting ON webhooks (next) WHERE state = 'waiting';

-- The last attempts to deliver the webhook of a study.
CREATE TABLE deliveries (
    study   INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    test    INTEGER NOT NULL,
    status  INTEGER NOT NULL,
    problem TEXT    NOT NULL,
    took    INTEGER NOT NULL, -- nanoseconds
    PRIMARY KEY (study, number)
) WITHOUT ROWID;

-- Background jobs.
CREATE TABLE jobs (
    kind     TEXT    NOT NULL,
    args     TEXT    NOT NULL,
    due      INTEGER NOT NULL, -- no process runs the job before; the lease of a running job ends then
    attempts INTEGER NOT NULL, -- that failed
    PRIMARY KEY (kind, args)
) WITHOUT ROWID;

CREATE INDEX jobs_due ON jobs (due);
-- +goose StatementEnd
