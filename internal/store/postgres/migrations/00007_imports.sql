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
-- number of an outcome is the sum of after and place. A foreign key would look at imports for every row, and make
-- an import several times slower; a trigger deletes the rows instead.
CREATE TABLE imported (
    import     bigint      NOT NULL, -- the key of one
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

-- +goose StatementBegin
CREATE FUNCTION delete_imported() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM imported WHERE import = OLD.key;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER imports_deleted AFTER DELETE ON imports FOR EACH ROW EXECUTE FUNCTION delete_imported();
