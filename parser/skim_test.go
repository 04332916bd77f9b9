package parser

import (
	"testing"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// TestRecordsEndOfPieces cuts a record with each opcode before its end at every byte:
// no more than what was whole before it is a record.
func TestRecordsEndOfPieces(t *testing.T) {
	d := &dialect{version: 11}
	d.compile()
	for name, r := range map[string]*rdbBuilder{
		"slot info":  newRDB("").raw(0xf4).len(300).len(70_000).len(5),
		"resize":     newRDB("").raw(0xfb).len(300).len(70_000),
		"aux":        newRDB("").aux("name", "value"),
		"function":   newRDB("").raw(0xf5).str("#!lua name=x"),
		"expiry":     newRDB("").raw(0xfc).le64(1_700_000_000_000).key(0, "key").str("value"),
		"expiry s":   newRDB("").raw(0xfd).le32(1_700_000_000).key(0, "key").str("value"),
		"idle, hash": newRDB("").raw(0xf8).len(300).key(4, "key").len(2).str("a", "b", "c", "d"),
		"frequency":  newRDB("").raw(0xf9, 200).key(1, "key").len(1).str("a"),
		"zset":       newRDB("").key(5, "key").len(1).str("a").le64(0),
		"stream":     newRDB("").key(0, "k").str(string(make([]byte, 300))),
	} {
		record := r.b
		b := append(newRDB("").key(0, "before").str("v").b, record...)
		start := len(b) - len(record)
		for n := start; n <= len(b); n++ {
			db := 0
			end, why := d.RecordsEnd(b[:n], 0, &db)
			if why == rdb.StopRare && end <= start {
				continue // left to the walker
			}
			if want := start; n < len(b) && end != want || n == len(b) && end != n {
				t.Errorf("%s, %d of %d bytes: records end at %d (%v)", name, n-start, len(record), end-start, why)
			}
		}
	}
}
