//go:build !purego

package crc64

// Where update has sixteen remainders side by side, the eight are tested, too.
func init() {
	if hasCarryless {
		ways = append(ways, struct {
			name   string
			update func(uint64, []byte) uint64
		}{"eight", func(crc uint64, p []byte) uint64 {
			wide := hasWide
			hasWide = false
			defer func() { hasWide = wide }()
			return update(crc, p)
		}})
	}
}
