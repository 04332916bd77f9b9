package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// stateForms has the digest of the structs that each form of a state has. Where this test
// fails, a struct changed: a new form needs a number of its own in shardMagic.
var stateForms = map[string]string{"rdblens-shard/6": "13f39ba7ef6cc20b"}

func TestStateForm(t *testing.T) {
	h := sha256.New()
	for _, path := range []string{"out_shard.go", "internal/agg/state.go"} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution) // without comments
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if _, isStruct := spec.Type.(*ast.StructType); isStruct && spec.Name.Name != "countingWriter" {
					var text bytes.Buffer
					if err := format.Node(&text, set, spec); err != nil {
						t.Fatal(err)
					}
					fmt.Fprintln(h, strings.Join(strings.Fields(text.String()), " "))
				}
			}
			return true
		})
	}
	if got, want := hex.EncodeToString(h.Sum(nil)[:8]), stateForms[strings.TrimSpace(shardMagic)]; got != want {
		t.Errorf("the structs of %q have the digest %s, not %s", strings.TrimSpace(shardMagic), got, want)
	}
}

// TestStateOfAnotherBuild checks that a state with the names or the limits of another
// build is named, with its version.
func TestStateOfAnotherBuild(t *testing.T) {
	state, header, records := stateFile(t, bytesSource("node", nodeSnapshot(1, 5)))
	header = bytes.Replace(header, []byte(`"names":"`), []byte(`"names":"x`), 1)
	header = bytes.Replace(header, []byte(`"tool":{"name":"`), []byte(`"tool":{"name":"other-`), 1)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	header = z.EncodeAll(header, nil)
	other := binary.BigEndian.AppendUint32([]byte(shardMagic), uint32(len(header)))
	other = append(append(other, header...), z.EncodeAll(records, nil)...)
	_, err = Merge(t.Context(), []Source{plainSource("a", state), plainSource("b", other)}, Options{})
	if err == nil || !strings.Contains(err.Error(), "b: the state was written by other-") || !strings.Contains(err.Error(), "which has other rules, limits or types") {
		t.Error(err)
	}
}
