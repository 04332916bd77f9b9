package report

import (
	"bufio"
	"fmt"
	"strings"
)

// Folded stacks, the input of flame graph programs (flamegraph.pl, inferno,
// speedscope): a line for each group, its segments with a semicolon between them,
// and its bytes of memory. A semicolon in a name is written as \x3b.

func init() {
	register(&Format{Name: "folded", Doc: "groups as folded stacks, for flame graphs", Extension: ".folded", rank: 7, write: writeFolded})
}

func writeFolded(w *bufio.Writer, r *Report, _ WriteOptions) error {
	newKeyTree(r).walk(func(path []*keyTree) {
		for i, n := range path {
			if i > 0 {
				w.WriteByte(';')
			}
			w.WriteString(strings.ReplaceAll(n.segment.Display(), ";", `\x3b`))
		}
		g := path[len(path)-1].group
		fmt.Fprintf(w, " %d\n", sizeOf(g.MemoryBytes, g.ValueBytes))
	})
	return nil
}
