package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/testdata/watchdog"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// FuzzConfig: no text makes Load panic, and whatever it takes can be shown and
// compiled.
func FuzzConfig(f *testing.F) {
	team, err := os.ReadFile("testdata/team.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(team)
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
		defer watchdog.Start(t)()
		path := filepath.Join(t.TempDir(), "rdblens.yaml")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := Load(Options{Config: path})
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		e := p.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: -1})
		k := &parser.Key{Name: []byte("user:1"), NameLen: 6, Type: parser.String, Elements: 1, ValueBytes: 50, Idle: -1, Freq: -1}
		var facts naming.Facts
		e.Namer().Facts(k.Name, &facts)
		e.Check(k, &facts, nil)
		Entries(p)
	})
}
