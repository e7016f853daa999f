package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// looksLikeImage reports whether a text is an image by its ending, or an address.
func looksLikeImage(text string) bool {
	text = strings.ToLower(text)
	if isAddress(text) {
		return true
	}
	text, _, _ = strings.Cut(text, "?")
	for _, ending := range []string{".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg", ".avif"} {
		if strings.HasSuffix(text, ending) {
			return true
		}
	}
	return false
}

// isAddress reports whether an image is somewhere in the network, or given in place.
func isAddress(text string) bool {
	text = strings.ToLower(text)
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "data:image/")
}

// checkImages notes the images that are files and are not there. Their paths start from folder.
func (d *draft) checkImages(folder string) {
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind != Image {
			continue
		}
		for row, text := range c.Texts {
			if text == "" || isAddress(text) {
				continue
			}
			path := filepath.FromSlash(text)
			if !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				d.problem(row, c.Name, fmt.Sprintf("there is no file %q", text))
			}
		}
	}
}
