// Package parser reads Redis and Valkey snapshots (dump.rdb) as a stream of
// keys: their names, types, encodings, expiries, sizes and memory.
//
// A Scanner reads keys one after the other, in one goroutine:
//
//	src, err := parser.Open("dump.rdb")
//	if err != nil {
//		return err
//	}
//	defer src.Close()
//	s := parser.NewScanner(src, parser.Options{})
//	for s.Scan() {
//		fmt.Printf("%q %s\n", s.Key().Name, s.Key().Type)
//	}
//	return s.Err()
//
// Run reads a snapshot with several goroutines and passes the keys to the
// caller's sinks, block by block. What it passes, and in which portions, depends
// on the bytes of the snapshot alone. It is several times as fast.
//
// RDB versions 1 to 15 of Redis, 80 of Valkey, and the dialects of KeyDB, Redis
// Enterprise and Dragonfly (its .dfs files, too) are known. A Source
// decompresses a snapshot, and finds one in a captured replication stream.
//
// # Limits
//
// No value is built, and no length in a file sizes an allocation, so a snapshot
// of any size, damaged or hostile, is read in a few megabytes. Names longer than
// MaxName are cut. Elements are counted and measured, and only the largest of a
// key keeps its name.
//
// A file may be damaged anywhere. All keys before the damage are read, and a
// *DamageError has its offset, the reason, and the key concerned. The checksum at
// the end is verified while the keys are read, so keys may have been passed on
// before a mismatch is known.
//
// # How it works
//
// A walker decodes one record after the other as far as the figures of a Key
// need. It reads from a window of the snapshot. The window is either refilled
// from the source as the walker moves (a Scanner), or holds whole records of a
// block (the workers of Run). Everything that reads from the window fails by a
// panic with a *failure, which is recovered once per record or block: the loops
// over elements stay free of error values.
//
// # How a snapshot is read in parallel
//
// All workers do the same. Whoever has no work takes the turn (runner.turn), cuts
// the next unit of work off the snapshot and lets the next worker cut; then it
// walks its unit, beside the others.
//
// Cutting is reading a block of the source and finding where its last whole record
// ends, by a grammar that passes over values (framing). What precedes that end is
// the unit. What follows it is copied in front of the next block.
//
// Walking is computing the checksum of the unit's bytes and decoding its records,
// each value as far as the key's figures need. The key goes to the unit's sink. As
// the worker that cuts a block also walks it, the block is still in the cache of
// its processor. (One goroutine that cuts for all others and sends them blocks over
// a channel needed 4 to 7 % more CPU time on snapshots of mixed and large keys.)
//
// Three kinds of records are not walked this way:
//
//   - What framing does not know, what is damaged, and records that are larger
//     than a block and cannot be split, are walked in the turn, as a stream whose
//     window is refilled (walkInline). Such records follow one another in one
//     unit, which ends when it is as large as a block.
//   - A hash, set, sorted set or list that is larger than a block is split
//     between its elements (split.go). Each piece is a unit, and the sums of the
//     pieces are joined.
//   - Where a record can only be understood after those before it
//     (sequentialOnly), all are walked in the turn.
//
// Units are numbered by their order in the file and completed in that order,
// whichever is walked first: counters are added, checksums are combined, pieces
// are joined, and sinks are flushed. So what a caller sees depends on the bytes of
// the snapshot alone. After damage nothing more is completed.
//
// Memory is bounded by the number of blocks, by the number of units in flight,
// and by Options.SinkMemory. A unit gets a sink where there is memory for one as
// large as the last ones became; where sinks grow beyond SinkMemory all the same,
// those of at least minWaitSize wait. No worker waits for ever, because units are
// cut in order, so those before a waiting one are being walked or done, and the
// first one in order never waits.
package parser
