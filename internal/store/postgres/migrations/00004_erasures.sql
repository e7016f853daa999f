-- +goose Up

-- How a plan begins afresh, after answers were erased; for others null.
ALTER TABLE plans ADD COLUMN afresh json NOT NULL DEFAULT 'null';
