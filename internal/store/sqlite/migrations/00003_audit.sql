-- +goose Up

-- What owners did. Rows are only added. They outlive the studies that they are about, so there is no
-- reference.
CREATE TABLE audit (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    actor     TEXT    NOT NULL, -- the name of the token
    operation TEXT    NOT NULL,
    about     TEXT    NOT NULL, -- the id of a study
    detail    TEXT    NOT NULL
);
