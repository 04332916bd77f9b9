package thresholds

import (
	"bytes"

	"github.com/rdblens/rdblens/parser"
)

// ContentOf returns what the first bytes of a key's value, or of its largest element,
// show. Text is recognized only in values that are worth compressing: of small ones it does
// not matter, and this is computed for every group.
func ContentOf(k *parser.Key) Content {
	head := k.Head
	switch {
	case len(head) == 0:
		return 0
	case k.Type == parser.String && isHyperLogLog(head, k.ValueBytes):
		return ContentHyperLogLog
	case isCompressed(head):
		return ContentCompressed
	case k.Type == parser.String && isBitmap(head):
		return ContentBitmap
	case k.ValueBytes >= minCompressed && textKind(head) != 0:
		return ContentText
	}
	return 0
}

// magic are the first bytes of compressed formats, by the first: gzip, zlib (RFC 1950, a
// window of 32 KB), zstd, LZ4 and Snappy frames, xz, bzip2; and of images, which are
// compressed.
var magic = [256][]string{0x1f: {"\x1f\x8b"}, 0x78: {"\x78\x01", "\x78\x9c", "\x78\xda"}, 0x28: {"\x28\xb5\x2f\xfd"},
	0x04: {"\x04\x22\x4d\x18"}, 0xff: {"\xff\x06\x00\x00sNaPpY", "\xff\xd8\xff"}, 0xfd: {"\xfd7zXZ\x00"}, 'B': {"BZh"},
	0x89: {"\x89PNG"}, 'G': {"GIF8"}}

func isCompressed(head []byte) bool {
	for _, m := range magic[head[0]] {
		if bytes.HasPrefix(head, []byte(m)) {
			return true
		}
	}
	return false
}

// isBitmap reports whether at least half of the bytes are runs of 0x00 or 0xff, as
// where SETBIT made a string longer.
func isBitmap(head []byte) bool {
	same := 0
	for i := 1; i < len(head); i++ {
		if head[i] == head[i-1] && (head[i] == 0 || head[i] == 0xff) {
			same++
		}
	}
	return len(head) >= 8 && 2*(same+1) >= len(head)
}
