package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/rdblens/rdblens/parser/internal/crc64"
)

func sumOf(b []byte) uint32 {
	var x xxh32
	x.reset()
	x.write(b)
	return x.sum()
}

// lz4Header is the header of a frame: flags, the code of the block size, the length and
// the ID of a dictionary, where the flags announce them, and its checksum.
func lz4Header(flags, size byte, length uint64) []byte {
	head := []byte{flags, size}
	if flags&lz4Size != 0 {
		head = binary.LittleEndian.AppendUint64(head, length)
	}
	if flags&lz4Dict != 0 {
		head = append(head, 1, 2, 3, 4)
	}
	head = append(head, byte(sumOf(head)>>8))
	return append(binary.LittleEndian.AppendUint32(nil, lz4Magic), head...)
}

// lz4Frame writes a frame of blocks, of which every second one is compressed.
func lz4Frame(flags, size byte, blocks ...string) []byte {
	plain := strings.Join(blocks, "")
	out := lz4Header(flags, size, uint64(len(plain)))
	for i, text := range blocks {
		block, head := []byte(text), uint32(len(text))|1<<31
		if i%2 == 1 {
			packed := make([]byte, lz4.CompressBlockBound(len(text)))
			n, err := lz4.CompressBlock([]byte(text), packed, nil)
			if err != nil || n == 0 {
				panic(fmt.Sprint("the text cannot be compressed: ", err))
			}
			block, head = packed[:n], uint32(n)
		}
		out = append(binary.LittleEndian.AppendUint32(out, head), block...)
		if flags&lz4BlockSum != 0 {
			out = binary.LittleEndian.AppendUint32(out, sumOf(block))
		}
	}
	out = append(out, 0, 0, 0, 0)
	if flags&lz4Sum != 0 {
		out = binary.LittleEndian.AppendUint32(out, sumOf([]byte(plain)))
	}
	return out
}

// lz4Buffer saves an allocation for each frame.
var lz4Buffer = make([]byte, lz4History+64<<10+lz4Slack)

// readLZ4 reads frames with a buffer of n bytes.
func readLZ4(in []byte, n int, z *lz4Reader) (string, error) {
	z.r = bufio.NewReaderSize(bytes.NewReader(in), min(64<<10, 16+len(in)*3/4)) // some blocks are larger
	if z.out == nil {
		z.out = lz4Buffer
	}
	var out strings.Builder
	_, err := io.CopyBuffer(struct{ io.Writer }{&out}, struct{ io.Reader }{z}, make([]byte, n))
	return out.String(), err
}

// TestLZ4Frames reads frames with all flags, of blocks at the limits of their size, and
// what may come before and after them.
func TestLZ4Frames(t *testing.T) {
	text := strings.Repeat("a text that can be compressed, ", 3000)
	skipped := func(magic uint32, n int) []byte {
		return append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, magic), uint32(n)), make([]byte, n)...)
	}
	for flags := range byte(64) {
		if flags&(2|lz4Dict) != 0 {
			continue
		}
		for _, blocks := range [][]string{nil, {"short"}, {text[:1000], text[5000:9000], text[:1]}, {text[:64<<10], text[:64<<10], "end"}, {"x", text[:300], "y", text[20:420]}} {
			frame := lz4Frame(0x40|flags, 0x40, blocks...)
			want := strings.Join(blocks, "")
			for _, n := range []int{1, 1000, 64<<10 - 1, 64 << 10, 300_000} {
				if n == 1 && len(want) > 10_000 {
					continue
				}
				if got, err := readLZ4(frame, n, &lz4Reader{}); got != want || err != nil {
					t.Fatalf("flags %#x, blocks of %d bytes, a buffer of %d: %d bytes, %v", flags, len(want), n, len(got), err)
				}
			}
			for name, in := range map[string][]byte{
				"two frames": append(frame[:len(frame):len(frame)], frame...), "skipped ones around": bytes.Join([][]byte{skipped(lz4Skip, 0), skipped(lz4Skip+15, 10), frame, skipped(lz4Skip+7, 100_000), frame, skipped(lz4Skip, 3)}, nil),
			} {
				if got, err := readLZ4(in, 4000, &lz4Reader{}); got != want+want || err != nil {
					t.Errorf("flags %#x, %s: %d bytes, %v", flags, name, len(got), err)
				}
			}
			if len(want) > 100_000 {
				continue
			}
			for _, behind := range []string{"x", "xyz", "something else", "\x02\x21\x4c\x18legacy", "\x60\x2a\x4d\x18", "\x4f\x2a\x4d\x18"} {
				if got, err := readLZ4(append(frame[:len(frame):len(frame)], behind...), 4000, &lz4Reader{}); got != want || err != nil {
					t.Errorf("flags %#x, %q behind: %d bytes, %v", flags, behind, len(got), err)
				}
			}
			single := &lz4Reader{single: true}
			if got, err := readLZ4(append(frame[:len(frame):len(frame)], frame...), 4000, single); got != want || err != nil || single.inside {
				t.Errorf("flags %#x, a single frame: %d bytes, %v; inside %v", flags, len(got), err, single.inside)
			}
			for cut := range len(frame) {
				if cut > 40 && cut < len(frame)-12 || flags&lz4Independent != 0 {
					continue
				}
				if got, err := readLZ4(frame[:cut], 4000, &lz4Reader{}); err != io.ErrUnexpectedEOF || !strings.HasPrefix(want, got) {
					t.Fatalf("flags %#x, %d of %d bytes: %d bytes, %v", flags, cut, len(frame), len(got), err)
				}
			}
		}
	}
	for cut := range 20 { // within a frame that is skipped
		if _, err := readLZ4(skipped(lz4Skip, 20)[:8+cut], 4000, &lz4Reader{}); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes of a skipped frame: %v", cut, err)
		}
	}
}

// TestLZ4InPlace has blocks of the largest size that are hardly shorter than what they unpack
// to, or longer, and damaged ones. They are unpacked in the buffer where they stand; the
// reference is the library with the block elsewhere.
func TestLZ4InPlace(t *testing.T) {
	const limit = 4 << 20
	rnd := rand.New(rand.NewPCG(1, 4))
	for _, literals := range []int{0, 14, 15, 48, 270, 525, 70_000} {
		var block []byte
		var size int         // of the content
		add := func(n int) { // a sequence of n literals, without what follows
			block = append(block, byte(min(n, 15))<<4)
			for k := n - 15; k >= 0; k -= 255 {
				block = append(block, byte(min(k, 255)))
			}
			for range n {
				block = append(block, byte(rnd.Uint32()))
			}
		}
		add(20)
		block[0] |= 15
		block = append(block, 20, 0) // a match 20 back, so long that what is unpacked comes near to the block
		block = append(append(block, bytes.Repeat([]byte{255}, 160)...), 0)
		for size = 20 + 15 + 4 + 160*255; max(size, len(block))+2*literals+40 < limit; size += literals + 4 {
			add(literals)
			block = append(block, byte(1+rnd.IntN(20)), 0)
		}
		last := (limit - max(size, len(block)) - 2) * 255 / 256
		if add(last); size+last > limit || len(block) > limit {
			t.Fatalf("%d literals: a block of %d bytes, content of %d", literals, len(block), size+last)
		}
		want := make([]byte, limit)
		z := &lz4Reader{}
		for try := range 15 {
			if try > 0 {
				block[rnd.IntN(len(block))] ^= 1 << rnd.IntN(8)
			}
			frame := append(binary.LittleEndian.AppendUint32(lz4Header(0x60, 0x70, 0), uint32(len(block))), block...)
			*z = lz4Reader{r: bufio.NewReader(bytes.NewReader(append(frame, 0, 0, 0, 0))), out: z.out}
			got := make([]byte, limit-1) // smaller than a block
			n, err := io.ReadFull(z, got)
			wantN, wantErr := lz4.UncompressBlock(block, want)
			if (err == nil || err == io.ErrUnexpectedEOF) != (wantErr == nil) || err == nil && wantN < n ||
				wantErr == nil && !bytes.Equal(got[:n], want[:min(wantN, len(got))]) {
				t.Fatalf("%d literals, %d bits changed: %d bytes, %v; want %d, %v", literals, try, n, err, wantN, wantErr)
			}
		}
	}
}

// TestLZ4Damage has frames that are wrong, each in one place.
func TestLZ4Damage(t *testing.T) {
	text := strings.Repeat("compress me ", 100)
	all := byte(0x40 | lz4Sum | lz4Size | lz4BlockSum)
	good := lz4Frame(all, 0x40, "plain", text)
	changed := func(at int) []byte {
		b := bytes.Clone(good)
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 1
		return b
	}
	whole := func(head []byte) []byte { return append(head, good[15:]...) }
	length := uint64(5 + len(text))
	for _, c := range []struct {
		name string
		in   []byte
		want error
	}{
		{"a length", whole(lz4Header(all, 0x40, length)), nil}, {"a smaller length", whole(lz4Header(all, 0x40, length-1)), errLZ4Size}, {"a larger length", whole(lz4Header(all, 0x40, length+1)), errLZ4Size}, {"the length of the first block", whole(lz4Header(all, 0x40, 5)), errLZ4Size}, {"no length", whole(lz4Header(all, 0x40, 0)), errLZ4Size},
		{"another magic", changed(0), errLZ4Header}, {"another checksum of the header", changed(14), errLZ4Header}, {"flags that differ", changed(4), errLZ4Header},
		{"version 0", whole(lz4Header(all&^0x40, 0x40, length)), errLZ4Header}, {"version 3", whole(lz4Header(all|0x80, 0x40, length)), errLZ4Header}, {"a reserved flag", whole(lz4Header(all|2, 0x40, length)), errLZ4Header},
		{"a reserved bit", whole(lz4Header(all, 0xc0, length)), errLZ4Header}, {"another reserved bit", whole(lz4Header(all, 0x41, length)), errLZ4Header}, {"and another", whole(lz4Header(all, 0x48, length)), errLZ4Header}, {"blocks of 3", whole(lz4Header(all, 0x30, length)), errLZ4Header}, {"blocks of 256 KiB", whole(lz4Header(all, 0x50, length)), nil}, {"blocks of 4 MiB", whole(lz4Header(all, 0x70, length)), nil},
		{"a dictionary", whole(lz4Header(all|lz4Dict, 0x40, length)), errLZ4Dict},
		{"another block", changed(15 + 4), errLZ4Checksum}, {"another checksum of a block", changed(15 + 4 + 5), errLZ4Checksum}, {"another checksum", changed(-1), errLZ4Checksum},
		{"a block of the largest size", lz4Frame(0x40, 0x40, strings.Repeat("x", 64<<10)), nil}, {"a block that is too large", lz4Frame(0x40, 0x40, strings.Repeat("x", 64<<10+1)), errLZ4Block},
		{"a legacy frame", []byte("\x02\x21\x4c\x18legacy"), errLZ4Header}, {"nothing", nil, io.ErrUnexpectedEOF},
	} {
		for _, n := range []int{100, 5 << 20} {
			got, err := readLZ4(c.in, n, &lz4Reader{})
			if err != c.want || err == nil && len(got) != 5+len(text) && len(got) != 64<<10 {
				t.Errorf("%s, a buffer of %d: %d bytes, %v, want %v", c.name, n, len(got), err, c.want)
			}
		}
	}
	bad := lz4Frame(0x40, 0x40, "plain", text)
	bad[7+4+5+4] = 0xff // the first token of the compressed block
	bad[7+4+5+4+1] = 0xff
	if _, err := readLZ4(bad, 100, &lz4Reader{}); err == nil || err.Error() != "a block is invalid" {
		t.Errorf("an invalid block: %v", err)
	}
	// Frames whose length must be stated, as those in Dragonfly's snapshots.
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"a length": {good, nil}, "no length": {lz4Frame(0x40, 0x40, "plain"), errBlobUnsized}, "a length of 0": {lz4Frame(0x40|lz4Size, 0x40), errBlobUnsized}, "a skipped frame": {append([]byte("\x50\x2a\x4d\x18\x00\x00\x00\x00"), good...), errLZ4Header}, "another": {append([]byte("\x05\x22\x4d\x18"), good...), errLZ4Header},
	} {
		z := &lz4Reader{out: make([]byte, 1)}
		for range 2 {
			r := bufio.NewReader(bytes.NewReader(c.in))
			z.reset(r)
			got, err := io.ReadAll(z)
			if !errors.Is(err, c.want) || err == nil && string(got) != "plain"+text {
				t.Errorf("sized, %s: %d bytes, %v, want %v", name, len(got), err, c.want)
			}
		}
	}
}

// TestLZ4Checksums reads frames of each length up to 100 bytes that package lz4 has
// written, with its checksums.
func TestLZ4Checksums(t *testing.T) {
	for n := range 100 {
		text := strings.Repeat("0123456789abcdefghijklm", 5)[:n]
		var frame bytes.Buffer
		w := lz4.NewWriter(&frame)
		if err := w.Apply(lz4.ChecksumOption(true), lz4.BlockChecksumOption(true)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := readLZ4(frame.Bytes(), 50, &lz4Reader{out: make([]byte, 1)}); got != text || err != nil {
			t.Errorf("%d bytes: %q, %v", n, got, err)
		}
	}
}

// TestRecognize has the limits of what tells other files apart.
func TestRecognize(t *testing.T) {
	dump := func(n int) []byte {
		p := []byte("\x00\x01v\x0b\x00")[:n]
		return binary.LittleEndian.AppendUint64(p[:n:n], crc64.Update(0, p))
	}
	tar := make([]byte, 300)
	copy(tar[257:], "ustar")
	tar[0] = 'x'
	for _, c := range []struct {
		head  string
		whole bool
		want  string // in the reason
	}{
		{"", true, "the file is empty"}, {"RED", true, "ends within its first 9 bytes"}, {"REDIS001", true, "ends within its first 9 bytes"}, {"VALKEY08", true, "ends within its first 9 bytes"}, {"REDIS001", false, `a text that begins with "REDIS001"`}, {"REDIS001x", true, `a text that begins with "REDIS001x"`},
		{"$12", true, `ends within its first line: "$12"`}, {"$" + strings.Repeat("1", 62), true, "ends within its first line"}, {"$" + strings.Repeat("1", 63), true, "a text that begins"}, {"$12\n", true, "a text that begins"}, {"$12", false, "a text that begins"},
		{"\x00", true, "zero bytes"}, {strings.Repeat("\x00", 300), false, "zero bytes"}, {"\x00\x01", false, "no snapshot: it begins with"},
		{"*0", false, "append-only file"}, {"*9", false, "append-only file"}, {"*1\r\n", false, "append-only file"}, {"*", false, "a text"}, {"*/", false, "a text"}, {"*:", false, "a text"}, {"1", false, "a text"}, {"x1", false, "a text"}, {"#TS:1\r\n", false, "append-only file"},
		{"file a.rdb seq 1 type b\n", false, "the manifest"}, {"file a.rdb seq 1\n type b", false, "a text"}, {"a type b", false, "a text"}, {"file ", false, "a text"},
		{string(tar[:263]), false, "a tar archive"}, {string(tar[:262]), false, "no snapshot: it begins"},
		{string(dump(3)), true, "the DUMP of one key"}, {string(dump(5)), true, "the DUMP of one key"}, {string(dump(5)) + "\n", true, "the DUMP of one key"}, {string(dump(5)) + "\n\n", true, "no snapshot"}, {string(dump(2)), true, "no snapshot"}, {string(dump(5)), false, "no snapshot"},
		{" \n{", false, "looks like JSON"}, {"\xef\xbb\xbf[", false, "looks like JSON"}, {"\t<html>", false, "looks like HTML"}, {"rdblens-shard/8\nx", false, "a saved state"}, {" ", false, `a text that begins with " "`},
		{"-ERR " + strings.Repeat("x", 100) + "\nmore", false, `a server's error reply: "-ERR ` + strings.Repeat("x", 75) + `"`}, {"-\x01", false, "no snapshot"},
		{"a text of more than twenty-four bytes", false, `a text that begins with "a text of more than twen"`}, {"caf\xc3\xa9 \xe2\x82", false, "a text"}, {"caf\xc3 abcdef", false, "no snapshot"}, {"aa\xc3abc", false, "no snapshot"}, {"aa\xc3ab", false, "a text"}, {"a\x1f", false, "no snapshot"}, {"a\tb\r\n", false, "a text"},
		{"\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15", false, `no snapshot: it begins with "\x01\x02\x03\x04\x05\x06\a\b\v\f\x0e\x0f\x10\x11\x12\x13", not with REDIS`},
	} {
		got := recognize([]byte(c.head), c.whole)
		if !strings.Contains(got.Reason.Quoted(), c.want) || got.Hint.IsZero() {
			t.Errorf("%.40q, whole %v: %q, want %q", c.head, c.whole, got.Reason.Quoted(), c.want)
		}
	}
}
