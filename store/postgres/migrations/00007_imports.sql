-- +goose Up

-- An import. Its rows are staged in imported, a chunk at a time, and count from when it has its place in the log,
-- which is one update of this row. One that was not touched for a while and has no place is left over.
CREATE TABLE imports (
    key     bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    study   bigint      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    after   bigint,     -- the number of the outcome before its first one; null while rows are staged
    rows    bigint      NOT NULL DEFAULT 0,
    touched timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX imports_log ON imports (study, after);

-- The outcomes of imports, beside those in the table outcomes, which has the ones imported by earlier versions. The
-- number of an outcome is the sum of after and place.
CREATE TABLE imported (
    import     bigint      NOT NULL REFERENCES imports (key) ON DELETE CASCADE,
    place      bigint      NOT NULL, -- from 1 on
    kind       text        NOT NULL,
    shown      json        NOT NULL,
    picks      json        NOT NULL,
    respondent text        NOT NULL,
    segment    text        NOT NULL,
    asked      timestamptz NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (import, place)
);
