-- +goose Up

-- Pictures of arms, ready to be served, by hashes of their bytes.
CREATE TABLE pictures (
    study bigint  NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    hash  text    NOT NULL,
    type  text    NOT NULL,
    bytes bytea   NOT NULL,
    PRIMARY KEY (study, hash)
);
