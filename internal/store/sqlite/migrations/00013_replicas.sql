-- +goose Up

-- Processes that plan studies, with the end of their registration on their own clocks.
CREATE TABLE replicas (
    name   TEXT    PRIMARY KEY,
    until  INTEGER NOT NULL,
    unable TEXT    NOT NULL -- JSON: shards with studies that it fails to plan
) WITHOUT ROWID;

-- A replica plans the active studies of its shards.
CREATE INDEX studies_shard ON studies (key % 1024) WHERE state IN ('open', 'paused');
