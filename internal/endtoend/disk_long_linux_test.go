//go:build long

package endtoend

import "testing"

func TestLongDiskFull(t *testing.T)       { diskFull(t, smallDisk(t, "64m"), 20) }
func TestLongFileSizeLimit(t *testing.T)  { diskFull(t, limitedFiles(t), 5) }
func TestLongPostgreSQLFull(t *testing.T) { postgresFull(t, 20) }
