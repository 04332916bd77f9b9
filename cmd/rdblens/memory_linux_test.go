//go:build linux && !race

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMemory holds that the process stays small on snapshots that are made to
// let it grow.
func TestMemory(t *testing.T) {
	const most = 128 << 10 // KB of resident memory
	// A name of 64 KB takes 700 bytes of the file: 26 letters, and copies of them.
	long := append([]byte{25}, "abcdefghijklmnopqrstuvwxyz"...)
	for n := 26; n+264 <= 64<<10; n += 264 {
		long = append(long, 0xe0, 255, 25)
	}
	snapshots := map[string]func(b *bytes.Buffer){
		"empty names": func(b *bytes.Buffer) { b.Write(make([]byte, 6<<20)) },
		"compressed names": func(b *bytes.Buffer) {
			for i := range 5000 {
				n := 26 + (len(long)-27)/3*264
				long[1], long[2], long[3] = byte(i), byte(i>>8), 0xff
				b.Write([]byte{0, 0xc3, 0x40 | byte(len(long)>>8), byte(len(long)), 0x80, 0, 0, byte(n >> 8), byte(n)})
				b.Write(long)
				b.Write([]byte{1, 'v'})
			}
		},
		"names of hash templates": func(b *bytes.Buffer) {
			field := "\xc3\x06\x41\x0a\x01ab\xe0\xff\x01" // 266 bytes in 6
			for i := range 600 {
				b.Write([]byte{0xf2, 0x40 | byte(i>>8), byte(i), 0x40 | 1000>>8, 1000 & 0xff})
				b.WriteString(strings.Repeat(field, 1000))
			}
			b.WriteString("\x00\x01k\x01v")
		},
	}
	for name, fill := range snapshots {
		file := filepath.Join(t.TempDir(), "hostile.rdb")
		b := bytes.NewBufferString("REDIS0015")
		fill(b)
		b.WriteString("\xff" + strings.Repeat("\x00", 8))
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{"scan -f json", "keys -f jsonl", "keys --jobs 4"} {
			cmd := exec.Command("rdblens", append(strings.Fields(args), file)...)
			if err := cmd.Run(); err != nil {
				t.Errorf("%s of %s: %v", args, name, err)
			} else if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > most {
				t.Errorf("%s of %s takes %s", args, name, fmt.Sprint(peak>>10, " MB"))
			}
		}
	}
}
