package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
)

// createOnce creates a study. With an idempotency key, a repeated request returns the study that the
// first one created. Nothing is stored for that: the ID of the study depends on the key and the token.
func (a *api) createOnce(ctx context.Context, key string, form *studyForm, draft owner.Draft) (study.Study, error) {
	var request owner.Request
	if key != "" {
		hash, err := form.hash()
		if err != nil {
			return study.Study{}, a.problem(err)
		}
		request = owner.Request{ID: a.studyID(ctx, key), Hash: hash}
	}
	created, err := a.studies.Owner.CreateDraft(ctx, request, draft)
	switch {
	case errors.Is(err, owner.ErrReused):
		return created, invalid("header.Idempotency-Key", "the key was used for a request with another body")
	case err != nil:
		return created, a.problem(err)
	}
	return created, nil
}

// studyID returns the ID of the study that a key creates, which only this store can compute.
func (a *api) studyID(ctx context.Context, key string) string {
	mac := hmac.New(sha256.New, a.studies.Secret)
	_, _ = io.WriteString(mac, "study\n"+holder(ctx).Hash+"\n"+key) // never fails
	const length = 26                                               // as of random IDs: 130 bits
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:length])
}

// hash returns the hash of a request to create a study.
func (f *studyForm) hash() (string, error) {
	sum := sha256.New()
	fields := []any{f.Name, f.Prompt, f.Catalogue.Filename, f.Sheet, f.Settings, f.Columns, f.Dimensions}
	must(json.NewEncoder(sum).Encode(fields))
	for _, file := range []huma.FormFile{f.Catalogue, f.IDs} {
		if !file.IsSet {
			continue
		}
		part, err := hash(file)
		if err != nil {
			return "", err
		}
		_, _ = io.WriteString(sum, part+"\n") // never fails
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
