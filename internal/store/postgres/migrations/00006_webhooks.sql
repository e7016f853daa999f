-- +goose Up

-- Where the end of a study is told, and how far that is.
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
    next     timestamptz NOT NULL -- nobody tries before this
);

CREATE INDEX webhooks_waiting ON webhooks (next) WHERE state = 'waiting';
