package naming

// Slots is the number of hash slots in a cluster.
const Slots = 16384

// Slot returns the hash slot of a name in a cluster, 0 to 16383: the CRC-16 of
// the hash tag's content, or of the whole name where it has no tag.
func Slot(name []byte) int {
	if start, end := hashTag(name); end > start {
		name = name[start:end]
	}
	return SlotIgnoringTag(name)
}

// SlotIgnoringTag returns the hash slot of the whole name, as a proxy computes it
// that does not support hash tags.
func SlotIgnoringTag(name []byte) int {
	var crc uint16
	for ; len(name) >= 4; name = name[4:] {
		crc = crc16[3][name[0]^byte(crc>>8)] ^ crc16[2][name[1]^byte(crc)] ^ crc16[1][name[2]] ^ crc16[0][name[3]]
	}
	for _, b := range name {
		crc = crc<<8 ^ crc16[0][b^byte(crc>>8)]
	}
	return int(crc) & (Slots - 1)
}

// crc16 holds tables of CRC-16/XMODEM, polynomial 0x1021, most significant bit
// first: that of a byte, and of a byte followed by one, two and three zero bytes.
var crc16 = func() (t [4][256]uint16) {
	for i := range 256 {
		c := uint16(i) << 8
		for range 8 {
			c = c<<1 ^ c>>15*0x1021
		}
		t[0][i] = c
	}
	for k := 1; k < len(t); k++ {
		for i, c := range t[k-1] {
			t[k][i] = c<<8 ^ t[0][c>>8]
		}
	}
	return t
}()
