-- +goose Up

CREATE INDEX outcomes_undoes ON outcomes (study, undoes) WHERE undoes IS NOT NULL;

-- Plans in compact form, in place of rows of plans.
CREATE TABLE plan_blocks (
    study bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    last  bigint NOT NULL, -- the number of the last plan
    first bigint NOT NULL, -- the number of the first plan
    plans bytea  NOT NULL, -- JSON, DEFLATE
    PRIMARY KEY (study, last)
);
ALTER TABLE plan_blocks ALTER COLUMN plans SET STORAGE EXTERNAL;

-- Blocks of 64 questions whose standing outcomes a plan has told, in place of rows of questions.
CREATE TABLE question_blocks (
    study   bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    block   bigint NOT NULL, -- the position of its first question, divided by 64
    numbers bytea  NOT NULL, -- of the outcomes, as varints, each less the one before
    PRIMARY KEY (study, block)
);

ALTER TABLE progress ADD COLUMN compacted bigint NOT NULL DEFAULT 0; -- the number of the last plan when it was compacted

-- Processes of earlier versions, which do not know the compact form, may run a while longer.
CREATE TABLE upgrades (at timestamptz NOT NULL);
INSERT INTO upgrades VALUES (now());
