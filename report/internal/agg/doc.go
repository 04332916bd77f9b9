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
// The patterns of each database form a trie (patternTrie) of their segments, each
// with the separator that ends it. At most 12 segments are distinguished; the last
// one has the rest of the pattern. The children of a node are the values that
// follow the segments above it, of two kinds that are counted and folded apart:
// values that end a name, and values that a separator follows. A place is one kind
// of the children of a node.
//
// When the report is made, places with more than MaxValues values (the first
// segment, where modules have their names: maxFirstValues) are folded, from the
// first segment on. A value stays distinct if it has at least minKeys keys and
// 1/minShare of those at its place (16 and 1/128), or 1/128 of the memory at its
// place and that of 16 average keys there, not counting values that have 1/128 of
// the memory. All others are merged into one value, * with the separator, together
// with all that is below them; groups whose patterns become equal are joined. So
// groups are a function of the patterns, their keys and their memory, whatever the
// order of the keys. Then the groups of the same pattern in several databases are
// joined: a database folds nothing in another one. Snapshots are merged before, so
// the values of a place are those of all snapshots together.
//
// A group of one key is shown with the name of the key (Groups.Name).
//
// # Folding before the end
//
// When a snapshot has more than MaxGroups patterns (12,288), or as much memory goes
// to their segments, names and findings (Groups.size), values are folded early, by
// the rule of lossy counting (Manku and Motwani, 2002): every fold knows how many
// keys, and how much memory, it took of one value at most (missed); a value that is
// seen later is distinct again, and remembers how much may be missing of it; it is
// folded again only if what it has and what may be missing do not exceed a share of
// its place. That share is 1/4096, and 1/1024 and 1/256 if the table would
// remain too large. Only places with more values than the limit are folded, which
// the end will fold anyway. If this does not suffice, databases are
// joined, and then values of any place with up to 1, 3, 7, ... keys are folded, the
// last segments first (foldRare). That drops what a summary of Misra and Gries (1982)
// with 11,264 counters drops from the keys of the snapshot. Names of many
// combinations of separators, which no value can fold, are cut to fewer segments.
//
// A block folds by itself what need not wait, because random names would else be
// as many groups as keys. When it has 1,024 aggregates, they are flushed to tables
// of the block (values that end a name are folded before: Groups.foldLeaves), in which places with too many values keep values with more than
// 1/512 of the keys or of the memory at their place. What follows of other values is
// counted under *, and in a table of counters that values share by their hash
// (sightings), so that the figure is never too small; a value that may exceed 1/512
// of its place becomes distinct. When a block is merged into the snapshot, what
// may be missing of a value is added up (patternTrie.union). Merging is commutative
// and associative, and exact while nothing is folded early, so tables of any parts
// may be merged in any grouping before Groups.finish folds them.
//
// # Errors
//
// Each key is counted in one group that its name fits, and groups are exact if
// nothing was folded early: with up to MaxGroups patterns, of two segments and 384
// bytes of pattern and name on average, and no more than 1,024 aggregates in a block
// of 256 KB. Beyond that, in any order of the keys, a value with
// 16 keys and 1/128 of those at its place has its group, since a value of which
// keys may be missing is shown if it reaches both with them, and half by itself. Its
// group lacks no more than 1/256 of the keys at its place, 1/512 for each of both
// reasons; they are in the group of *. A value with 1/64 of the memory at its place
// and that of 32 average keys has its group. What is said of a place is relative to
// the keys that were counted there: if a segment above was folded, up to 1/256 of
// the keys at its place are missing below. Where foldRare was needed, a value of any
// place may lack the sum of the numbers of keys that it folded last in the snapshot
// and in its blocks, mostly under 1/1000 of the snapshot; and the end
// folds such places, too, though they have no more than MaxValues values.
//
// The number of patterns that were folded is an estimate with a standard error
// under 2 % (package hyperloglog), the median TTL of a group another one
// (ttlHistogram.median). All other figures are exact.
//
// # Bounds
//
// Besides groups, a Builder has at most 1,024 databases of each snapshot, lists of
// Options.Top keys by type and measure, lists of Options.Examples keys by rule and
// severity, and histograms of fixed size. A retained key has at most 1 KB of its
// name, the largest key of a group 512 bytes. Of several snapshots it has a Snapshot
// each, of a few hundred bytes, and at most four thresholds.Fleets, of about 20 MB.
package agg
