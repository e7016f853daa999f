-- +goose Up

-- Answers of respondents to profile questions, as JSON by the name of the question.
CREATE TABLE profiles (
    study      INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    respondent TEXT NOT NULL,
    refused    INTEGER NOT NULL, -- a quota was full
    answers    TEXT NOT NULL,
    PRIMARY KEY (study, respondent)
) WITHOUT ROWID;

-- The number of respondents with each answer, without refused ones.
CREATE TABLE profile_counts (
    study       INTEGER NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    question    TEXT NOT NULL,
    answer      TEXT NOT NULL,
    respondents INTEGER NOT NULL,
    PRIMARY KEY (study, question, answer)
) WITHOUT ROWID;
