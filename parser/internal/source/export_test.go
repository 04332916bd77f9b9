package source

import "testing"

// What tests of the parser need.
const Mark = mark

var (
	Sample = sample
	Join   = join
)

// Framed returns inputs that hold the snapshot p.
func Framed(t testing.TB, p []byte) map[string][]byte {
	inputs := make(map[string][]byte)
	for name, in := range framed(t, p) {
		inputs[name] = in.bytes
	}
	return inputs
}
