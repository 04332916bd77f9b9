package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ran runs a command and returns what it wrote.
func ran(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, nil, &o, &e)
	return o.String(), e.String(), code
}

// TestConfigSuggest checks that snapshots of servers pass what is suggested from them, with
// every profile of the rules that judge most, and that the suggestion says nothing that
// cannot be meant.
func TestConfigSuggest(t *testing.T) {
	for _, c := range []struct{ file, profile string }{
		{"../../testdata/shop.rdb", "default"}, {"../../testdata/shop.rdb", "typed"}, {"../../testdata/rules/names.rdb", "baidu"},
		{"../../testdata/rules/values.rdb.gz", "upper"}, {"../../testdata/truth/redis-7.0.15/all.rdb", "aliyun"},
	} {
		text, complaints, code := ran(t, "config", "suggest", "--profile", c.profile, c.file)
		if code != 0 {
			t.Errorf("%s: exit %d: %s", c.file, code, complaints)
			continue
		}
		path := filepath.Join(t.TempDir(), "rdblens.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, complaints, code := ran(t, "config", "check", path); code != 0 || !strings.Contains(out, ": ok, extends "+c.profile) {
			t.Errorf("%s: config check: exit %d: %s%s", c.file, code, out, complaints)
		}
		if out, complaints, code := ran(t, "scan", "--config", path, "--fail-on", "info", "-f", "summary", c.file); code != 0 || !strings.Contains(out, "problems: none") {
			t.Errorf("%s: scan: exit %d: %s%s", c.file, code, out, complaints)
		}
	}
	if _, complaints, code := ran(t, "config", "suggest", "-"); code != exitUsage || !strings.Contains(complaints, "standard input once") {
		t.Errorf("standard input: exit %d: %s", code, complaints)
	}
}
