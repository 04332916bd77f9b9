package report

import (
	"bufio"
	"fmt"
	"strings"
)

// Folded stacks, the input of flame graph programs (flamegraph.pl, inferno,
// speedscope): a line for each node of the tree of names without children, the segments down to it
// with a semicolon between them, and its bytes of memory. A semicolon in a name is written as \x3b.

func init() {
	register(&Format{Name: "folded", Doc: "prefixes of names as folded stacks, for flame graphs", Extension: ".folded",
		rank: 7, write: writeFolded})
}

func writeFolded(w *bufio.Writer, r *Report, _ WriteOptions) error {
	root := exportTree(r)
	root.leaves(func(path []*TreeNode) {
		if root.Keys == 0 {
			return
		}
		leaf := root
		for i, n := range path {
			if i > 0 {
				w.WriteByte(';')
			}
			w.WriteString(strings.ReplaceAll(n.segment(leaf).Display(), ";", `\x3b`))
			leaf = n
		}
		if leaf == root {
			w.WriteString(allKeys)
		}
		fmt.Fprintf(w, " %d\n", leaf.size())
	})
	return nil
}
