//go:build linux && !race

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShowMemory checks that the memory of show is bounded, however many elements
// it is asked for, and that --limit bounds what it prints.
func TestShowMemory(t *testing.T) {
	hash := []byte("REDIS0011\x04\x02st")
	hash = appendLength(hash, 2_000_000)
	for i := range 2_000_000 {
		hash = append(appendString(hash, fmt.Sprint("field", i)), 1, 'v')
	}
	// A list of texts of 4 KB, each of which takes 60 bytes of the file.
	list := appendLength([]byte("REDIS0011\x01\x02st"), 300_000)
	text := append(append([]byte{0, 'x'}, bytes.Repeat([]byte{0xe0, 255, 0}, 15)...), 0xe0, 126, 0) // 1 + 15*264 + 135
	for range 300_000 {
		list = append(append(list, 0xc3, byte(len(text)), 0x50, 0x00), text...)
	}
	snapshots := map[string][]byte{
		"a hash of 2 million fields": append(append(hash, 0xff), make([]byte, 8)...),
		"a list of compressed texts": append(append(list, 0xff), make([]byte, 8)...),
		"an entry of many fields":    streamOf(manyFields(4_000_000, false), 1),
		"many shared fields":         streamOf(manyFields(4_000_000, true), 1),
	}
	for name, b := range snapshots {
		file := filepath.Join(t.TempDir(), "hostile.rdb")
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		for limit, most := range map[string]int{"1": 10 << 10, "2000": 10 << 20, "1000000": 40 << 20} {
			if limit == "1000000" && name == "a list of compressed texts" {
				continue // 4 GB
			}
			var printed bytes.Buffer
			runsWithin(t, &printed, name, "show", "--limit", limit, file, "st")
			if out := printed.Bytes(); len(out) > most || !bytes.Contains(out, []byte("... ")) {
				t.Errorf("%s, limit %s: %d bytes printed, at the end %q", name, limit, len(out), out[max(0, len(out)-200):])
			}
		}
		if name == "a list of compressed texts" || name == "many shared fields" {
			continue // 1 GB of commands; an element that is as large as the limit by itself
		}
		for _, flags := range []string{"-f resp", "-f resp --portable", "-f json"} {
			var out bytes.Buffer
			runsWithin(t, &out, name+", "+flags, append([]string{"show", file}, strings.Fields(flags)...)...)
			if !bytes.Contains(out.Bytes(), []byte("st")) {
				t.Errorf("%s, %s: %d bytes written", name, flags, out.Len())
			}
		}
	}
}

// manyFields is a compressed node with one entry of n fields, each of a number
// for a name and for a value.
func manyFields(n int, shared bool) []byte {
	number := func(v int) string { return string(binary.LittleEndian.AppendUint32([]byte{0xf3}, uint32(v))) + "\x05" }
	head, fields := number(1)+number(0)+number(0)+number(0)+number(0)+number(0)+number(0)+number(n), 2*n
	middle, size := "", 4*n
	if shared {
		head, fields, middle = number(1)+number(0)+number(n), n, number(0)+number(2)+number(0)+number(0)
	}
	parts := 2*n + 4
	if shared {
		parts = n + 3
	}
	end := number(parts) + "\xff"
	size += 6 + len(head) + len(middle) + len(end)
	var z []byte
	plain := func(s string) {
		for ; s != ""; s = s[min(len(s), 32):] {
			part := s[:min(len(s), 32)]
			z = append(append(z, byte(len(part)-1)), part...)
		}
	}
	ones := func(entries int) { // two bytes each
		plain("\x01\x01")
		for left := 2*entries - 2; left > 0; {
			if k := min(left, 264); k >= 10 {
				z = append(z, 0xe0, byte(k-9), 1)
				left -= k
			} else {
				plain(strings.Repeat("\x01", left))
				left = 0
			}
		}
	}
	plain(string(binary.LittleEndian.AppendUint32(nil, uint32(size))) + "\xff\xff" + head)
	ones(fields)
	if shared {
		plain(middle)
		ones(fields)
	}
	plain(end)
	return append(appendLength(appendLength([]byte{0xc3}, len(z)), size), z...)
}
