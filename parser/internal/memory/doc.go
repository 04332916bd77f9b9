// Package memory computes what keys take in a server's memory, from lengths and
// counts alone. It knows nothing of the snapshot's format: package parser feeds
// it while it walks a value, so that no value is built.
//
// # Two figures
//
// [Sizes.Allocated] is what the allocator hands out for a key: the sum of the
// usable sizes of all its blocks, and of its entry in the key table. Summed over
// all keys it adds up to used_memory ([Model.Instance]).
//
// [Sizes.Usage] is what MEMORY USAGE key SAMPLES 0 of that server prints. It
// differs, because the servers' own figures leave parts out or count them twice:
// the name of a key on Valkey 8.1, the entry in the table of expiries, the
// entries of sets on Redis, most of what consumer groups take. The default of
// five samples adds an error of its own, which no model can follow.
//
// # Models
//
// A [Model] combines three choices, see [Options]. The server family decides
// which structures a key consists of, and how large they are: redis.go and
// valkey.go have one function for each release that changed them, which lists
// what it changed. The allocator decides what a block of n requested bytes
// takes: jemalloc rounds up to size classes. The state is that of the server
// that wrote the file ("live"), or of a fresh one that has loaded it
// ("reloaded").
//
// # Formulas
//
// Each formula names the function of the server that it follows. Each is in
// one file:
//
//	allocator.go    size classes of jemalloc
//	sds.go          strings and their headers
//	key.go          name, object, expiry, strings inside the object
//	accumulator.go  elements of sets, sorted sets and hashes
//	collections.go  sets, sorted sets, hashes, and their compact encodings
//	hashtable.go    buckets of Redis' dict and of Valkey's hashtable
//	loading.go      tables that are still being rehashed after a load
//	score.go        scores in listpacks
//	expiry.go       indexes of hash fields by expiry
//	list.go         quicklists
//	stream.go       streams and consumer groups
//	rax.go          radix trees of stream IDs and of names
//	instance.go     key tables, cluster slots, the empty server
//
// What is done once for every element is looked up: a Model has tables of what a
// string, a field or a skiplist node takes by its length, up to 255 bytes.
//
// A reload changes sizes in ways that a file shows: tables have the size that
// the loader gives them, tables within the limits of the compact encodings
// become listpacks or intsets (the defaults of redis.conf are assumed), packed
// values over these limits become tables, and the last listpack of a stream
// loses the 4096 bytes that XADD reserves. How exact all that is, says the README
// of package parser/memory.
//
// What values of modules take, package modules computes. Those of modules that
// are not known, and types without a model, count as their bytes in the file,
// which is a lower bound and marked as such.
package memory
