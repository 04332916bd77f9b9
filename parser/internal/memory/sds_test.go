package memory

import "testing"

// TestStringHeaders checks the lengths from which headers are larger, by sdsReqType
// and sdsHdrSize of sds.c, and mstrReqType of mstr.c.
func TestStringHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		kind stringKind
		from map[int64]int64 // bytes of the header from a length on
	}{
		"sds":             {sdsClassic, map[int64]int64{32: 3, 256: 5, 65536: 9, 1 << 32: 17}},
		"sds of Valkey 8": {sdsTight, map[int64]int64{32: 3, 253: 5, 65531: 9, 1 << 32: 17}},
		"mstr of a field": {mstr, map[int64]int64{32: 3, 65536: 9, 1 << 32: 17}},
	} {
		for n, header := range c.from {
			if got := c.kind.header(n); got != header {
				t.Errorf("%s: %d bytes have a header of %d, want %d", name, n, got, header)
			}
			if got := c.kind.header(n - 1); got >= header {
				t.Errorf("%s: %d bytes have a header of %d", name, n-1, got)
			}
		}
		if got := c.kind.header(0); got != 1 {
			t.Errorf("%s: an empty string has a header of %d", name, got)
		}
	}
	if got := mstr.header(65535); got != 3 {
		t.Errorf("mstr: 65535 bytes have a header of %d", got)
	}
}
