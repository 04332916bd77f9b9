package agg

import (
	"fmt"
	"maps"
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

// foldRandomly folds values below some nodes, from the first segment on, and keeps
// others distinct.
func foldRandomly(r *rand.Rand, t *patternTrie, joined func(to, from int32)) {
	for depth := range 4 {
		t.atDepth(0, 1+depth, func(node int32) {
			if kind := r.IntN(4); kind < 2 {
				t.fold(node, uint8(kind), func(*trieNode) bool { return r.IntN(3) == 0 }, joined)
			}
		})
	}
}

func folded(t *patternTrie, pattern []byte) (out string, group int32) {
	text, node, _ := t.appendFolded(nil, 0, pattern, weight{})
	return string(text), t.nodes.at(node).group
}

// TestTrie checks that a trie that was folded maps every pattern to the one whose
// group has its keys, and that this stays so when it is compacted.
func TestTrie(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		trie := newPatternTrie(naming.NewNamer(":"), nil)
		patterns := randomPatterns(r, 200)
		keys := []int64{0} // by group
		for _, p := range patterns {
			if out, _ := folded(trie, p); out != string(p) {
				t.Fatalf("seed %d: %q becomes %q before anything is folded", seed, p, out)
			}
			node := trie.insert(0, p)
			if got := string(trie.appendPath(nil, node)); got != string(p) {
				t.Fatalf("seed %d: %q ends at the node of %q", seed, p, got)
			}
			if trie.nodes.at(node).group == 0 {
				trie.nodes.at(node).group = int32(len(keys))
				keys = append(keys, 0)
			}
			keys[trie.nodes.at(node).group]++
		}
		foldRandomly(r, trie, func(to, from int32) { keys[to], keys[from] = keys[to]+keys[from], 0 })
		want := map[string]int64{}
		for _, p := range patterns {
			out, _ := folded(trie, p)
			want[out]++
		}
		check := func(when string) {
			t.Helper()
			for p, n := range want {
				out, group := folded(trie, []byte(p))
				if out != p || group == 0 || keys[group] != n {
					t.Fatalf("seed %d, %s: %q becomes %q with another number of keys than %d", seed, when, p, out, n)
				}
			}
		}
		check("folded")
		trie.compact()
		reachable := 0
		for depth := range maxDepth + 2 {
			trie.atDepth(0, depth, func(int32) { reachable++ })
		}
		if trie.unused != 0 || reachable != int(trie.nodes.n) {
			t.Fatalf("seed %d: %d nodes, %d reachable, %d unused after compacting", seed, int(trie.nodes.n), reachable, trie.unused)
		}
		check("compacted")
	}
}

// TestUnion checks that tries that are merged bound what was counted under * of
// each value, in any order of merging.
func TestUnion(t *testing.T) {
	type trie struct {
		*patternTrie
		groups []Group
		keys   map[string]int64 // of the keys below each path of two segments
	}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		namer := naming.NewNamer(":")
		make := func() *trie {
			t := &trie{newPatternTrie(namer, nil), make([]Group, 1), map[string]int64{}}
			for range 300 {
				p := fmt.Appendf(nil, "%s:%s", word(r, 3), word(r, 1+r.IntN(60)))
				n := t.insert(0, p)
				if t.nodes.at(n).group == 0 {
					t.groups = append(t.groups, Group{})
					t.nodes.at(n).group = int32(len(t.groups) - 1)
				}
				t.groups[t.nodes.at(n).group].Keys++
				t.keys[string(p)]++
			}
			t.weigh(t.groups[1:])
			t.atDepth(0, 2, func(node int32) {
				if r.IntN(3) > 0 {
					t.fold(node, ending, func(v *trieNode) bool { return v.total.keys > 7 }, func(to, from int32) {
						t.groups[to].Keys += t.groups[from].Keys
						t.groups[from].Keys = 0
					})
				}
			})
			return t
		}
		// What is missing of a value here is at most what its node, or the fold that
		// took it in, says.
		check := func(when string, m *trie, all ...*trie) {
			t.Helper()
			for _, from := range all {
				for p := range from.keys {
					var keys, counted int64
					for _, o := range all {
						keys += o.keys[p]
						if node := o.lookup([]byte(p)); node != 0 {
							counted += o.groups[o.nodes.at(node).group].Keys
						}
					}
					segment := []byte(p)[4:]
					parent := m.child(m.database(0), []byte(p)[:4])
					missed := m.missedAt(parent, ending)
					if node := m.child(parent, segment); node != 0 {
						missed = m.nodes.at(node).missed
					}
					if keys-counted > missed.keys {
						t.Fatalf("seed %d, %s: %q has %d keys, %d are counted, at most %d should be missing", seed, when, p, keys, counted, missed.keys)
					}
				}
			}
		}
		a, b, c := make(), make(), make()
		check("alone", a, a)
		ab := newPatternTrie(namer, nil)
		for _, o := range []*trie{a, b} {
			ab.union(0, o.patternTrie, 0)
		}
		check("two", &trie{patternTrie: ab}, a, b)
		abc, cba := newPatternTrie(namer, nil), newPatternTrie(namer, nil)
		abc.union(0, ab, 0)
		abc.union(0, c.patternTrie, 0)
		for _, o := range []*trie{c, b, a} {
			cba.union(0, o.patternTrie, 0)
		}
		check("three", &trie{patternTrie: abc}, a, b, c)
		missed := func(t *patternTrie) map[string]weight {
			all := map[string]weight{}
			t.atDepth(0, 3, func(node int32) {
				if !t.nodes.at(node).star {
					all[string(t.appendPath(nil, node))] = t.nodes.at(node).missed
				}
			})
			return all
		}
		if !maps.Equal(missed(abc), missed(cba)) {
			t.Fatalf("seed %d: the order of merging changes what may be missing", seed)
		}
	}
}

// lookup returns the node at which a pattern of database 0 ends, 0 if there is
// none.
func (t *patternTrie) lookup(pattern []byte) int32 {
	node := t.database(0)
	for from, depth := 0, 0; from < len(pattern) && node != 0; depth++ {
		end := t.segment(pattern, from, depth)
		node = t.child(node, pattern[from:end])
		from = end
	}
	return node
}

// TestJoinedDatabases checks that a pattern has one node once databases are joined,
// whichever database it is inserted for, and that all that was below them is there.
func TestJoinedDatabases(t *testing.T) {
	trie := newPatternTrie(naming.NewNamer(":"), nil)
	patterns := []string{"user:a", "user:b", "order:a"}
	for db, p := range patterns {
		trie.nodes.at(trie.insert(int32(db), []byte(p))).group = int32(db) + 1
	}
	trie.joinDatabases(func(to, from int32) { t.Errorf("groups %d and %d were joined", to, from) })
	for i, p := range patterns {
		for db := range int32(5) {
			if node := trie.insert(db, []byte(p)); trie.nodes.at(node).group != int32(i)+1 {
				t.Errorf("database %d: %q ends at group %d", db, p, trie.nodes.at(node).group)
			}
		}
	}
}

// TestFreedHistograms checks that groups that take over histograms of TTLs have one
// each.
func TestFreedHistograms(t *testing.T) {
	g := Groups{ttls: make([]ttlHistogram, 2), freeTTLs: []int32{1, 2}}
	seen := map[int32]bool{}
	for range 3 {
		to := newGroup(nil)
		g.addTTL(&to, 1000)
		g.addTTL(&to, 2000)
		if seen[to.ttlHistogram] || to.ttlHistogram == 0 {
			t.Errorf("histogram %d is that of two groups, or none", to.ttlHistogram)
		}
		seen[to.ttlHistogram] = true
	}
}
