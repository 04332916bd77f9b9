package thresholds

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzConfig: no text makes Load panic, and whatever it takes can be shown and
// compiled.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(teamFile))
	for _, name := range profileNames {
		text, err := profileFiles.ReadFile("profiles/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, s := range []string{"rules: {a: &x [1], b: *x}", "? {a: b}\n: c", "!!binary |\n  aGk=", "a: |\n  x\n b", "<<: {a: b}", "rules:\n  no-ttl: !!null\n", "'", "\"\\x", "%YAML 1.2\n---\na", "rules: {big-string: {error: .inf}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "rdblens.yaml")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := Load(LoadOptions{Config: path})
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		e := p.Compile(testEnv())
		k := key("user:1", nil)
		e.Check(k, facts(e, k), nil)
		p.Show()
	})
}
