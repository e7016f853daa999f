package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

//go:embed assets
var assetFiles embed.FS

// assets are the files that pages load. Their paths contain a hash of all files, so that browsers
// can cache them without end, and modules can import each other by name.
type assets struct {
	version string
	files   map[string][]byte
}

func newAssets() *assets {
	a := &assets{files: map[string][]byte{}}
	hash := sha256.New()
	err := fs.WalkDir(assetFiles, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := assetFiles.ReadFile(name)
		a.files[path.Base(name)] = text
		hash.Write([]byte(name))
		hash.Write(text)
		return err
	})
	if err != nil {
		panic("web: " + err.Error())
	}
	const enough = 8 // bytes
	a.version = hex.EncodeToString(hash.Sum(nil)[:enough])
	return a
}

// address returns the path of a file.
func (a *assets) address(name string) string {
	if _, known := a.files[name]; !known {
		panic("web: there is no file " + name)
	}
	return assetsPath + a.version + "/" + name
}

// ServeHTTP serves a file. Requests for another version, during an upgrade, receive the current
// one, which must not be cached.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, known := a.files[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	keep := "no-cache"
	if r.PathValue("version") == a.version {
		keep = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", keep)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
