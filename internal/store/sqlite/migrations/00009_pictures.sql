-- +goose Up

-- Pictures of arms, ready to be served, by hashes of their bytes.
CREATE TABLE pictures (
    study INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hash  TEXT    NOT NULL,
    type  TEXT    NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (study, hash)
);
