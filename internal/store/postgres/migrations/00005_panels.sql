-- +goose Up

-- Who may answer, where not everybody may. Keys are kept as they are, so that owners can send links again; they are
-- looked up by their hashes.
CREATE TABLE members (
    study   bigint      NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    number  bigint      NOT NULL, -- in the order in which they were added
    name    text        NOT NULL,
    segment text        NOT NULL,
    key     text        NOT NULL,
    hash    text        NOT NULL, -- of the key
    added   timestamptz NOT NULL,
    PRIMARY KEY (study, number)
);

CREATE UNIQUE INDEX members_name ON members (study, name);
CREATE UNIQUE INDEX members_hash ON members (study, hash);
