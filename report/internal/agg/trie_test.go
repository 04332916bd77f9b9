package agg

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// randomPatterns returns patterns of one to four segments out of few words.
func randomPatterns(r *rand.Rand, n int) [][]byte {
	var list [][]byte
	for range n {
		var words []string
		for range 1 + r.IntN(4) {
			words = append(words, word(r, 6))
		}
		list = append(list, []byte(strings.Join(words, ":")))
	}
	return list
}

// foldRandomly folds some nodes and keeps some of their values.
func foldRandomly(r *rand.Rand, t *patternTrie, joined func(to, from int32)) {
	for range 1 + r.IntN(8) {
		near := t.breadthFirst() // the root
		near = near[:min(len(near), 1+r.IntN(40))]
		t.fold(near[r.IntN(len(near))], func(int32) bool { return r.IntN(3) == 0 }, joined)
	}
}

func folded(t *patternTrie, pattern []byte) string {
	out, _, _ := t.appendFolded(nil, pattern)
	return string(out)
}

// TestTrie checks that a trie that was folded maps every pattern to one whose
// group has its keys, and that this stays so when it is compacted.
func TestTrie(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		trie := newPatternTrie(naming.NewNamer(":"))
		patterns := randomPatterns(r, 200)
		keys := []int64{0} // by group
		for _, p := range patterns {
			if out, node, differs := trie.appendFolded(nil, p); string(out) != string(p) || differs {
				t.Fatalf("seed %d: %q becomes %q before anything is folded (node %d)", seed, p, out, node)
			}
			node := trie.insert(p)
			if got := string(trie.appendPath(nil, node)); got != string(p) {
				t.Fatalf("seed %d: %q ends at the node of %q", seed, p, got)
			}
			if trie.nodes[node].group == 0 {
				trie.nodes[node].group = int32(len(keys))
				keys = append(keys, 0)
			}
			keys[trie.nodes[node].group]++
		}
		foldRandomly(r, trie, func(to, from int32) { keys[to], keys[from] = keys[to]+keys[from], 0 })
		want := map[string]int64{}
		for _, p := range patterns {
			want[folded(trie, p)]++
		}
		check := func(when string) {
			t.Helper()
			for p, n := range want {
				out, node, differs := trie.appendFolded(nil, []byte(p))
				if string(out) != p || differs || trie.nodes[node].group == 0 || keys[trie.nodes[node].group] != n {
					t.Fatalf("seed %d, %s: %q becomes %q with another number of keys than %d", seed, when, p, out, n)
				}
			}
		}
		check("folded")
		trie.compact()
		if trie.unused != 0 || len(trie.breadthFirst()) != len(trie.nodes) {
			t.Fatalf("seed %d: %d nodes, %d reachable, %d unused after compacting", seed, len(trie.nodes), len(trie.breadthFirst()), trie.unused)
		}
		check("compacted")
	}
}

// TestApplyFolds checks that a trie that applies the folds of another one maps
// patterns to one if either did before, whether the tries have seen them or not.
func TestApplyFolds(t *testing.T) {
	differ := 0
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		namer := naming.NewNamer(":")
		var tries [2]*patternTrie
		none := func(to, from int32) { t.Fatal("there are no groups to join") }
		patterns := randomPatterns(r, 100)
		for i := range tries {
			tries[i] = newPatternTrie(namer)
			for _, p := range patterns {
				tries[i].insert(p)
			}
			foldRandomly(r, tries[i], none)
		}
		patterns = append(patterns, randomPatterns(r, 100)...)
		var before []string
		for _, p := range patterns {
			before = append(before, folded(tries[0], p))
		}
		tries[0].applyFolds(tries[1], none)
		for i, p := range patterns {
			// Patterns that either trie has folded into one are one now.
			got := folded(tries[0], p)
			for _, earlier := range []string{before[i], folded(tries[1], p)} {
				if again := folded(tries[0], []byte(earlier)); again != got {
					t.Fatalf("seed %d: %q becomes %q, but %q, into which it was folded, becomes %q", seed, p, got, earlier, again)
				}
			}
			if before[i] != got {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("no fold was applied")
	}
}
