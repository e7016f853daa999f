package study

import (
	"context"
	"regexp"

	"bestpick/internal/picture"
)

// A Picture is a picture of an arm.
type Picture = picture.Picture

// Pictures are the stored pictures of arms.
type Pictures interface {
	// AddPictures adds pictures to a study, atomically. Those whose hash the study has already are left as
	// they are.
	AddPictures(ctx context.Context, id string, pictures []Picture) error

	// Picture returns the picture of a study with a hash, or ErrNotFound.
	Picture(ctx context.Context, id, hash string) (Picture, error)

	// PictureHashes returns the hashes of all pictures of a study, in order.
	PictureHashes(ctx context.Context, id string) ([]string, error)
}

// PictureAddress returns where a browser loads the image of an arm: the path of a stored picture on this
// server, or the image as it is.
func PictureAddress(id, image string) string {
	if hash, stored := picture.Hash(image); stored {
		return "/s/" + id + "/pictures/" + hash
	}
	return image
}

// IsPicturePath reports whether an image is the path of a stored picture on this server.
func IsPicturePath(image string) bool { return picturePath.MatchString(image) }

var picturePath = regexp.MustCompile(`^/s/[a-z0-9]+/pictures/[0-9a-f]{32}$`)
