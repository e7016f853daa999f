-- +goose Up

ALTER TABLE plans ADD COLUMN arms bigint NOT NULL DEFAULT 0;
ALTER TABLE plans ADD COLUMN withdrawn json NOT NULL DEFAULT 'null';
ALTER TABLE plans ADD COLUMN known bigint NOT NULL DEFAULT 0; -- the number of the last outcome that there was
UPDATE plans SET known = upto;

ALTER TABLE outcomes ADD COLUMN plan bigint NOT NULL DEFAULT 0;

-- What one respondent has done is read with every question. Names may be longer than what an index
-- takes; a hash of them is also smaller.
CREATE INDEX outcomes_respondent ON outcomes (study, hashtextextended(respondent, 0))
WHERE kind IN ('answered', 'skipped', 'undone');

-- The state is in the body too. Here it is so that studies under way are found among many. A zero
-- character, which bodies may have, is more than PostgreSQL can read.
ALTER TABLE studies ADD COLUMN state text NOT NULL DEFAULT '';
UPDATE studies SET state = replace(body, '\u0000', '\u0001')::json ->> 'state';
CREATE INDEX studies_active ON studies (key) WHERE state IN ('open', 'paused');

-- What was imported. That a batch has one row is what keeps it from coming in twice.
CREATE TABLE batches (
    study bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    name  text   NOT NULL,
    PRIMARY KEY (study, name)
);

CREATE TABLE tokens (
    name    text        COLLATE "C" PRIMARY KEY,
    role    text        NOT NULL,
    hash    text        NOT NULL UNIQUE,
    created timestamptz NOT NULL
);
