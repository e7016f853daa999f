-- +goose Up

ALTER TABLE plans ADD COLUMN arms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE plans ADD COLUMN withdrawn TEXT NOT NULL DEFAULT 'null';
ALTER TABLE plans ADD COLUMN known INTEGER NOT NULL DEFAULT 0; -- the number of the last outcome that there was
UPDATE plans SET known = upto;

ALTER TABLE outcomes ADD COLUMN plan INTEGER NOT NULL DEFAULT 0;

-- What one respondent has done is read with every question. Names come in no order, so an index by
-- name would write another page with every outcome. Only the first outcome of each respondent is found
-- by name, and the others by its number: those who answer now began not long ago, which keeps them
-- together.
ALTER TABLE outcomes ADD COLUMN began INTEGER; -- the number of the first; none for lost and imported ones
UPDATE outcomes SET began = first
FROM (SELECT study, respondent, min(number) AS first FROM outcomes WHERE kind <> 'lost' GROUP BY study, respondent) AS theirs
WHERE outcomes.study = theirs.study AND outcomes.respondent = theirs.respondent AND kind <> 'lost';
CREATE UNIQUE INDEX outcomes_first ON outcomes (study, respondent) WHERE began = number;
CREATE INDEX outcomes_later ON outcomes (study, began) WHERE began < number;

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
