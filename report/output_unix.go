//go:build unix

package report

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// keepOwner gives a file to the owner and group of another one, as far as the
// system lets it.
func keepOwner(f *os.File, like fs.FileInfo) {
	if s, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
