-- +goose Up

-- Rationale, metadata and kind of respondent of an answer, as JSON; empty if there are none.
ALTER TABLE outcomes ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE imported ADD COLUMN note text NOT NULL DEFAULT '';
