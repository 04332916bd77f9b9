package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/pierrec/lz4/v4"
)

// lz4Extended appends what is left of a length whose first four bits are in a token.
func lz4Extended(block []byte, n int) []byte {
	if n < 15 {
		return block
	}
	for n -= 15; n >= 255; n -= 255 {
		block = append(block, 255)
	}
	return append(block, byte(n))
}

// lz4Sequences is a block of random sequences of all lengths and distances, and what it
// unpacks to behind text, into whose last reach bytes its matches go.
func lz4Sequences(rnd *rand.Rand, text []byte, reach, limit int) (block, all []byte) {
	start, end := len(text)-reach, len(text)+limit
	length := func() int {
		n := []int{rnd.IntN(5), rnd.IntN(20), 10 + rnd.IntN(40), rnd.IntN(600), 15 + 255*rnd.IntN(9), rnd.IntN(30_000)}
		return n[min(rnd.IntN(8), rnd.IntN(8), len(n)-1)]
	}
	for {
		literals, match := length(), 4+length()
		last := end-len(text) < literals+match || rnd.IntN(3000) == 0
		literals = min(literals, end-len(text))
		at := len(block)
		block = lz4Extended(append(block, byte(min(literals, 15)<<4)), literals)
		for range literals {
			text = append(text, byte(rnd.IntN(256)))
		}
		block = append(block, text[len(text)-literals:]...)
		far := min(len(text)-start, 1<<16-1)
		if last {
			return block, text
		}
		if far == 0 {
			block = block[:at]
			continue
		}
		distance := 1 + rnd.IntN(min(far, []int{1, 8, 16, 100, far}[rnd.IntN(5)]))
		block[at] |= byte(min(match-4, 15))
		block = lz4Extended(binary.LittleEndian.AppendUint16(block, uint16(distance)), match-4)
		for range match {
			text = append(text, text[len(text)-distance])
		}
	}
}

// TestLZ4Sequences reads frames of random sequences, sound and with a byte changed: their
// checksum must tell.
func TestLZ4Sequences(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 9))
	for range 20 {
		code := byte(4 + rnd.IntN(4))
		limit, flags := 1<<(8+2*code), byte(0x40|lz4Sum|lz4Independent*rnd.IntN(2))
		frame, text := lz4Header(flags, code<<4, 0), []byte(nil)
		for range 1 + rnd.IntN(6) {
			reach := len(text)
			if flags&lz4Independent != 0 {
				reach = 0
			}
			var block []byte
			block, text = lz4Sequences(rnd, text, reach, min(limit, 300_000))
			frame = append(binary.LittleEndian.AppendUint32(frame, uint32(len(block))), block...)
		}
		frame = binary.LittleEndian.AppendUint32(append(frame, 0, 0, 0, 0), sumOf(text))
		for _, n := range []int{999, 1 << 20} {
			if got, err := readLZ4(frame, n, &lz4Reader{}); got != string(text) || err != nil {
				t.Fatalf("flags %#x: %d of %d bytes, %v", flags, len(got), len(text), err)
			}
		}
		for range 5 {
			bad := bytes.Clone(frame)
			bad[7+rnd.IntN(len(bad)-7)] ^= 1 << rnd.IntN(8)
			if got, err := readLZ4(bad, 1<<20, &lz4Reader{}); err == nil && got != string(text) {
				t.Errorf("flags %#x: damage is not noticed", flags)
			}
		}
	}
}

// FuzzLZ4 unpacks a block as package lz4 does. A block whose last sequence has a match is
// valid there.
func FuzzLZ4(f *testing.F) {
	rnd := rand.New(rand.NewPCG(3, 9))
	for range 50 {
		block, _ := lz4Sequences(rnd, nil, 0, 3000)
		f.Add(block)
	}
	out := make([]byte, 64<<10)
	f.Fuzz(func(t *testing.T, block []byte) {
		if len(block) == 0 || len(block) > 64<<10 {
			return
		}
		n, err := lz4.UncompressBlock(block, out)
		in := append(binary.LittleEndian.AppendUint32(lz4Header(0x40, 0x40, 0), uint32(len(block))), block...)
		in = append(in, 0, 0, 0, 0)
		got, gotErr := readLZ4(in, 1<<20, &lz4Reader{})
		if gotErr == nil && err != nil || err == nil && got != string(out[:n]) || gotErr != nil && gotErr != errLZ4Invalid {
			t.Errorf("%d bytes, %v; want %d, %v", len(got), gotErr, n, err)
		}
		slow := &lz4Reader{}
		slow.r, slow.out = bufio.NewReaderSize(iotest.OneByteReader(bytes.NewReader(in)), lz4Longest), &lz4Spare
		if again, err := io.ReadAll(slow); string(again) != got || err != gotErr {
			t.Errorf("%d bytes, %v; byte by byte %d, %v", len(got), gotErr, len(again), err)
		}
	})
}
