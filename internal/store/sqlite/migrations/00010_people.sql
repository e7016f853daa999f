-- +goose Up

-- Viewers can be restricted to a study. A token with an end is an invitation; the default is the zero time.
ALTER TABLE tokens ADD COLUMN study TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN expires INTEGER NOT NULL DEFAULT -62135596800000000;

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
