package storetest

import (
	"bytes"
	"errors"
	"fmt"

	"bestpick/internal/study"
)

const pngType = "image/png"

// pictures: pictures belong to one study, are added once, move with it and are deleted with it.
func pictures(s *stage) {
	store := s.store()
	s.must(store.Create(s.Context(), sample("a"), nil))
	s.must(store.Create(s.Context(), sample("b"), nil))
	all := make([]byte, 1<<20)
	for i := range all {
		all[i] = byte(i * i >> 8)
	}
	s.must(store.AddPictures(s.Context(), "a", []study.Picture{{Hash: "2", Type: pngType, Bytes: all}, {Hash: "1",
		Type: "image/jpeg", Bytes: []byte{0}}}))
	s.must(store.AddPictures(s.Context(), "a", []study.Picture{{Hash: "2", Type: "image/gif", Bytes: []byte{1}}}))
	got, err := store.Picture(s.Context(), "a", "2")
	s.must(err)
	if !bytes.Equal(got.Bytes, all) || got.Type != pngType || got.Hash != "2" {
		s.Errorf("%s of %s with %d bytes", got.Hash, got.Type, len(got.Bytes))
	}
	hashes, err := store.PictureHashes(s.Context(), "a")
	s.must(err)
	if fmt.Sprint(hashes) != "[1 2]" {
		s.Errorf("%v", hashes)
	}
	for _, at := range [][2]string{{"a", "3"}, {"b", "2"}, {"none", "2"}} {
		if _, err := store.Picture(s.Context(), at[0], at[1]); !errors.Is(err, study.ErrNotFound) {
			s.Errorf("%v: %v", at, err)
		}
	}
	if err := store.AddPictures(s.Context(), "none", []study.Picture{{Hash: "1"}}); !errors.Is(err, study.ErrNotFound) {
		s.Error(err)
	}
	if _, err := store.PictureHashes(s.Context(), "none"); !errors.Is(err, study.ErrNotFound) {
		s.Error(err)
	}
	s.must(store.Adopt(s.Context(), study.Archive{Study: sample("c"), Pictures: []study.Picture{got}}))
	if moved, err := store.Picture(s.Context(), "c", "2"); err != nil || !bytes.Equal(moved.Bytes, all) {
		s.Errorf("%d bytes, %v", len(moved.Bytes), err)
	}
	s.must(store.Delete(s.Context(), "a"))
	if _, err := store.Picture(s.Context(), "a", "2"); !errors.Is(err, study.ErrNotFound) {
		s.Errorf("after deleting: %v", err)
	}
}
