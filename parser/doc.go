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
// Enterprise and Dragonfly (without its compressed blocks) are known. A Source
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
// A comment in run.go says how blocks are cut and walked in parallel.
package parser
