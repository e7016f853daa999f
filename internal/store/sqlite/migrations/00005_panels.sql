-- +goose Up

-- Who may answer, where not everybody may. Keys are kept as they are, so that owners can send links again; they are
-- looked up by their hashes.
CREATE TABLE members (
    study   INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number  INTEGER NOT NULL, -- in the order in which they were added
    name    TEXT    NOT NULL,
    segment TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    hash    TEXT    NOT NULL, -- of the key
    added   INTEGER NOT NULL,
    PRIMARY KEY (study, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX members_name ON members (study, name);
CREATE UNIQUE INDEX members_hash ON members (study, hash);
