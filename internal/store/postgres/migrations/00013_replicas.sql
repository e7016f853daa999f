-- +goose Up

-- Processes that plan studies, with the end of their registration on their own clocks. After a crash of the server
-- the table is empty, and replicas register again.
CREATE UNLOGGED TABLE replicas (
    name   text        COLLATE "C" PRIMARY KEY,
    until  timestamptz NOT NULL,
    unable text        NOT NULL -- JSON: shards with studies that it fails to plan
);

-- A replica plans the active studies of its shards.
CREATE INDEX studies_shard ON studies ((key % 1024)) WHERE state IN ('open', 'paused');
