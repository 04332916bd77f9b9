// Package agg adds up what a report says of the keys of a snapshot, in bounded
// memory, so that the result depends on the keys and their order alone: not on
// the number of goroutines, nor on timing.
//
// A Builder gathers the keys of one snapshot. Its Shards take the keys of blocks
// side by side, and are flushed in the order of the snapshot. In a Shard, a key is
// added to one aggregate: the keys of its block that agree in pattern, type,
// encoding, database, owner and findings. The tables of a report are computed from
// the aggregates when the block is flushed. Builders of several snapshots are
// merged.
//
// # Groups
//
// Keys are grouped by the pattern of their names, which package naming computes
// from a name alone: user:1001:cart and user:1002:cart are user:*:cart, because
// numbers, hexadecimal identifiers and the like are written as *. This does not
// suffice for names such as user:alice:cart, so values that are too many are
// folded into * as well.
//
// The patterns form a trie (patternTrie) of their segments, each with the
// separator that ends it. At most 12 segments are distinguished; the last one has
// the rest of the pattern. The children of a node are the values that follow the
// segments above it. The trie is built when folding is considered for the first
// time; most snapshots have so few patterns that it never is.
//
// A node with more than MaxValues children (the root, where modules have their
// names: maxFirstValues) is folded. A child stays distinct if it has at least
// minKeys keys and 1/minShare of the keys below the node: 16 keys and 1/128. All
// others are merged into one child, * with the separator, together with all that
// is below them; groups whose patterns become equal are joined. From then on, the
// node counts every new value under *. Distinct values of a folded node are checked
// again whenever the trie is, and are folded below half of either bound: 8 keys or
// 1/256.
//
// The trie is checked after a block in which the groups that were added since the
// last check reach an eighth of all groups, and MaxValues at least, and again
// before the report. If more than manyGroups (12,288) are left, nodes with fewer
// children are folded, the deepest first: with more than 50, 25 and then 12
// children, until half as many groups are left. There are at most MaxGroups
// (16,384) groups; the keys of further patterns are counted in FoldedGroup.
//
// A block folds by itself what need not wait: when it has 1,024 aggregates, they
// are flushed to tables of the block, in which nodes with more than 400 children
// (the root: 4,000) keep only children with at least 2 keys and 1/512 of the keys;
// if more than 1,024 groups are left, nodes with fewer children are folded, too
// (Groups.foldTo). When tables are merged, each folds what the other has folded
// (patternTrie.applyFolds).
//
// # Errors
//
// The figures of a group are exact: it has all keys whose names fold into its
// pattern, and no other, because a value is distinct only if none of its keys can
// have been counted under * before. What depends on the order of the keys is which
// values are distinct: one that passes both bounds over the whole snapshot is
// counted under * if its keys begin after its place was folded, or if it missed the
// bounds when that happened. The number of patterns that were folded is an estimate
// with a standard error under 2 % (package hyperloglog), the median TTL of a group
// another one (ttlHistogram.median). All other figures are exact.
//
// # Bounds
//
// Besides groups, a Builder has at most 1,024 databases of each snapshot, lists of
// Options.Top keys by type and measure, lists of Options.Examples keys by rule and
// severity, and histograms of fixed size. A retained key has at most 1 KB of its
// name, the largest key of a group 512 bytes.
package agg
