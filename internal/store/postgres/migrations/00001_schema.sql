-- +goose Up
-- +goose StatementBegin

CREATE TABLE studies (
    key     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- in the order of creation
    id      text   NOT NULL UNIQUE,
    version bigint NOT NULL,
    body    text   NOT NULL
);

CREATE TABLE catalogues (
    study bigint PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    bytes bytea  NOT NULL
);

-- Pictures of arms, ready to be served, by hashes of their bytes.
CREATE TABLE pictures (
    study bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hash  text   NOT NULL,
    type  text   NOT NULL,
    bytes bytea  NOT NULL,
    PRIMARY KEY (study, hash)
);

-- Members of panels. Keys are not hashed, so that owners can send links again; they are found by their hashes.
CREATE TABLE members (
    study   bigint      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number  bigint      NOT NULL, -- in the order in which they were added
    name    text        NOT NULL,
    segment text        NOT NULL,
    key     text        NOT NULL,
    hash    text        NOT NULL, -- of the key
    added   timestamptz NOT NULL,
    PRIMARY KEY (study, number)
);

CREATE UNIQUE INDEX members_name ON members (study, name);
CREATE UNIQUE INDEX members_hash ON members (study, hash);

-- Answers of respondents to profile questions, as JSON by the name of the question.
CREATE TABLE profiles (
    study      bigint           NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    respondent text COLLATE "C" NOT NULL,
    answers    text             NOT NULL,
    consent    text             NOT NULL, -- the hash of the text that the respondent has agreed to; empty without one
    agreed     timestamptz      NOT NULL, -- when
    PRIMARY KEY (study, respondent)
);

-- Texts of consent that respondents have agreed to.
CREATE TABLE consents (
    study bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hash  text   NOT NULL,
    text  text   NOT NULL,
    PRIMARY KEY (study, hash)
);

-- Places of respondents in the groups of profile questions with choices. Quotas limit those that have not ended.
CREATE TABLE places (
    study      bigint           NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    question   text             NOT NULL,
    answer     text             NOT NULL,
    respondent text COLLATE "C" NOT NULL,
    until      timestamptz      NOT NULL, -- the end of the reservation; the year 9999 if the respondent keeps the place
    PRIMARY KEY (study, respondent, question)
);

CREATE INDEX places_group ON places (study, question, answer, until);

-- How many people of a network have arrived in an hour. Rows of earlier hours are removed when the next network comes.
CREATE TABLE networks (
    study   bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hour    bigint NOT NULL, -- since 1970
    network text   NOT NULL, -- a keyed hash of network and hour
    people  bigint NOT NULL,
    PRIMARY KEY (study, hour, network)
);

-- The row of a study that all its writers lock. Version, state, budget and deadline are also in the body of the study.
CREATE TABLE progress (
    study    bigint      PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    version  bigint      NOT NULL,
    state    text        NOT NULL,
    budget   bigint      NOT NULL,           -- 0 for none
    deadline timestamptz NOT NULL,           -- the zero time for none
    answers  bigint      NOT NULL DEFAULT 0, -- that stand, with imported ones
    excluded bigint      NOT NULL DEFAULT 0, -- of the answers, those that the last plan leaves out of the budget
    held     bigint      NOT NULL DEFAULT 0, -- claimed and dealt questions without a standing outcome
    outcomes bigint      NOT NULL DEFAULT 0, -- the number of the last outcome
    told     bigint      NOT NULL DEFAULT 0, -- the number of the last outcome that a plan counts
    plans    bigint      NOT NULL DEFAULT 0, -- the number of the last plan
    planned  bigint      NOT NULL DEFAULT 0, -- questions in all plans
    claimed  bigint      NOT NULL DEFAULT 0, -- claimed questions, always the first ones
    seen     bigint      NOT NULL DEFAULT 0, -- the version of the study in the last plan
    low      bigint      NOT NULL DEFAULT 0, -- the number of unclaimed questions at which the planner adds some
    wakes    timestamptz,                    -- when a hand ends, if there is one
    waits    timestamptz,                    -- when a question without a standing outcome was claimed, as of the last plan
    over     boolean     NOT NULL DEFAULT false, -- it is done, and its last plan is made
    planner  text        NOT NULL DEFAULT '', -- that held the lease last; empty after it has released it
    until    timestamptz NOT NULL DEFAULT 'epoch', -- the end of the planner's lease
    due      timestamptz GENERATED ALWAYS AS (CASE -- when a planner has something to do
        WHEN over OR state = 'draft' THEN NULL
        WHEN outcomes > told OR state = 'done' AND plans > 0 OR state <> 'done' AND version > seen
            OR state = 'open' AND planned - claimed <= low THEN '-infinity'
        WHEN state <> 'done' THEN least(wakes, waits, CASE WHEN deadline > '0001-01-01 00:00:00+00' THEN deadline END)
    END) STORED
);

-- Planners look for due studies every second, so idle ones must cost nothing.
CREATE INDEX progress_due ON progress (due, until) WHERE due IS NOT NULL;
CREATE INDEX progress_planner ON progress (planner) WHERE planner <> '';

-- The log. Rows are only added, and erased. Columns of fixed length come first, so that rows need less padding.
CREATE TABLE outcomes (
    study      integer     NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number     integer     NOT NULL,
    position   integer     NOT NULL,
    plan       integer     NOT NULL,
    asked      timestamptz NOT NULL,
    at         timestamptz NOT NULL,
    undoes     integer,    -- the number of the answer that was taken back
    kind       text        NOT NULL,
    shown      json        NOT NULL,
    picks      json        NOT NULL,
    respondent text        NOT NULL,
    segment    text        NOT NULL,
    note       text        NOT NULL, -- JSON, empty if there is none
    PRIMARY KEY (study, number) WITH (fillfactor = 100) -- rows are added at the end
);

-- The outcomes of one respondent are read with every question. Names may be too long for an index; their hashes are
-- also smaller.
CREATE INDEX outcomes_respondent ON outcomes (study, hashtextextended(respondent, 0))
WHERE kind IN ('answered', 'skipped', 'undone', 'arrived');
CREATE INDEX outcomes_undone ON outcomes (study, number) WHERE undoes IS NOT NULL;
CREATE INDEX outcomes_undoes ON outcomes (study, undoes) WHERE undoes IS NOT NULL;

-- Names of imported batches. One row per batch keeps it from being imported twice.
CREATE TABLE batches (
    study bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    name  text   NOT NULL,
    PRIMARY KEY (study, name)
);

-- Imports. Rows are staged in the table imported, a chunk at a time, and count from one update of this row.
CREATE TABLE imports (
    key     bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    study   bigint      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    after   bigint,     -- the number of the outcome before its first one; null while rows are staged
    rows    bigint      NOT NULL DEFAULT 0,
    touched timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX imports_log ON imports (study, after);

-- Outcomes of imports. The number of an outcome is the sum of after and place. A foreign key would look at imports for
-- every row, and make an import several times slower; a trigger deletes the rows instead.
CREATE TABLE imported (
    import     bigint      NOT NULL, -- the key of one
    place      bigint      NOT NULL, -- from 1 on
    asked      timestamptz NOT NULL,
    at         timestamptz NOT NULL,
    kind       text        NOT NULL,
    shown      json        NOT NULL,
    picks      json        NOT NULL,
    respondent text        NOT NULL,
    segment    text        NOT NULL,
    note       text        NOT NULL,
    PRIMARY KEY (import, place)
);

CREATE FUNCTION delete_imported() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM imported WHERE import = OLD.key;
    RETURN NULL;
END
$$;

CREATE TRIGGER imports_deleted AFTER DELETE ON imports FOR EACH ROW EXECUTE FUNCTION delete_imported();

-- Questions that were claimed or have an outcome. One row per question keeps a second outcome away.
CREATE TABLE questions (
    study    integer      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    position integer      NOT NULL,
    claimed  timestamptz, -- when
    number   integer,     -- of the last outcome
    stands   boolean      NOT NULL DEFAULT false, -- whether that is not an undone one
    undos    smallint     NOT NULL DEFAULT 0,
    PRIMARY KEY (study, position) WITH (fillfactor = 100)
);

CREATE INDEX questions_out ON questions (study, claimed, position) WHERE NOT stands;

CREATE TABLE plans (
    study     integer     NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number    integer     NOT NULL,
    upto      integer     NOT NULL,
    known     integer     NOT NULL, -- the number of the last outcome when it was made
    at        timestamptz NOT NULL,
    first     integer     NOT NULL,
    changes   text        NOT NULL, -- JSON, empty if there are none
    questions json        NOT NULL,
    verdict   text        NOT NULL, -- pruned
    done      text        NOT NULL,
    PRIMARY KEY (study, number) WITH (fillfactor = 100)
);

-- The complete verdict of the last plan.
CREATE TABLE verdicts (
    study   bigint PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    plan    bigint NOT NULL,
    verdict text   NOT NULL
);

CREATE TABLE snapshots (
    study bigint PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    plan  bigint NOT NULL,
    state bytea  NOT NULL
);

CREATE TABLE secrets (
    one   integer PRIMARY KEY CHECK (one = 1),
    bytes bytea   NOT NULL
);

CREATE TABLE tokens (
    name    text COLLATE "C" PRIMARY KEY,
    role    text             NOT NULL,
    hash    text             NOT NULL UNIQUE,
    created timestamptz      NOT NULL,
    study   text             NOT NULL, -- the only study of a viewer; empty for all
    expires timestamptz      NOT NULL, -- of an invitation; the zero time for others
    look    text             NOT NULL UNIQUE -- the same for names that look alike
);

-- Sessions that were ended early, by hashes of their cookies. Rows are removed when the sessions would have ended.
CREATE TABLE ended_sessions (
    session text        PRIMARY KEY,
    until   timestamptz NOT NULL
);

CREATE INDEX ended_sessions_until ON ended_sessions (until);

-- Operations of owners. Rows are only added, and outlive their studies, so there is no reference.
CREATE TABLE audit (
    number    bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at        timestamptz NOT NULL,
    actor     text        NOT NULL, -- the name of the token
    token     text        NOT NULL, -- its ID
    operation text        NOT NULL,
    about     text        NOT NULL, -- the id of a study
    detail    text        NOT NULL
);

-- Webhooks of studies, with the state of their delivery.
CREATE TABLE webhooks (
    study    bigint      PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    url      text        NOT NULL,
    secret   text        NOT NULL,
    delivery text        NOT NULL,
    made     timestamptz NOT NULL,
    state    text        NOT NULL,
    attempts bigint      NOT NULL,
    first    timestamptz NOT NULL,
    last     timestamptz NOT NULL,
    status   bigint      NOT NULL,
    problem  text        NOT NULL,
    next     timestamptz NOT NULL -- no attempt before
);

CREATE INDEX webhooks_waiting ON webhooks (next) WHERE state = 'waiting';

-- The last attempts to deliver the webhook of a study.
CREATE TABLE deliveries (
    study   bigint      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number  bigint      NOT NULL,
    at      timestamptz NOT NULL,
    test    boolean     NOT NULL,
    status  bigint      NOT NULL,
    problem text        NOT NULL,
    took    bigint      NOT NULL, -- nanoseconds
    PRIMARY KEY (study, number)
);
-- +goose StatementEnd
