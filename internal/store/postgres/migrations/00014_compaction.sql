-- +goose Up

-- The log, the questions and the plans of a study are in one of 16 partitions. The copy blocks writers. They lock
-- these tables in this order.
LOCK TABLE studies IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE progress, outcomes, questions, plans IN ACCESS EXCLUSIVE MODE;

-- Columns of fixed width are first, because alignment would fill the gaps between others.
CREATE TABLE partitioned_outcomes (
    study      bigint      NOT NULL,
    number     bigint      NOT NULL,
    position   bigint      NOT NULL,
    asked      timestamptz NOT NULL,
    at         timestamptz NOT NULL,
    undoes     bigint, -- the number of the answer that was taken back
    plan       integer     NOT NULL DEFAULT 0,
    kind       text        NOT NULL,
    shown      json        NOT NULL,
    picks      json        NOT NULL,
    respondent text        NOT NULL,
    segment    text        NOT NULL,
    note       text        NOT NULL DEFAULT ''
) PARTITION BY HASH (study);
CREATE TABLE partitioned_questions (LIKE questions INCLUDING DEFAULTS) PARTITION BY HASH (study);
CREATE TABLE partitioned_plans (LIKE plans INCLUDING DEFAULTS) PARTITION BY HASH (study);

-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['outcomes', 'questions', 'plans'] LOOP
        FOR i IN 0..15 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)', name || '_' || i, 'partitioned_' || name, i);
        END LOOP;
    END LOOP;
END
$$;
-- +goose StatementEnd

INSERT INTO partitioned_outcomes (study, number, position, asked, at, undoes, plan, kind, shown, picks, respondent, segment, note)
SELECT study, number, position, asked, at, undoes, plan, kind, shown, picks, respondent, segment, note FROM outcomes;
INSERT INTO partitioned_questions SELECT * FROM questions;
INSERT INTO partitioned_plans SELECT * FROM plans;

DROP TABLE outcomes, questions, plans;
ALTER TABLE partitioned_outcomes RENAME TO outcomes;
ALTER TABLE partitioned_questions RENAME TO questions;
ALTER TABLE partitioned_plans RENAME TO plans;

ALTER TABLE outcomes ADD PRIMARY KEY (study, number), ADD FOREIGN KEY (study) REFERENCES studies (key) ON DELETE CASCADE;
ALTER TABLE questions ADD PRIMARY KEY (study, position), ADD FOREIGN KEY (study) REFERENCES studies (key) ON DELETE CASCADE;
ALTER TABLE plans ADD PRIMARY KEY (study, number), ADD FOREIGN KEY (study) REFERENCES studies (key) ON DELETE CASCADE;

CREATE INDEX outcomes_undone ON outcomes (study, number) WHERE undoes IS NOT NULL;
CREATE INDEX outcomes_undoes ON outcomes (study, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX outcomes_respondent ON outcomes (study, hashtextextended(respondent, 0))
WHERE kind IN ('answered', 'skipped', 'undone');
CREATE INDEX questions_out ON questions (study, claimed, position) WHERE NOT stands;
CREATE INDEX plans_first ON plans (study, first);

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

-- Statistics of an empty partition would make the planner of queries read it from start to end when it has grown.
-- +goose StatementBegin
DO $$
DECLARE
    name text;
    filled boolean;
BEGIN
    FOR name IN SELECT relid::text FROM unnest(ARRAY['outcomes', 'questions', 'plans']) AS root, pg_partition_tree(root::regclass) WHERE isleaf LOOP
        EXECUTE 'SELECT EXISTS (SELECT 1 FROM ' || name || ')' INTO filled;
        IF filled THEN
            EXECUTE 'ANALYZE ' || name;
        END IF;
    END LOOP;
END
$$;
-- +goose StatementEnd
