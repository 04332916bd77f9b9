// Package tree keeps the names of a snapshot as one tree of prefixes, in bounded memory:
// how many keys, and how many bytes, have names that begin with each prefix.
//
// # Nodes
//
// A name is cut behind each separator, into 12 segments at most; the last one has the rest.
// Separators in a hash tag do not count. A node stands for a value of a segment behind the
// values of the nodes above it. Its children are of two kinds that are counted and folded
// apart: values that a separator follows (inner), and values that end names (end). The
// children of one kind are a place. An inner value is the segment as it is, numbers
// included: order: has the children 2025: and 2026:. A value that ends names is the pattern
// of the segment (package naming), because most such segments are of one key: user: has the
// child *, not a million of them. Keys are counted at the nodes that end names, the leaves;
// a user of the package keeps what else it knows of the keys of a leaf (Leaves). Sums of
// children add up to those of their node, always.
//
// # Folding
//
// A place keeps up to 512 values. When there are more, it is folded: values with less than
// 1/512 of its keys and of its memory are absorbed, with all below them, by their shape, or
// by * if their shape has as little. The shape of a value is its pattern, or else its first
// word (img_*), if two letters are left. Words, values that a pattern does not replace
// anything in, are counted apart: numbers do not fold the words beside them, so
// product:locks: stays among a million products. When the tree is finished, places with more
// than 256 values, or that were folded, keep values with 1/64 of the keys or of the memory.
// The first segment, which has the names of modules, may have 1,000 values, and 2,000 until then.
//
// So the tree depends neither on the order of keys nor on how they are cut into blocks or
// parts, apart from values of folded places that have many keys: which of them have nodes
// from which key on is a matter of order. In an order like that of a hash table a value
// with 2 % is there before its place is folded.
//
// # Blocks
//
// Blocks of a snapshot are read side by side, and merged in their order (Tree.Merge). A
// Block folds nothing by itself. Every 16 blocks the tree publishes a Table of what is
// folded, and of the values there that have nodes. A Block that reads a Table counts all
// other values of such a place where the tree would: under the shape or *. Which Table a
// block reads depends on its number alone (Known): the tree is the same for any number of
// goroutines. A Block with too many nodes waits for its turn and is merged as a part, so
// that its memory is bounded, too.
//
// Values that become heavy later are found by sampling: one key of 32, at random, and one of
// 128 from block 512 (128 MB) on, each of which counts as four. A value that is sampled twice
// in a block has its node for the rest of the block. The tree counts the sampled values of a place (Misra and Gries), and returns a node to one with 1/160 of
// them. A key with over 1/1024 of the memory of its place, and over 32 times the mean, gets
// a node at once.
//
// Most keys cost a comparison: a Block remembers the leaf of each pattern, which is right
// for all names of the pattern if the values that vary are all at folded places.
//
// # Errors
//
// A node above which nothing is folded counts exactly the keys that begin with its path, or
// lacks some that were counted under * or a shape before it had its node. Tree.Lacks
// returns the most it may lack: what values had that were absorbed at its place, what may
// have been counted elsewhere by the number of sampled keys (the estimate and three standard
// deviations), and what the nodes above it may lack. Merging trees adds what one of them may have
// counted elsewhere to the nodes that only the other one has (MergeTree).
//
// # Rows and states
//
// Cut chooses the rows of a screen: it opens the row with most memory, the root first, while its
// children over 1.5 % of all explain half of it and have room, or are far larger than other rows.
// What no row has is one row more, so that rows add up to the whole. If prefixes that do not begin
// with * have less than a tenth, no prefix stands out, and there are no rows.
//
// Records writes the nodes of a tree in the order of their paths, and a Reader makes a tree of
// them. It is merged as the tree that wrote it would be: a state loses nothing. Lists of candidates
// and Tables are not part of it, as they only serve a scan that goes on.
//
// # Bounds
//
// A tree has up to 12,288 leaves and 32,768 nodes, with 4 MB of labels, of 128 bytes each
// at most. Beyond that, values that end names are folded at places with less than 1/1024 of
// all keys and memory, and then nodes with less than 1/8192, 1/4096 and so on are closed: all
// below them becomes one leaf, whose label is "…". This depends on the order of keys and on
// parts. Children of a node that was closed in one of several parts may lack what is in its "…".
package tree
