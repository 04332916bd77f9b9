// Package tree keeps the names of a snapshot as one tree of prefixes, in bounded memory: how many keys,
// and how many bytes, have names that begin with each prefix.
//
// # Nodes
//
// A name is cut behind each separator, into 12 segments at most; the last one has the rest. The content of
// a hash tag is cut, too: {user:7}:cart has the segments {user:, 7}: and cart. A node is a value of a
// segment behind the values of the nodes above it. Its children are of two kinds: a separator follows the
// value (inner), or it ends names (end). The children of one kind are a place, which is counted and folded
// apart. An inner value is the segment as it is, numbers included: order: has the children 2025: and
// 2026:. An end value is the pattern of the segment (package naming), because most such segments are of
// one key: user: has the child *, not a million of them. It is empty if a name ends with a separator. Of a
// segment over 128 bytes, the first 128 and a * are the value. Keys are counted at end nodes, the leaves;
// a user of the package keeps what else it knows of the keys of a leaf (Leaves). Keys and bytes of
// children add up to those of their node, always. A node is known by a hash of 64 bits of its path; its
// seed is that of the process, so no result may depend on hashes.
//
// # Folding
//
// A place keeps up to 512 words, which are values without digits, stars and braces, and 512 others.
// Settle, called after each merge, folds places that have more. Numbers do not fold the words beside them,
// so product:locks: stays among a million products. Too many words fold, too: those of the lengths of
// identifiers (see below) where some are known, and all if the others are too many. Values with over 1/512
// of the keys or of the memory of the place stay, up to 128 by each. The others are absorbed, with all
// below them, by their shape, or by * if it has no node; these nodes are wide. A brace at either end of a
// value stays: {*}:, *}: and {*: are nodes beside *:. The shape of an inner value is its pattern, if it
// replaces anything and leaves two letters. If it replaces nothing, and of an end value, it is the first
// word, of two letters or more (img_*). Up to 64 shapes get nodes, each of two values or more with over
// 1/512 together. A folded place with twice the keys is folded again before a Table is published: values
// may lose their nodes.
//
// Finish folds places with more than 256 words, or 256 others, or that were folded: values with 1/64 of
// the keys or of the memory stay, and words where only others are folded. At the first segment, of
// modules, the limits are 2,000, 500 by each, 250 shapes, and 1,000 at the end.
//
// Before, Finish folds identifiers, also where they are few, and those that have letters only. A place has
// some if 16 values with less than 32 keys have different patterns with * between letters, or if 16 words
// of one length over 8, with the separator, are three quarters of its words. Their lengths are noted when
// a place is folded first. Values of these lengths with less than 32 keys are identifiers, but for
// numbers, those with a share as above (of few keys: with 8 times the mean), and words with a child that
// no other value has. So config stays among tokens of 10 letters. Of 16 or more hash tags without anything
// that a pattern replaces, those without a share are identifiers, too.
//
// Apart from bounds, order only decides which values and shapes of folded places have nodes, from which
// key on. In that of a hash table a value with 2 % has its node before its place is folded.
//
// # Blocks
//
// Blocks of a snapshot are read side by side, and merged in their order (Tree.Merge). A Block folds
// nothing by itself. After each of the first eight blocks, and then every 16, the tree publishes a Table of
// what is folded, and of the values and shapes there that have nodes. A Block counts others where that tree
// would: under the shape or *. Which Table a block reads depends on its number alone (Known). A Block with
// keys at 2,048 nodes or in as many aggregates of its user (512 in blocks 0 and 1) waits for its turn and is
// merged before its block ends. Nodes are merged in the order of their first keys. What else a Block
// keeps of earlier blocks counts for neither, so the tree is the same for any number of goroutines.
//
// Values and shapes that become heavy later are found by sampling. A key at a folded place of K keys and M
// bytes is sampled with the probability 768/K, but at least 1/128, or its bytes * 768/M if that is more; in a
// tree of over 2^16 keys, places with few of them are sampled less, down to one key of 8. A sampled key
// stands for 1/probability keys. The tree counts the samples of a place without a node, up to 192 values
// (Misra and Gries). One with 3 samples that stand for 1/200 of the keys or of the bytes of the place gets a
// node. In a Block, a value has a node at once if it is sampled twice, and in 1/64 of the samples there, or with
// a key of 1/384 of the bytes. The tree keeps these if they have over 1/512 of the keys or bytes there when they
// are merged. Most keys cost a comparison: a Block remembers the leaf of each pattern, which is right for all
// its names if the values that vary are all at folded places, and are not among those with nodes.
//
// # Errors
//
// No node counts a key that its path does not fit. A node that stands for one value, as do those above it
// (Exact), may lack keys, which are under *, a shape or "…". Lacks returns the most, a sum: keys of the
// heaviest value absorbed at its place before; if it was found by sampling, or sampled elsewhere later,
// k + 3*sqrt(w*k) + 9*w keys, for samples that stand for k keys, and each for w of these at most, an
// estimate; and what those above lack. Bytes have no bound.
//
// # Parts and states
//
// MergeTree adds the tree of other snapshots, and visits all its nodes. What one tree may have counted
// elsewhere is added to Lacks of nodes that only the other one has; where both have one, theirs add up.
// Samples become bounds then. Records and a Reader store a tree, without sums, which leaves have
// (AddSums), and without candidates and Tables, which serve a scan that goes on. Trees that are merged of
// what was stored are those of one process.
//
// # Rows
//
// Cut chooses the rows of a screen among Parts, which its user makes of nodes. It opens rows, the heaviest
// first, into children with 1/66 of all bytes. The root is opened always; others if these children have
// half of the row and either fit, are only one, or have twice the lightest row on average, or the row
// has over half of all. What no row has is one row more. If rows that do not begin with * have less than a
// tenth, no prefix stands out, and there are no rows.
//
// # Bounds
//
// After Settle a tree has up to 12,288 leaves (a user may allow fewer), 32,768 nodes and 4 MB of labels.
// Beyond, end values below nodes with up to 1/1024 of all keys and memory are folded; then nodes with up
// to 1/8192, 1/4096 and so on are closed, to 3/4 of these: all below becomes a leaf, "…". This depends on
// order and parts: one that only the other tree has closed stays open.
package tree
