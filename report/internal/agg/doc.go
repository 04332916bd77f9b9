// Package agg adds up what a report says of the keys of a snapshot, within fixed
// bounds of memory, so that the result depends on the keys alone: not on the
// number of goroutines, nor on timing.
//
// A Builder gathers the keys of one snapshot. Its Shards take the keys of blocks
// side by side, and are flushed in the order of the snapshot. In a Shard, a key is
// added to one aggregate: the keys of its block that agree in pattern, type,
// encoding, database, owner and findings. The tables of a report are computed from
// the aggregates when the block is flushed.
package agg
