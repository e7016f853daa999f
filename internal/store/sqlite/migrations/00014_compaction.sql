-- +goose Up

CREATE INDEX outcomes_undoes ON outcomes (study, undoes) WHERE undoes IS NOT NULL;

-- Plans in compact form, in place of rows of plans. The table has row ids, because without them a page holds only a
-- quarter of its bytes of a row, and the rest takes a page alone.
CREATE TABLE plan_blocks (
    study INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    last  INTEGER NOT NULL, -- the number of the last plan
    first INTEGER NOT NULL, -- the number of the first plan
    plans BLOB    NOT NULL, -- JSON, DEFLATE
    PRIMARY KEY (study, last)
);

-- Blocks of 64 questions whose standing outcomes a plan has told, in place of rows of questions.
CREATE TABLE question_blocks (
    study   INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    block   INTEGER NOT NULL, -- the position of its first question, divided by 64
    numbers BLOB    NOT NULL, -- of the outcomes, as varints, each less the one before
    PRIMARY KEY (study, block)
) WITHOUT ROWID;

ALTER TABLE progress ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0; -- the number of the last plan when it was compacted

-- Processes of earlier versions, which do not know the compact form, may run a while longer.
CREATE TABLE upgrades (at INTEGER NOT NULL);
INSERT INTO upgrades VALUES (unixepoch() * 1000000);
