package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSummary summarizes the tests of a module that is made for it: what passes, fails,
// panics, is skipped and is not compiled.
func TestSummary(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module m\n\ngo 1.26\n",
		"good/a_test.go": "package a\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Log(\"quiet\") }\nfunc TestB(t *testing.T) { t.Skip(\"no gdu: install it\") }\nfunc TestC(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Skip(\"no gdu: install it\") }) }\n",
		"bad/b_test.go":  "package b\nimport \"testing\"\nfunc TestFine(t *testing.T) { t.Log(\"quiet\") }\nfunc TestWrong(t *testing.T) { t.Error(\"is wrong\") }\n",
		"mad/c_test.go":  "package c\nimport \"testing\"\nfunc TestPanic(t *testing.T) { panic(\"at the disco\") }\n",
		"typo/d_test.go": "package d\nvar x int = \"\"\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		pkg      string
		ok       bool
		has, not string // texts with | between them
	}{
		{"./good", true, "ok  \tm/good|SKIPPED:\n  no gdu: install it: TestB, TestC/x\n", "quiet"},
		{"./bad", false, "b_test.go:4: is wrong|--- FAIL: TestWrong|FAIL\tm/bad", "quiet|TestFine|SKIPPED"},
		{"./mad", false, "panic: at the disco|c_test.go:3|FAIL\tm/mad", "SKIPPED"},
		{"./typo", false, "d_test.go:2:|FAIL\tm/typo", "SKIPPED"},
		{"./good ./bad", false, "ok  \tm/good|is wrong|SKIPPED:", "quiet"},
		{"./nowhere", false, "nowhere", "ok"},
	} {
		cmd := exec.Command("go", append([]string{"test", "-vet=off", "-json"}, strings.Fields(c.pkg)...)...)
		cmd.Dir = dir
		events, _ := cmd.Output()
		var out strings.Builder
		ok, err := summarize(strings.NewReader(string(events)), &out)
		if err != nil || ok != c.ok {
			t.Errorf("%s: passed: %v, %v\n%s", c.pkg, ok, err, &out)
		}
		for text := range strings.SplitSeq(c.has, "|") {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s: no %q in\n%s", c.pkg, text, &out)
			}
		}
		for text := range strings.SplitSeq(c.not, "|") {
			if strings.Contains(out.String(), text) {
				t.Errorf("%s: %q in\n%s", c.pkg, text, &out)
			}
		}
	}
	if ok, _ := summarize(strings.NewReader(""), &strings.Builder{}); ok {
		t.Error("nothing was tested, and it passed")
	}
}
