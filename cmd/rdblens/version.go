package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report"
)

// version is set by the linker for a release (-X main.version=v1.2.3). If it is
// empty, the version of the module counts.
var version string

// toolVersion returns the version of this program, "devel" for a build from a
// working copy.
func toolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if version == "" && ok && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	return cmp.Or(version, "devel")
}

// versionLine returns the version, the commit and its date if the build recorded
// them, the compiler and the platform.
func versionLine() string {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		commit = commitText(info.Settings)
	}
	return fmt.Sprintf("rdblens %s%s %s %s/%s\n", toolVersion(), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commitText returns the commit of a build and its date, as in
// " (commit 67c5093a1b2c, 2026-11-22)", "" if they were not recorded.
func commitText(settings []debug.BuildSetting) string {
	vcs := map[string]string{}
	for _, s := range settings {
		vcs[s.Key] = s.Value
	}
	commit := vcs["vcs.revision"]
	if commit == "" {
		return ""
	}
	parts := []string{"commit " + commit[:min(12, len(commit))]}
	if at, err := time.Parse(time.RFC3339, vcs["vcs.time"]); err == nil {
		parts = append(parts, at.Format(time.DateOnly))
	}
	if vcs["vcs.modified"] == "true" {
		parts = append(parts, "modified")
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func newVersion(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and date",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := io.WriteString(e.stdout, versionLine())
			return outputError(err)
		},
	}
}

func tool() report.Tool { return report.Tool{Name: "rdblens", Version: toolVersion()} }
