package archive_test

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/testsupport"
)

// TestEncodingIsStable: a table is encoded and saved with the bytes of the version before columns were
// recognised in more ways. The digest is that of its file.
func TestEncodingIsStable(t *testing.T) {
	const digest = "25ca8a3a038876df77ed8ac8dd49d66b1ea09d2e18418fac5fbb6390b1e8e08a"
	lamps, err := archive.Open(filepath.Join("..", "..", "..", "examples", "lamps.csv"), catalogue.Options{}, 0)
	testsupport.NoError(t, err)
	sum := sha256.Sum256(save(t, &lamps.Catalogue))
	if got := hex.EncodeToString(sum[:]); got != digest {
		t.Errorf("the digest is %s", got)
	}
}
