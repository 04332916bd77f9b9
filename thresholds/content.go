package thresholds

import (
	"bytes"

	"github.com/rdblens/rdblens/parser"
)

// ContentOf returns what the first bytes of a key's value, or of its largest element,
// show.
func ContentOf(k *parser.Key) Content {
	switch {
	case k.Type == parser.String && isHyperLogLog(k.Head, k.ValueBytes):
		return ContentHyperLogLog
	case textKind(k.Head) != 0:
		return ContentText
	case isCompressed(k.Head):
		return ContentCompressed
	case k.Type == parser.String && isBitmap(k.Head):
		return ContentBitmap
	}
	return 0
}

// magic are the first bytes of compressed formats: gzip, zlib (RFC 1950, a window of
// 32 KB), zstd, LZ4 and Snappy frames, xz, bzip2; and of images, which are compressed.
var magic = [][]byte{{0x1f, 0x8b}, {0x78, 0x01}, {0x78, 0x9c}, {0x78, 0xda}, {0x28, 0xb5, 0x2f, 0xfd}, {0x04, 0x22, 0x4d, 0x18}, []byte("\xff\x06\x00\x00sNaPpY"),
	{0xfd, '7', 'z', 'X', 'Z', 0}, []byte("BZh"), []byte("\x89PNG"), {0xff, 0xd8, 0xff}, []byte("GIF8")}

func isCompressed(head []byte) bool {
	for _, m := range magic {
		if bytes.HasPrefix(head, m) {
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
