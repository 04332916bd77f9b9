package main

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestAdvice follows all advice on the findings in a snapshot.
func TestAdvice(t *testing.T) {
	server := testtool.Need(t, "redis-server")
	profiles := []string{"default", "baidu", "typed"}
	if !testtool.Nightly() {
		profiles = profiles[2:]
	}
	var out strings.Builder
	if err := checkAdvice(&out, []string{server}, profiles, fillQueues); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	t.Log(out.String())
}
