package owner

import (
	"context"

	"bestpick/internal/study"
)

// AddPictures adds pictures to a study.
func (s *Owner) AddPictures(ctx context.Context, id string, pictures []study.Picture) error {
	if len(pictures) == 0 {
		return nil
	}
	return s.Store.AddPictures(ctx, id, pictures)
}

// readPictures reads all pictures of a study.
func readPictures(ctx context.Context, store study.Store, id string) ([]study.Picture, error) {
	hashes, err := store.PictureHashes(ctx, id)
	if err != nil {
		return nil, err
	}
	pictures := make([]study.Picture, len(hashes))
	for i, hash := range hashes {
		if pictures[i], err = store.Picture(ctx, id, hash); err != nil {
			return nil, err
		}
	}
	return pictures, nil
}
