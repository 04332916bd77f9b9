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
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// stateForms has the digest of the structs that each form of a state has, and of what is subtracted from
// them. Where this test fails, one of these changed: a new form needs a number of its own in shardMagic.
var stateForms = map[string]string{"rdblens-shard/10": "ef6129d9a5ffcd03"}

func TestStateForm(t *testing.T) {
	const all = "*"
	h := sha256.New()
	for _, file := range [][]string{
		{"out_shard.go", "shardHeader", "failedInput", "StateInfo"}, {"internal/agg/state.go", all}, {"internal/agg/state_differ.go", all},
		{"internal/agg/key.go", "KeyRecord"}, {"internal/agg/aggregate.go", "Sums"}, {"internal/agg/histogram.go", "Count", "histogram"},
		{"internal/agg/tables.go", "Counters", "Cell", "Database", "OwnerSums", "IgnoredSums", "RuleSums"},
		{"internal/agg/builder.go", "SnapshotSums"}, {"internal/tree/state.go", "Record"},
		{"internal/identity/sample.go", "Sample", "Value"}, {"internal/identity/sampler.go", "Sampled"},
		{"../thresholds/compact_settings.go", "CompactSums"}, {"../thresholds/fleet.go", "NodeSums"},
		{"../thresholds/instance.go", "Omitted"}, {"../thresholds/rule_budget.go", "JudgedBudget"},
		{"../thresholds/state.go", "FindingState"},
	} {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file[0], nil, parser.SkipObjectResolution) // without comments
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, isType := n.(*ast.TypeSpec)
			_, isFunc := n.(*ast.FuncDecl)
			switch {
			case isType && slices.Contains(file[1:], spec.Name.Name):
				found++
			case file[1] != all || !isType && (!isFunc || !strings.HasSuffix(file[0], "differ.go")):
				return true
			}
			var text bytes.Buffer
			if err := format.Node(&text, set, n); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(h, strings.Join(strings.Fields(text.String()), " "))
			return false
		})
		if file[1] != all && found != len(file)-1 {
			t.Errorf("%s has %d of the types %v", file[0], found, file[1:])
		}
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
