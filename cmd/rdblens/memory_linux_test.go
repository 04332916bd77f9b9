//go:build linux && !race

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestMemory checks that the memory of the process stays bounded on snapshots that
// are made to exceed it.
func TestMemory(t *testing.T) {
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
		for _, args := range []string{"scan -f json", "scan --top 1000 -f json", "keys -f jsonl", "keys --jobs 4", "keys -f parquet"} {
			runsWithin(t, io.Discard, name, append(strings.Fields(args), file)...)
		}
	}
}

// runsWithin runs the command and checks that its memory stays bounded.
func runsWithin(t *testing.T, out io.Writer, what string, args ...string) {
	t.Helper()
	const most = 128 << 10 // KB of resident memory
	if peak := runPeak(t, out, args...); peak > most {
		t.Errorf("%s of %s takes %d MB", args[0], what, peak>>10)
	}
}

// runPeak runs the command and returns its peak memory in KB.
func runPeak(t *testing.T, out io.Writer, args ...string) (peak int64) {
	t.Helper()
	cmd := exec.Command("peak", args...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &errs
	err := cmd.Run()
	if _, scanErr := fmt.Sscanf(errs.String(), "peak %d KB", &peak); err != nil || scanErr != nil {
		t.Errorf("%s: %v, %s", strings.Join(args, " "), err, &errs)
	}
	return peak
}

// TestMemoryOfSmall checks that a small snapshot takes little more memory than the
// program itself: nothing of the scan has a fixed large size. The least of three counts,
// since a collector that is late on a loaded machine adds up to 3 MB.
func TestMemoryOfSmall(t *testing.T) {
	const most = 24 << 10 // KB
	least := func(args ...string) int64 {
		var peaks []int64
		for range 3 {
			peaks = append(peaks, runPeak(t, io.Discard, args...))
		}
		return slices.Min(peaks)
	}
	program := least("version")
	if scan := least("scan", "-f", "json", "--jobs", "2", "../../testdata/shop.rdb"); scan-program > most {
		t.Errorf("the scan takes %d KB, and the program %d KB", scan, program)
	}
}

// TestMemoryOfNames checks that names of any kind take less than 64 MB: those of many
// groups, of many segments, of rare separators, and long ones with findings.
func TestMemoryOfNames(t *testing.T) {
	const most, keys = 64 << 10, 80_000 // KB
	numbersOfJobs := []string{"16"}
	if testtool.Nightly() {
		numbersOfJobs = []string{"2", "16"}
	}
	r := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string { // one of n
		const letters = "ghijklmnopqrstuvwxyz" // no hexadecimal digits
		i := r.IntN(n)
		return string([]byte{letters[i%20], letters[i/20%20], letters[i/400%20], letters[i/8000%20]})
	}
	words := func(number, n int) string {
		var list []string
		for range number {
			list = append(list, word(n))
		}
		return strings.Join(list, ":")
	}
	expiry := func() string {
		return "\xfc" + string(binary.LittleEndian.AppendUint64(nil, 1_700_000_000_000+r.Uint64N(1e12)))
	}
	for _, kind := range []struct {
		what string
		key  func() (before, name string)
	}{
		{"three random segments", func() (string, string) { return expiry(), words(3, 9000) }},
		{"fixed and random segments", func() (string, string) { return "", "app:" + word(300) + ":user:" + word(3000) + ":" + word(7) }},
		{"databases", func() (string, string) { return "\xfe" + string(byte(r.IntN(60))), words(2, 9000) }},
		{"segments", func() (string, string) { return "", words(40, 5) }},
		{"separators", func() (string, string) {
			name := make([]byte, 10+r.IntN(30))
			for i := range name {
				name[i] = "ghij:::k"[r.IntN(8)]
			}
			return "", string(name)
		}},
		{"long names with findings", func() (string, string) { return "", words(3, 9000) + " \x01*" + words(100, 9000) }},
	} {
		b := bytes.NewBufferString("REDIS0010\xfe\x00")
		for range keys {
			before, name := kind.key()
			b.WriteString(before)
			b.Write([]byte{0, 0x40 | byte(len(name)>>8), byte(len(name))})
			b.WriteString(name + "\x01v")
		}
		b.WriteString("\xff" + strings.Repeat("\x00", 8))
		file := filepath.Join(t.TempDir(), "names.rdb")
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, jobs := range numbersOfJobs {
			peak := runPeak(t, io.Discard, "scan", "-f", "json", "--jobs", jobs, file)
			if peak > most { // perhaps the collector was late
				peak = runPeak(t, io.Discard, "scan", "-f", "json", "--jobs", jobs, file)
			}
			if peak > most || peak == 0 {
				t.Errorf("names of %s take %d KB with %s goroutines", kind.what, peak, jobs)
			}
		}
	}
}

func init() { commands["peak"] = peak }

// peak runs rdblens and reports its peak memory on standard error. It is a separate
// process, because the peak of a process includes that of the one that started it.
func peak() {
	cmd := exec.Command("rdblens", os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "peak %d KB\n", cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}

// TestMemoryOfMany checks that the buffers of one decompression are freed before the
// next snapshots are read.
func TestMemoryOfMany(t *testing.T) {
	b := bytes.NewBufferString("REDIS0011")
	text := make([]byte, 16<<10)
	random := rand.NewChaCha8([32]byte{})
	for i := range 1000 {
		random.Read(text)
		fmt.Fprintf(b, "\x00\x06k%05d\x80\x00\x00%c\x00", i, len(text)>>8)
		b.Write(text)
	}
	b.WriteString("\xff" + strings.Repeat("\x00", 8))
	for name, pack := range map[string]func(w io.Writer) io.WriteCloser{
		"lz4": func(w io.Writer) io.WriteCloser {
			z := lz4.NewWriter(w)
			z.Apply(lz4.BlockSizeOption(lz4.Block4Mb))
			return z
		},
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w, zstd.WithWindowSize(8<<20))
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	} {
		file := filepath.Join(t.TempDir(), "packed.rdb")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := pack(f)
		w.Write(b.Bytes())
		if err := errors.Join(w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		args := []string{"scan", "-f", "json"}
		for range 40 {
			args = append(args, file)
		}
		runsWithin(t, io.Discard, "40 files of "+name, args...)
	}
}

// TestMemoryOfFleet checks that little is kept of each of thousands of snapshots.
func TestMemoryOfFleet(t *testing.T) {
	snapshot, err := os.ReadFile("../../testdata/rules/lfu.rdb")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	first := filepath.Join(dir, "shard-0000.rdb")
	if err := os.WriteFile(first, snapshot, 0o644); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 3000; i++ {
		if err := os.Link(first, filepath.Join(dir, fmt.Sprintf("shard-%04d.rdb", i))); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	runsWithin(t, &out, "3,000 snapshots", "scan", "-f", "details", dir)
	if n := bytes.Count(out.Bytes(), []byte("/shard-")); n < 3000 {
		t.Errorf("%d rows", n)
	}
}
