-- +goose Up

-- What owners did. Rows are only added. They outlive the studies that they are about, so there is no
-- reference.
CREATE TABLE audit (
    number    bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at        timestamptz NOT NULL,
    actor     text        NOT NULL, -- the name of the token
    operation text        NOT NULL,
    about     text        NOT NULL, -- the id of a study
    detail    text        NOT NULL
);
