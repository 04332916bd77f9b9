package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/dustin/go-humanize"
)

// The export format of ncdu, version 1.2 (https://dev.yorhel.nl/ncdu/jsonfmt),
// which gdu reads too: the nodes of the tree of names are folders, keys are files. Disk usage is
// memory, apparent size is value bytes. Keys of a node that are in none of the report's
// lists are one file, "(N more keys)". A slash in a name is written as \x2f. gdu
// adds 4 KB to the size of each folder.

func init() {
	register(&Format{Name: "ncdu", Doc: "the keyspace as folders, for ncdu -f and gdu -f", Extension: ".ncdu.json",
		rank: 6, write: writeNcdu})
}

// ncduItem is a folder or file of the export.
type ncduItem struct {
	Name string `json:"name"`
	// Bytes.
	Apparent int64 `json:"asize,omitempty"`
	Disk     int64 `json:"dsize,omitempty"`
}

func writeNcdu(w *bufio.Writer, r *Report, _ WriteOptions) error {
	header := struct {
		Program string `json:"progname"`
		Version string `json:"progver"`
		Time    int64  `json:"timestamp"`
		Rules   string `json:"rules,omitempty"` // readers pass over what they do not know
	}{Program: r.Tool.Name, Version: r.Tool.Version, Rules: r.judgedText().String()}
	var names []string
	for i := range r.Inputs {
		names = append(names, r.Inputs[i].Name.Display())
		header.Time = max(header.Time, int64(r.Inputs[i].Created))
	}
	root := exportTree(r)
	n := &ncduWriter{w: w, keys: keysByLeaf(r, root)}
	w.WriteString("[1,2,")
	n.json(header)
	n.folder(cmp.Or(strings.Join(names, " "), "(no snapshot)"), root) // the root is named by a path
	w.WriteString("]\n")
	return n.err
}

type ncduWriter struct {
	w    *bufio.Writer
	keys map[*TreeNode][]*KeyRow
	err  error
}

func (n *ncduWriter) json(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		n.err = err
	}
	n.w.Write(b)
}

func (n *ncduWriter) folder(name string, t *TreeNode) {
	n.w.WriteString(",\n[")
	n.json(ncduItem{Name: name})
	if t.Children == nil {
		n.files(t)
	}
	for _, c := range t.Children {
		name := ncduName(c.segment(t).Display())
		if c.Keys == 1 && c.Children == nil && !c.isRest() {
			n.file(name, c.ValueBytes, c.size())
			continue
		}
		n.folder(name, c)
	}
	n.w.WriteByte(']')
}

// files writes the keys of a node without children.
func (n *ncduWriter) files(t *TreeNode) {
	keys, value, size := t.Keys, t.ValueBytes, t.size()
	for _, k := range n.keys[t] {
		v, s := max(0, int64(k.ValueBytes)), int64(sizeOf(k.Memory, int64(k.ValueBytes)))
		if keys == 0 || v > value || s > size {
			break // it is of another node
		}
		keys, value, size = keys-1, value-v, size-s
		n.file(ncduName(k.Key.Display()), v, s)
	}
	if keys > 0 {
		n.file("("+humanize.Comma(keys)+" more keys)", value, size)
	}
}

func (n *ncduWriter) file(name string, apparent, disk int64) {
	n.w.WriteString(",\n")
	n.json(ncduItem{name, apparent, disk})
}

// ncduName returns a name that a file system could have.
func ncduName(s string) string {
	switch s = strings.ReplaceAll(s, "/", `\x2f`); s {
	case ".":
		return `\x2e`
	case "..":
		return `\x2e\x2e`
	}
	return s
}
