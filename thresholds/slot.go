package thresholds

// Slots is the number of hash slots of a cluster.
const Slots = 16384

// Slot gives the hash slot of a name in a cluster, 0 to 16383: CRC-16 of the
// hash tag's content, or of the whole name where it has none.
func Slot(name []byte) int {
	if start, end := hashTag(name); end > start {
		name = name[start:end]
	}
	var crc uint16
	for _, b := range name {
		crc = crc<<8 ^ crc16[byte(crc>>8)^b]
	}
	return int(crc) & (Slots - 1)
}

// crc16 is the table of CRC-16/XMODEM, polynomial 0x1021 from the top bit.
var crc16 = func() (t [256]uint16) {
	for i := range t {
		c := uint16(i) << 8
		for range 8 {
			c = c<<1 ^ c>>15*0x1021
		}
		t[i] = c
	}
	return t
}()
