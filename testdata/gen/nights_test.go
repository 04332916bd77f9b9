package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestNights compares snapshots of a server under traffic, as make nights does with
// more keys.
func TestNights(t *testing.T) {
	testtool.Need(t, "redis-server")
	var out bytes.Buffer
	if err := checkNights(&out, []string{"redis-server"}, 20_000, time.Second); err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
}
