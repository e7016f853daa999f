-- +goose Up

-- What a respondent says about an answer, as JSON; empty for nothing.
ALTER TABLE outcomes ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE imported ADD COLUMN note TEXT NOT NULL DEFAULT '';
