// Package tree keeps the names of a snapshot as one tree of prefixes, in bounded memory: how many keys have names
// that begin with each prefix, and how many bytes they take. The sections follow the data from a name to a screen.
//
// # Names, segments, nodes
//
// A name is cut behind each separator, into 12 segments at most; the last one has the rest. Hash tags are cut like
// the rest of a name: {user:7}:cart has the segments {user:, 7}: and cart.
//
// The pattern of a text has * for its numbers and identifiers (package naming). A node is a value of a segment
// behind the values of the nodes above it. The children of a node are of two kinds: inner ones, behind which names
// go on, and ends. An inner value is the segment with its separator, numbers included: order: has the children 2025:
// and 2026:. An end value is the pattern of the segment, since most last segments are of one key: user: has the
// child *, not a million children. It is empty if names end with the separator. Of a segment over 128 bytes, the
// value is the first 128 and a *.
//
// The children of one node and one kind are a place. Places are counted and folded apart from each other. A node has
// the sums of the keys and bytes of all names that begin with its path. Keys are counted at end nodes, the leaves,
// for which the user of the package keeps all other figures (Leaves). The sums of children add up to those of their
// node, always. A node is known by a 64-bit hash of its path. The seed of the hashes is that of the process, so no
// result may depend on their order.
//
// # Folding
//
// A place keeps up to 512 words and 512 other values (the root 2,000 of each: first segments name modules). A word
// is a value without digits, stars and braces. Settle, called after each merge, folds places with more, words and
// other values apart: a million numbers do not fold the word locks: beside them. Of too many words, those with the
// lengths of identifiers fold, if the place has any (see Finish), and all words if that is not enough; other values
// of the place fold with them.
//
// Of the values that fold, those with over 1/512 of the keys of the place stay, but at most 128 (500) of them, and
// as many by their bytes. What they may lack counts, up to as much as they have (see Errors). Each of the others is
// absorbed, with all below it, by the node of its shape if there is one, else by *. A node that is made to absorb
// values is wide. From then on, new values of that place that would fold have no nodes either (but see Sampling).
// The patterns of names that are counted under wider ones go to the user (Leaves.Folded, Block.Folded), who
// estimates how many there are.
//
//   - * leaves separators and the braces of hash tags: *:, {*}:, {*: and *}: are nodes of their own.
//   - The shape of an inner value is its pattern (page-*:), and of an end, or a value that is its own pattern, the
//     first word with what follows it: img_*, celery-*. A text with less than two letters is no shape.
//   - A shape gets a node if two absorbed values or more have it, with over 1/512 of the keys or bytes of the place.
//     Up to 64 (250) do each time that the place folds.
//
// A folded place with over twice the keys or bytes is folded again before a Table is published (see Blocks): values
// with a node may have little by then.
//
// Apart from the bounds below, a tree without folded places is independent of the order of the keys. Order decides
// which values of a folded place have nodes, and from which key on. In the order of a hash table, a value with 2 %
// has its node before its place is folded.
//
// # Blocks
//
// A snapshot is read in blocks of keys, several at a time. A Block is the tree of one of them. Blocks are merged
// into the Tree in their order (Merge). A Block does not decide what is folded. It reads a Table, in which the Tree
// has published its folded places, and their values and shapes with nodes. It counts every other value of these
// places at once where the Tree would. The Tree publishes after each of the first eight blocks, and then after every
// 16, if something changed. Which Table a block reads follows from its number alone (Known), however many blocks are
// read side by side.
//
// A place may have been folded since that Table. Then Merge finds values that the Block did not know to be folded.
// They get nodes if they have over 1/512 of the keys or bytes of the place in that Block alone; otherwise they are
// absorbed. A Block with 2,048 nodes or sums of leaves (512 in the first; package agg has the sums) waits for its
// turn, is merged, and goes on empty. Nodes are merged in the order of their first keys. So the tree is the same for
// any number of goroutines.
//
// Most keys cost a comparison. A Block remembers the leaf of a pattern, which is that of all its names if each value
// that varies in them is at a folded place and has no node; the node of a prefix; and the leaf of a pattern behind a
// node.
//
// # Sampling
//
// A value may become heavy after its place was folded. A key at a folded place of K keys and M bytes, as the Table
// has them, is sampled with the probability 768/K, at least 1/128, or its size * 768/M if that is more. (In a tree
// of N > 2^16 keys, the first is at most max(2^16/N, 1/8), and so is the second for a key of mean size.) Of several
// folded places above a leaf, the largest probability counts. One over 1/2 is 1. A sampled key stands for
// 1/probability keys. So a value with 2 % of its place, by keys or by bytes, has 15 samples or more in the mean, in
// any order and with keys of any size; fewer in places of under 6,000 keys of a large tree. Which keys are sampled
// follows from the number of the block.
//
// In a Block, a value gets a node when it is sampled a second time, if 1/64 of the samples of that place and block
// are its own, or at once with a key of 1/384 of M. As above, it needs 1/512 when it is merged. The Tree counts the
// other samples of a place, by value and by shape, for up to 192 of these (summary of Misra and Gries). One with 3
// samples that stand for over 1/200 of the keys or bytes of the place gets a node, where later keys are counted once
// a Table has it.
//
// # Errors
//
// No node counts a key that its path does not fit. The sums of a node are exact, unless a node on its path was found
// late. Then it may lack keys, which are at a * or a shape beside that node. Lacks adds up for the node and those
// above it:
//
//   - the most keys that a value had which was absorbed at that place before, since it may be this one;
//   - if samples say that k keys were counted elsewhere, k + 3*sqrt(w*k) + 9*w, where a sample stands for w keys at
//     most. This is a bound by estimate, of three standard deviations.
//
// There is no bound for bytes. Lacks says nothing of wide nodes.
//
// # Parts
//
// MergeTree adds the tree of other snapshots node by node. A value without a node in one of the trees may have been
// counted elsewhere there. So its node inherits what that tree can have dropped: the bound of the place and of its
// samples, and all keys of its leaf … (what Bounds closes), if the place was folded or closed there. If both have a
// node, their bounds add up. What was folded in one tree counts as folded from then on; Settle folds places that
// have too many values now.
//
// # Finish
//
// Finish folds what a report does not distinguish, from the root down, place by place. First, identifiers are folded
// also where they are few, and those that happen to have letters only. A place has identifiers if 16 values with
// less than 32 keys are different inner values whose pattern has no letter (numbers, UUIDs), or have different
// patterns with a * between letters (k*fq:). Their lengths are the range of the lengths that 1/16 of these have; of
// ends, whose patterns are shorter, from 3/4 of the largest. A place has them as well if 16 words of one length over
// 8, and 3/4 of all its words with less than 32 keys, have that length. Values of such lengths with less than 32
// keys fold. (Patterns of ends do from half of the largest length on, or if they have two * or one between letters.)
// These stay: values with 1/64 of the place (of few: 8 times the mean), and words with a child that no other value
// has. Of 16 or more words in hash tags, those with less than that share fold, too.
//
// Then the place is folded if it has more than 256 words or 256 others (the root 1,000), or was folded before:
// values and shapes with 1/64 of the keys or bytes of the place stay, and words unless they are too many or were
// folded before.
//
// # Groups
//
// A group is the leaves whose names have one pattern. Package agg walks the tree from the root: Patterns takes nodes
// with one pattern, and returns what patterns have for the values of their children.
//
//   - A wide value is itself, and … is *.
//   - An inner value with letters is itself if no other one there has its pattern: i18n:, v2:.
//   - So are up to 4 values with one pattern and one number of up to 3 digits each, with 32 keys or more on average,
//     if nothing varies before them: v1:, v2:.
//   - Others are their patterns.
//   - Of over 100 (1,000) different ones of a kind, those with at most 1/64 of the keys and bytes are *.
//
// Find returns the leaves that count the keys of a name: at each node the child of the value, else its shape or * if
// it is one that folds there, else …. For a pattern it follows all children that have it.
//
// # Rows
//
// Cut chooses the rows of a screen among Parts, which its user makes of the heaviest nodes. It begins with the root,
// and replaces the heaviest row by its large children, again and again. A child is large if it has 1/66 of all
// bytes. A … is never large, and below a prefix that begins with *, only children with letters are. A row is opened
// if its large children have half of its bytes, and one of these holds: they fit, and are on average not smaller
// than those of a row for which there was no room; there is only one; the row has over half of all; they have twice
// the bytes of the lightest row on average. The root is opened whenever it has a large child.
//
// What an opened row has besides is a row of its own if it has 1/66 of all bytes (but not of the root). Otherwise it
// belongs to what no row has, one row more at the end, as do the lightest rows that are too many. If the rows that
// do not begin with * have less than 1/10 of all bytes, no prefix stands out, and there are no rows.
//
// # States
//
// Records and a Reader store a tree: labels, flags and bounds. The sums are those of the leaves (AddSums). Samples
// become bounds (seal), so a tree that was stored is merged like one that was not. Tables and candidates serve a
// scan that goes on and are not stored.
//
// # Bounds
//
// After Settle, a tree has up to 12,288 leaves (a user may allow fewer), 32,768 nodes and 4 MB of labels. Beyond,
// the ends below nodes with at most 1/1024 of all keys and bytes are folded. If that is not enough, nodes with at
// most 1/8192, 1/4096 and so on are closed: all below becomes one leaf, "…". Both end at 3/4 of these bounds. What
// is closed depends on order and parts. A node that only the other tree has closed stays open, with a … beside its
// children.
package tree
