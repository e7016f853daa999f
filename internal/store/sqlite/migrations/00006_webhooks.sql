-- +goose Up

-- Where the end of a study is told, and how far that is.
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
    next     INTEGER NOT NULL -- nobody tries before this
);

CREATE INDEX webhooks_waiting ON webhooks (next) WHERE state = 'waiting';
