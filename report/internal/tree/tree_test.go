package tree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// sums is what a test keeps of the keys of a leaf.
type sums struct {
	list   []int64
	folded map[string]bool
}

func (s *sums) Join(to, from int32) { s.list[to-1], s.list[from-1] = s.list[to-1]+s.list[from-1], 0 }

func (s *sums) Folded(pattern []byte) { s.folded[string(pattern)] = true }

// add adds keys to a leaf.
func (s *sums) add(n *Node, keys int64) {
	if n.Leaf == 0 {
		s.list = append(s.list, 0)
		n.Leaf = int32(len(s.list))
	}
	s.list[n.Leaf-1] += keys
}

type key struct {
	name string
	size int64
}

// forest is a tree, and how it is filled.
type forest struct {
	*Tree
	sums     *sums
	versions Versions
	namer    *naming.Namer
}

func newForest(separators string) *forest {
	f := &forest{sums: &sums{folded: map[string]bool{}}, namer: naming.NewNamer(separators)}
	f.Tree = New(f.namer, f.sums)
	return f
}

// fill adds keys in blocks. Several Blocks take turns, as those of several goroutines do.
func (f *forest) fill(keys []key, block, blocks int) *forest {
	trees := make([]*Block, blocks)
	for i := range trees {
		trees[i] = NewBlock(f.namer)
	}
	number := 0
	caches := f.namer.NewCache()
	for list := range slices.Chunk(keys, block) {
		number++
		b := trees[number%blocks]
		b.Begin(f.versions.For(f.Tree, number), number)
		leaves := map[int32]int64{}
		flush := func() {
			f.versions.Before(f.Tree, number)
			nodeOf := f.Merge(b)
			for leaf, keys := range leaves {
				f.sums.add(f.Node(nodeOf[leaf]), keys)
			}
			f.Settle(MaxLeaves)
			b.Reset()
			clear(leaves)
		}
		for i, k := range list {
			leaf := b.Leaf([]byte(k.name), caches.Facts([]byte(k.name)), k.size)
			b.Add(leaf, 1, k.size)
			leaves[leaf]++
			if i%50 == 49 && b.Full(len(leaves)) {
				flush()
			}
		}
		flush()
	}
	return f
}

// check compares the nodes that are not folded with the sums of the names, and each node
// with its children. It returns the most keys that a node lacks, and the number of nodes.
func (f *forest) check(t *testing.T, keys []key) (lacks int64, nodes int) {
	t.Helper()
	prefixes, names := map[string][2]int64{}, map[string][2]int64{}
	for _, k := range keys {
		add := func(m map[string][2]int64, s string) { v := m[s]; m[s] = [2]int64{v[0] + 1, v[1] + k.size} }
		add(names, k.name)
		for from, depth := 0, 0; ; depth++ {
			from = f.cut.next([]byte(k.name), from, depth)
			if depth == maxSegments-1 || from == 0 || !f.namer.IsSeparator(k.name[from-1]) {
				break
			}
			add(prefixes, k.name[:from])
			if from == len(k.name) {
				break
			}
		}
	}
	var all [2]int64
	for _, k := range keys {
		all[0], all[1] = all[0]+1, all[1]+k.size
	}
	if f.Node(0).Keys != all[0] || f.Node(0).Size != all[1] {
		t.Errorf("the root has %d keys and %d bytes of %d and %d", f.Node(0).Keys, f.Node(0).Size, all[0], all[1])
	}
	f.checkSums(t, 0)
	for i := range f.Exact(0) {
		n := f.Node(i)
		path := string(f.AppendPath(nil, i))
		if strings.Contains(path, "*") {
			continue
		}
		want, known := prefixes[path]
		if n.kind == end {
			want, known = names[path]
		}
		nodes++
		missing := want[0] - n.Keys
		if !known || missing < 0 || missing > f.Lacks(i) || missing == 0 && want[1] != n.Size {
			t.Errorf("%q has %d keys and %d bytes, want %v; it may lack %d", path, n.Keys, n.Size, want, f.Lacks(i))
		}
		lacks = max(lacks, missing)
	}
	return lacks, nodes
}

func (f *forest) checkSums(t *testing.T, i int32) {
	t.Helper()
	n := *f.Node(i)
	if n.Leaf != 0 && f.sums.list[n.Leaf-1] != n.Keys {
		t.Errorf("leaf %q has %d keys, counted %d", f.AppendPath(nil, i), n.Keys, f.sums.list[n.Leaf-1])
	}
	if (n.Leaf != 0) != (n.kind == end && i != 0) && n.Keys > 0 {
		t.Errorf("node %q of kind %d has leaf %d", f.AppendPath(nil, i), n.kind, n.Leaf)
	}
	if n.kind == end && i != 0 {
		return
	}
	var keys, size int64
	for c := range f.Children(i) {
		child := f.Node(c)
		keys, size = keys+child.Keys, size+child.Size
		if f.find(child.hashBelow(n.hash)) != c || child.parent != i {
			t.Errorf("%q is not found", f.AppendPath(nil, c))
		}
		f.checkSums(t, c)
	}
	if keys != n.Keys || size != n.Size {
		t.Errorf("%q has %d keys and %d bytes, its children %d and %d", f.AppendPath(nil, i), n.Keys, n.Size, keys, size)
	}
}

// dump describes a tree, whatever the order of its children.
func (f *forest) dump() string {
	var b bytes.Buffer
	f.Records(func(r Record, leaf int32) {
		keys := int64(0)
		if leaf != 0 {
			keys = f.sums.list[leaf-1]
		}
		fmt.Fprintf(&b, "%d %t %q flags %d lacks %d sampled %d %d lost %v: %d\n", r.Depth, r.Leaf, r.Label, r.Flags, r.Missed, r.SampledKeys, r.SampledSize, r.Lost, keys)
	})
	return b.String()
}

// count returns the keys of a node by its path, -1 if there is none.
func (f *forest) count(path string) int64 {
	found := int64(-1)
	var visit func(i int32, prefix string)
	visit = func(i int32, prefix string) {
		for c := range f.Children(i) {
			p := prefix + f.Node(c).label
			if p == path {
				found = f.Node(c).Keys
			}
			visit(c, p)
		}
	}
	visit(0, "")
	return found
}

func word(r *rand.Rand, n int) string {
	const letters = "ghijklmnopqrstuvwxyz" // no hexadecimal digits
	i := r.IntN(n)
	return string([]byte{letters[i%20], letters[i/20%20], letters[i/400%20], letters[i/8000%20]})
}

// keyspaces are names of many kinds.
var keyspaces = map[string]struct {
	separators string
	name       func(r *rand.Rand, i int) string
}{
	"ids":        {":", func(r *rand.Rand, i int) string { return fmt.Sprintf("shop:%s:%d:%s", word(r, 6), 1e6+i, word(r, 3)) }},
	"one family": {":", func(r *rand.Rand, i int) string { return fmt.Sprint("user:", i) }},
	"services": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("svc%d:mod%d:fam%d:%d", r.IntN(37), r.IntN(9), r.IntN(3), i)
	}},
	"25 prefixes": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("app%d:%s:%s", r.IntN(25), word(r, 20), word(r, 90))
	}},
	"20,000 families": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("%s:%s:%d", word(r, 20_000), word(r, 2), r.IntN(4))
	}},
	"words": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("user:%s%s:%s", word(r, 8000), word(r, 8000), word(r, 5))
	}},
	"three words": {":", func(r *rand.Rand, i int) string { return word(r, 8000) + ":" + word(r, 8000) + ":" + word(r, 8000) }},
	"tokens":      {":", func(r *rand.Rand, i int) string { return "tok:" + token(r, 22) }},
	"hexadecimal": {":", func(r *rand.Rand, i int) string { return fmt.Sprintf("%016x", r.Uint64()) }},
	"no separator": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf([]string{"celery-task-meta-%d", "page-%d.html", "img_%d", "rank%d"}[r.IntN(4)], i)
	}},
	"shapes": {":", func(r *rand.Rand, i int) string {
		return []string{"img_", "page-", ""}[r.IntN(3)] + word(r, 8000) + word(r, 8000)
	}},
	"i18n": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("i18n:bundle:%d:%s", r.IntN(3000), []string{"de", "en", "fr"}[r.IntN(3)])
	}},
	"dates": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("stats:2025-%02d-%02d:hits:%d", 1+r.IntN(12), 1+r.IntN(28), r.IntN(9))
	}},
	"dates apart": {"-:", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("x-2025-%02d-%02d:%d", 1+r.IntN(12), 1+r.IntN(28), i)
	}},
	"separators": {":|/_.", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("app%cuser%c%d%cprofile", ":|/_."[r.IntN(5)], ":|/_."[r.IntN(5)], i, ":|"[r.IntN(2)])
	}},
	"only separators": {":#", func(r *rand.Rand, i int) string {
		b := make([]byte, r.IntN(20))
		for i := range b {
			b[i] = ":#"[r.IntN(2)]
		}
		return string(b)
	}},
	"hash tags": {":", func(r *rand.Rand, i int) string { return fmt.Sprintf("{user:%d}:%s", r.IntN(900), word(r, 4)) }},
	"tags of all kinds": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf([]string{"{%s}:%s", "{%s%d}:%s", "{user:%s}:%s", "%s:{%d}", "{%s%s}", "x{%[2]s}:%[3]s"}[r.IntN(6)],
			word(r, 8000), word(r, 900), word(r, 4))
	}},
	"words among identifiers": {":", func(r *rand.Rand, i int) string {
		if i%50 == 0 {
			return "s:" + word(r, 40) + ":" + word(r, 3)
		}
		return "s:" + strings.ToLower(token(r, 9)) + ":" + word(r, 2)
	}},
	"Chinese": {":", func(r *rand.Rand, i int) string {
		return fmt.Sprintf("用户:%s:资料:%d", []string{"北京", "上海", "广州"}[r.IntN(3)], i)
	}},
	"binary": {":", func(r *rand.Rand, i int) string {
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = ":*{}0a\xff\x00…"[r.IntN(10)]
		}
		return string(b)
	}},
	"12 levels": {":", func(r *rand.Rand, i int) string {
		var s []string
		for range 13 {
			s = append(s, word(r, 3))
		}
		return strings.Join(s, ":")
	}},
	"long": {":", func(r *rand.Rand, i int) string {
		return token(r, 100) + ":" + token(r, 200) + ":" + strings.Repeat("x", r.IntN(400))
	}},
	"few words among ids": {":", func(r *rand.Rand, i int) string {
		if i%50 == 0 {
			return "product:" + []string{"featured", "locks"}[r.IntN(2)] + ":" + word(r, 3)
		}
		return fmt.Sprintf("product:%d:stock", i)
	}},
}

func token(r *rand.Rand, n int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

func keysOf(kind string, n int) []key {
	r := rand.New(rand.NewPCG(uint64(len(kind)), 7))
	keys := make([]key, n)
	for i := range keys {
		keys[i] = key{keyspaces[kind].name(r, i), 40 + int64(r.IntN(100))}
	}
	return keys
}

// TestExact checks that the nodes of every kind of names are exact or say what they lack,
// that sums add up, before and after the tree is finished, and that a tree does not depend
// on how many blocks are read side by side.
func TestExact(t *testing.T) {
	for kind, k := range keyspaces {
		keys := keysOf(kind, 30_000)
		f := newForest(k.separators).fill(keys, 2000, 1)
		f.check(t, keys)
		other := newForest(k.separators).fill(keys, 2000, 16)
		if a, b := f.dump(), other.dump(); a != b {
			t.Errorf("%s: another tree with 16 blocks side by side\n%s", kind, difference(a, b))
		}
		f.Finish()
		lacks, nodes := f.check(t, keys)
		if f.ends > MaxLeaves || f.used > MaxNodes || lacks > int64(len(keys))/200 {
			t.Errorf("%s: %d leaves, %d nodes; one lacks %d keys", kind, f.ends, f.used, lacks)
		}
		t.Logf("%s: %d nodes that are not folded of %d, %d leaves, lacking %d at most, %d patterns folded", kind, nodes, f.used, f.ends, lacks, len(f.sums.folded))
		for i := 0; i < len(keys); i += 997 {
			if found := f.Find([]byte(keys[i].name)); len(found) != 1 || f.Node(found[0]).Leaf == 0 {
				t.Errorf("%s: no leaf counts %q", kind, keys[i].name)
			}
		}
		if kind == "12 levels" { // has closed places
			checkFindMerged(t, newForest(k.separators).fill(keys, 2000, 1), keys)
		}
		if t.Failed() {
			t.Fatal(kind)
		}
	}
}

// checkFindMerged checks that a tree which was merged into an empty one, as that of a state,
// finds the leaves of names below closed places.
func checkFindMerged(t *testing.T, from *forest, keys []key) {
	t.Helper()
	merged := newForest(":")
	merged.MergeTree(from.Tree, func(to int32, from *Node) { merged.sums.add(merged.Node(to), from.Keys) })
	merged.Finish()
	for i := 0; i < len(keys); i += 97 {
		if found := merged.Find([]byte(keys[i].name)); len(found) != 1 || merged.Node(found[0]).Leaf == 0 {
			t.Fatalf("no leaf counts %q", keys[i].name)
		}
	}
}

func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return fmt.Sprint(len(x), " and ", len(y), " lines")
}
