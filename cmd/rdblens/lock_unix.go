//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/rdblens/rdblens/parser/message"
)

// lockDir makes a directory that of this process until unlock is called, or the process
// ends.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, reasonOf(err)
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil, message.Errorf("another run uses this directory")
	}
	return func() { f.Close() }, nil
}
