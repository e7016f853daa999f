-- +goose Up

-- What a respondent says about an answer, as JSON; empty for nothing.
ALTER TABLE outcomes ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE imported ADD COLUMN note text NOT NULL DEFAULT '';
