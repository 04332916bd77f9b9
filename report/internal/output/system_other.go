//go:build !unix

package output

import (
	"io/fs"
	"os"
)

func isDiskFull(error) bool { return false }

func keepOwner(*os.File, fs.FileInfo) {}
