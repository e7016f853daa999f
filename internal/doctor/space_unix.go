//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns how many bytes can still be written to a folder.
func freeSpace(folder string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // the types differ between systems
}
