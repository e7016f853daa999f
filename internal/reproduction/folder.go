// Package reproduction reproduces the paper's exhibits in a directory. An interrupted reproduction can continue.
package reproduction

import (
	"bestpick/internal/paper"
	"bestpick/internal/sweep"
)

// A Folder is a directory with the paper's exhibits and the runs behind them. Not safe for concurrent use.
type Folder struct {
	*sweep.Folder[paper.Record]

	header Header
	shard  sweep.Shard
}

// A Header identifies a reproduction.
type Header struct {
	Version string `json:"bestpick"`
	Seed    uint64 `json:"seed"`
}

// Open opens a directory that was created by this version of the program with this seed, or creates it, see [sweep.Open].
func Open(path, version string, seed uint64, shard sweep.Shard) (*Folder, error) {
	h := Header{version, seed}
	runs, err := sweep.Open(path, h, shard, paper.Record.Valid)
	if err != nil {
		return nil, err
	}
	return &Folder{runs, h, shard}, nil
}
