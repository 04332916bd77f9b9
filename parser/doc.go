// Package parser reads Redis and Valkey snapshots (dump.rdb) as a stream of
// keys: their names, types, encodings, sizes and lifetimes. No value is ever
// built, and no length in a file sizes an allocation, so a snapshot of any
// size, damaged or hostile, is read in a few megabytes.
package parser
