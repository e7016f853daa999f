-- +goose Up

-- Answers of respondents to profile questions, as JSON by the name of the question.
CREATE TABLE profiles (
    study      bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    respondent text COLLATE "C" NOT NULL,
    refused    boolean NOT NULL, -- a quota was full
    answers    text NOT NULL,
    PRIMARY KEY (study, respondent)
);

-- The number of respondents with each answer, without refused ones.
CREATE TABLE profile_counts (
    study       bigint NOT NULL REFERENCES studies (key) ON DELETE CASCADE,
    question    text NOT NULL,
    answer      text NOT NULL,
    respondents bigint NOT NULL,
    PRIMARY KEY (study, question, answer)
);
