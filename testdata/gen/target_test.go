package main

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestTargets starts a server with every snapshot of the fixtures: what package target
// calls loadable is loaded, what it calls blocked is refused.
func TestTargets(t *testing.T) {
	server := testtool.Need(t, "redis-server")
	dirs := []string{"../truth"}
	if !testtool.Nightly() {
		dirs = []string{"../truth/redis-8.0.2", "../truth/valkey-8.1.1"}
	}
	var out strings.Builder
	if err := checkTargets(&out, []string{server}, dirs...); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	t.Log(out.String())
}
