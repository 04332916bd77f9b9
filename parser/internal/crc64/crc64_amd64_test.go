//go:build !purego

package crc64

import "testing"

// TestNarrow checks the registers that all processors have.
func TestNarrow(t *testing.T) {
	wide := hasWide
	hasWide = false
	defer func() { hasWide = wide }()
	TestRandom(t)
}
