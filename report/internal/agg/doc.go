// Package agg adds up what a report says of the keys of a snapshot, in bounded
// memory, so that the result depends on the keys and their order alone: not on
// the number of goroutines, nor on timing.
//
// A Builder gathers the keys of one snapshot. Its Shards take the keys of blocks
// side by side, and are flushed in the order of the snapshot. In a Shard, a key is
// added to one aggregate: the keys of its block that agree in leaf, type,
// encoding, database, owner and findings. The tables of a report are computed from
// the aggregates when the block is flushed. Builders of several snapshots are
// merged.
//
// # Groups
//
// The names of the keys are a tree of prefixes (package tree), of all databases
// together. A leaf of the tree has the sums of its keys, their findings, TTLs, and what
// they have in common. A group is the leaves whose names have one pattern, as package
// naming replaces what varies in a name: user:1001:cart and user:1002:cart are
// user:*:cart. It is the unit of findings, baselines and owners, because it stays the same
// when numbers come and go. Three rules make groups of leaves, when the report is made
// (Tree.Patterns):
//
//   - What the tree has folded into * or a shape is that in the group, too.
//   - A word with digits stays as it is where no other value of its place has the same
//     pattern: i18n:bundle:*, not i*n:bundle:*.
//   - Of a place with more than 100 different patterns (the first segment, where modules
//     have their names: 1,000), those with less than 1/64 of its keys and of its memory are
//     *.
//
// A group of one key is shown with the name of the key (Groups.Name).
//
// # Errors
//
// Each key is counted at one leaf that its name fits, and what a node of the tree may lack is
// bounded and known (package tree, Groups.Missing). The number of patterns without a group of
// their own is an estimate with a standard error under 2 % (package hyperloglog), the median TTL
// of a group another one (ttlHistogram.median). All other figures are exact.
//
// # Bounds
//
// Besides the tree, a Builder has at most 1,024 databases of each snapshot, lists of
// Options.Top keys by type and measure, lists of Options.Examples keys by rule and
// severity, and histograms of fixed size. A retained key has at most 1 KB of its
// name, the largest key of a leaf 512 bytes. A tree whose leaves have more than 6 findings
// or 384 bytes of such names each has fewer leaves. Of several snapshots it has a Snapshot
// each, of a few hundred bytes, and at most four thresholds.Fleets, of about 20 MB.
package agg
