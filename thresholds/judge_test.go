package thresholds

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser/message"
)

// TestKeptFindings checks that the 100 worst findings of a rule are kept, and as many that
// are ignored, and that the others are counted by severity and entry, the severest first.
func TestKeptFindings(t *testing.T) {
	p := mustLoad(t, LoadOptions{Config: writeConfig(t, "ignore: [{rule: slot-skew, key: 'slot 1*', reason: x}, {rule: slot-skew, key: 'slot 2*', reason: y}]")})
	e := p.Compile(testEnv())
	rule := ruleID(t, "slot-skew")
	for _, n := range []int{0, 1, 100, 101, 250} {
		list := func(subject string, severity Severity) (found []InstanceFinding) {
			for i := range n {
				found = append(found, InstanceFinding{Finding: Finding{Rule: rule, Severity: severity, Measured: int64(1000 - i), Limit: 5}, Subject: message.New(fmt.Sprint(subject, i)), Keys: 2, Bytes: 30})
			}
			return found
		}
		all := slices.Concat(list("slot 0", Warning), list("slot 9", Error), list("slot 1", Warning), list("slot 2", Info))
		kept, omitted := e.judge([]accumulator{totalsOnly(func(totals, []NodeSums) []InstanceFinding { return all })}, totals{}, nil, nil)
		var counted, ignored int
		for i, f := range kept {
			if f.Ignored == 0 {
				counted++
			} else {
				ignored++
			}
			if i > 0 && CompareInstance(kept[i-1], f) > 0 {
				t.Errorf("%+v is worse than the one before", f)
			}
		}
		if counted != min(2*n, 100) || ignored != min(2*n, 100) {
			t.Errorf("%d of each: %d are kept, %d that are ignored", n, counted, ignored)
		}
		var sum int64
		for i, o := range omitted {
			sum += o.Count
			if o.Rule != rule || o.Keys != 2*o.Count || o.Bytes != 30*o.Count || i > 0 && (omitted[i-1].Severity < o.Severity || omitted[i-1].Severity == o.Severity && omitted[i-1].Ignored >= o.Ignored) {
				t.Errorf("%+v", omitted)
			}
		}
		if sum != int64(4*n-counted-ignored) {
			t.Errorf("%d of each: %d are counted beside the %d that are kept", n, sum, len(kept))
		}
		// Only those that are wanted.
		kept, omitted = e.judge([]accumulator{totalsOnly(func(totals, []NodeSums) []InstanceFinding { return all })}, totals{}, nil, func(f *InstanceFinding) bool { return f.Severity == Error })
		if len(kept) != min(n, 100) || n > 100 && (len(omitted) != 1 || omitted[0].Count != int64(n-100)) || n <= 100 && omitted != nil {
			t.Errorf("%d errors: %d are kept, %+v", n, len(kept), omitted)
		}
	}
	for _, c := range []struct {
		a, b InstanceFinding
		want int
	}{{InstanceFinding{Finding: Finding{Measured: 2}}, InstanceFinding{Finding: Finding{Measured: 1}, Bytes: 9}, -1}, {InstanceFinding{Bytes: 1}, InstanceFinding{Bytes: 2, Subject: message.New("a")}, 1}, {InstanceFinding{Subject: message.New("a")}, InstanceFinding{Subject: message.New("b")}, -1}, {InstanceFinding{}, InstanceFinding{}, 0}} {
		if got := CompareInstance(c.a, c.b); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for created, want := range map[int64]int64{-1: -1, 0: 0, 5: 5000, 1 << 50: 1 << 50 * 1000, 1<<50 + 1: -1} {
		if got := (&Env{Created: created}).createdMilli(); got != want {
			t.Errorf("created %d: %d", created, got)
		}
	}
}

// TestSizesOfKeys checks what stands in for the memory of a key that is not known.
func TestSizesOfKeys(t *testing.T) {
	for _, c := range []struct {
		memory                  bool
		value, inMemory, inFile int64
		want                    int64
	}{{true, 5, 7, 9, 7}, {true, 5, 0, 9, 0}, {true, 5, -1, 9, 5}, {true, -1, -1, 9, 9}, {false, 5, 7, 9, 5}, {false, 0, 7, 9, 0}, {false, -1, 7, 9, 9}, {false, -1, 7, -1, 0}} {
		env := testEnv()
		env.Memory = c.memory
		e := mustLoad(t, LoadOptions{}).Compile(env)
		k := key("a", nil)
		k.ValueBytes, k.Memory, k.Serialized = c.value, c.inMemory, c.inFile
		if got := e.sizeOf(k); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
