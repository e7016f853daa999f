package read

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// looksLikeImage reports whether a text is an image by its ending, or given in place.
func looksLikeImage(text string) bool {
	text = strings.ToLower(text)
	if strings.HasPrefix(text, imageInPlace) {
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

// imageInPlace is how an address starts that is the image itself.
const imageInPlace = "data:image/"

// IsAddress reports whether an image is somewhere in the network, or given in place.
func IsAddress(text string) bool {
	text = strings.ToLower(text)
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, imageInPlace)
}

// moveImage puts a column before all other images, for [catalogue.Table.First] to find it.
func (d *draft) moveImage(column int) {
	first := slices.IndexFunc(d.Columns, func(c catalogue.Column) bool { return c.Kind == catalogue.Image })
	if first < 0 || first >= column {
		return
	}
	image := d.Columns[column]
	copy(d.Columns[first+1:column+1], d.Columns[first:column])
	d.Columns[first] = image
}

// dropMissing empties the texts that say that there is none.
func dropMissing(texts []string) {
	for i, text := range texts {
		if table.IsMissing(text) {
			texts[i] = ""
		}
	}
}

// checkImages notes the images that are files and are not there. Their paths start from folder.
func (d *draft) checkImages(folder string) {
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind != catalogue.Image {
			continue
		}
		for row, text := range c.Texts {
			if text == "" || IsAddress(text) {
				continue
			}
			path := filepath.FromSlash(text)
			if !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				d.problem(row, c.Name, table.Problemf("no-file", "there is no file %q", text))
			}
		}
	}
}
