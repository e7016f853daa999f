-- +goose Up

ALTER TABLE plans ADD COLUMN arms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE plans ADD COLUMN withdrawn TEXT NOT NULL DEFAULT 'null';

ALTER TABLE outcomes ADD COLUMN plan INTEGER NOT NULL DEFAULT 0;

-- What one respondent has done is read with every question, so it must not take longer as the log grows.
CREATE INDEX outcomes_respondent ON outcomes (study, respondent) WHERE kind IN ('answered', 'skipped', 'undone');

-- The state is in the body too. Here it is so that studies under way are found among many.
ALTER TABLE studies ADD COLUMN state TEXT NOT NULL DEFAULT '';
UPDATE studies SET state = json_extract(body, '$.state');
CREATE INDEX studies_active ON studies (key) WHERE state IN ('open', 'paused');

-- What was imported. That a batch has one row is what keeps it from coming in twice.
CREATE TABLE batches (
    study INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    name  TEXT    NOT NULL,
    PRIMARY KEY (study, name)
) WITHOUT ROWID;

CREATE TABLE tokens (
    name    TEXT    PRIMARY KEY,
    role    TEXT    NOT NULL,
    hash    TEXT    NOT NULL UNIQUE,
    created INTEGER NOT NULL
) WITHOUT ROWID;
