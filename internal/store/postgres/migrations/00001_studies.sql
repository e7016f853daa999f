-- +goose Up

CREATE TABLE studies (
    key     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- in the order of creation
    id      text   NOT NULL UNIQUE,
    version bigint NOT NULL,
    body    text   NOT NULL -- JSON
);

CREATE TABLE catalogues (
    study bigint PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    bytes bytea NOT NULL
);

-- How far a study is. Whoever writes about respondents or plans locks this row, so that numbers
-- come without gaps and in the order in which they can be read.
CREATE TABLE progress (
    study    bigint PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    outcomes bigint      NOT NULL DEFAULT 0, -- the number of the last outcome
    told     bigint      NOT NULL DEFAULT 0, -- the number of the last outcome that a plan told
    plans    bigint      NOT NULL DEFAULT 0, -- the number of the last plan
    planned  bigint      NOT NULL DEFAULT 0, -- questions in all plans
    claimed  bigint      NOT NULL DEFAULT 0, -- questions handed out, always the first ones
    planner  text        NOT NULL DEFAULT '',
    until    timestamptz NOT NULL DEFAULT '-infinity' -- when the planner's time is over
);

-- The log. Rows are only added.
CREATE TABLE outcomes (
    study      bigint      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number     bigint      NOT NULL,
    position   bigint      NOT NULL,
    kind       text        NOT NULL,
    shown      json        NOT NULL,
    picks      json        NOT NULL,
    respondent text        NOT NULL,
    segment    text        NOT NULL,
    asked      timestamptz NOT NULL,
    at         timestamptz NOT NULL,
    undoes     bigint, -- the number of the answer that was taken back
    PRIMARY KEY (study, number)
);

CREATE INDEX outcomes_undone ON outcomes (study, number) WHERE undoes IS NOT NULL;

-- The questions that were claimed or have an outcome. That a question has one row is what keeps
-- a second outcome away.
CREATE TABLE questions (
    study    bigint  NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    position bigint  NOT NULL,
    claimed  timestamptz,                    -- when
    number   bigint,                         -- of the last outcome
    stands   boolean NOT NULL DEFAULT false, -- whether that is not an undone one
    PRIMARY KEY (study, position)
);

CREATE INDEX questions_out ON questions (study, claimed, position) WHERE NOT stands;

CREATE TABLE plans (
    study     bigint      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number    bigint      NOT NULL,
    upto      bigint      NOT NULL,
    first     bigint      NOT NULL,
    questions json        NOT NULL,
    verdict   text,       -- JSON
    done      text        NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (study, number)
);

CREATE INDEX plans_first ON plans (study, first);

CREATE TABLE snapshots (
    study bigint PRIMARY KEY REFERENCES studies (key) ON DELETE CASCADE,
    plan  bigint NOT NULL,
    state bytea  NOT NULL
);

CREATE TABLE secrets (
    one   integer PRIMARY KEY CHECK (one = 1),
    bytes bytea NOT NULL
);
