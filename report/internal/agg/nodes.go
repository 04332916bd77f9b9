package agg

import "unsafe"

// trieNode is a segment after all those above it. Its children are the values
// that follow.
type trieNode struct {
	parent, first, next int32    // nodes: first child and next sibling, 0 none
	text, textEnd       int32    // segment with the separator that ends it, in patternTrie.texts
	group               int32    // 1 + index into Groups.list of the pattern that ends here, 0 none
	folded              [2]int32 // by kind of the children: 1 + index into patternTrie.folds, 0 not folded
	values              [2]int32 // children that are not *, by kind
	kind                uint8
	star                bool   // the segment is *
	unused              bool   // merged into another node
	total               weight // of all patterns through this node; set while folding
	// missed is the most that was counted under * of the keys of this value,
	// before it was distinct.
	missed weight
}

// trieNodes is a list of nodes. It grows without a copy: tries of many segments would
// else leave five times their memory behind them.
type trieNodes struct {
	blocks []*[nodesOfBlock]trieNode
	n      int32 // nodes in use
}

const nodesOfBlock = 256

// at returns a node. It is valid until the trie is compacted.
func (l *trieNodes) at(i int32) *trieNode {
	return &l.blocks[uint32(i)/nodesOfBlock][uint32(i)%nodesOfBlock]
}

// add adds a node and returns its index.
func (l *trieNodes) add(n trieNode) int32 {
	if int(l.n) == len(l.blocks)*nodesOfBlock {
		l.blocks = append(l.blocks, new([nodesOfBlock]trieNode))
	}
	l.n++
	*l.at(l.n - 1) = n
	return l.n - 1
}

func (l *trieNodes) bytes() int64 {
	return int64(len(l.blocks)) * int64(unsafe.Sizeof([nodesOfBlock]trieNode{}))
}
