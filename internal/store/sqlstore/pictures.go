package sqlstore

import (
	"context"

	"bestpick/internal/study"
)

// AddPictures adds pictures to a study.
func (s *Store) AddPictures(ctx context.Context, id string, pictures []study.Picture) error {
	ctx, cancel := s.db.AtLeisure(ctx)
	defer cancel()
	if !IsText(id) {
		return study.ErrNotFound
	}
	return s.db.Transact(ctx, func(tx Querier) error {
		var key int64
		if err := tx.QueryRow(ctx, `SELECT key FROM studies WHERE id = $1`, id).Scan(&key); err != nil {
			return Found(err)
		}
		return addPictures(ctx, tx, key, pictures)
	})
}

// addPictures adds pictures to the study with a key.
func addPictures(ctx context.Context, tx Querier, key int64, pictures []study.Picture) error {
	for _, p := range pictures {
		_, err := tx.Exec(ctx, `
			INSERT INTO pictures (study, hash, type, bytes) VALUES ($1, $2, $3, $4)
			ON CONFLICT (study, hash) DO NOTHING`, key, p.Hash, p.Type, present(p.Bytes))
		if err != nil {
			return err
		}
	}
	return nil
}

// Picture returns a picture of a study.
func (s *Store) Picture(ctx context.Context, id, hash string) (p study.Picture, err error) {
	p.Hash = hash
	row := s.row(ctx, `SELECT p.type, p.bytes FROM pictures p JOIN studies s ON s.key = p.study WHERE s.id = $1
		AND p.hash = $2`, id, hash)
	return p, Found(row.Scan(&p.Type, &p.Bytes))
}

// PictureHashes returns the hashes of all pictures of a study, in order.
func (s *Store) PictureHashes(ctx context.Context, id string) ([]string, error) {
	return list(ctx, s, id, Column[string], `SELECT hash FROM pictures WHERE study = $1 ORDER BY hash`)
}
