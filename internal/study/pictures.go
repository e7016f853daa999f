package study

import (
	"context"
	"regexp"

	"bestpick/internal/picture"
)

// A Picture is a picture of an arm.
type Picture = picture.Picture

// Pictures stores the pictures of arms.
type Pictures interface {
	// AddPictures adds pictures to a study, atomically. It ignores pictures whose hash the study
	// already has.
	AddPictures(ctx context.Context, id string, pictures []Picture) error

	// Picture returns the study's picture with the given hash, or ErrNotFound.
	Picture(ctx context.Context, id, hash string) (Picture, error)

	// PictureHashes returns the hashes of all pictures of a study, in order.
	PictureHashes(ctx context.Context, id string) ([]string, error)
}

// PictureAddress returns the address from which a browser loads the image of an arm: the path of a
// stored picture on this server, or the image's own address.
func PictureAddress(id, image string) string {
	if hash, stored := picture.Hash(image); stored {
		return "/s/" + id + "/pictures/" + hash
	}
	return image
}

// IsPicturePath reports whether an image is the path of a stored picture on this server.
func IsPicturePath(image string) bool { return picturePath.MatchString(image) }

var picturePath = regexp.MustCompile(`^/s/[a-z0-9]+/pictures/[0-9a-f]{32}$`)
