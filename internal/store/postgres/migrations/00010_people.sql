-- +goose Up

-- Viewers can be restricted to a study. A token with an end is an invitation; the default is the zero time.
ALTER TABLE tokens ADD COLUMN study text NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN expires timestamptz NOT NULL DEFAULT '0001-01-01 00:00:00+00';

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
