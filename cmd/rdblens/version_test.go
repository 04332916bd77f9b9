package main

import (
	"runtime/debug"
	"testing"
)

func TestCommitText(t *testing.T) {
	const revision = "67c5093a1b2c3d4e5f60718293a4b5c6d7e8f901"
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{{Key: "vcs.time", Value: "2026-11-22T06:25:10Z"}}, ""},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: "2026-11-22T06:25:10Z"}, {Key: "vcs.modified", Value: "false"}},
			" (commit 67c5093a1b2c, 2026-11-22)"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: "x"}, {Key: "vcs.modified", Value: "true"}},
			" (commit 67c5093a1b2c, modified)"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}, " (commit abc)"},
	} {
		if got := commitText(c.settings); got != c.want {
			t.Errorf("%+v: %q, want %q", c.settings, got, c.want)
		}
	}
}
