package parser

import "slices"

// A release is the first one of a line that reads what stands beside it, and
// all that the releases before it read.
type release struct {
	name    string
	version int // newest RDB version
	types   []byte
	opcodes []byte
}

// redisReleases says what each Redis release added to what it loads. Sources:
// rdb.h and rdbLoadObject in rdb.c of each. Type 6 (modules of 4.0 release
// candidates) needs its module's code, and opcode 246 (functions of 7.0 release
// candidates) is refused by every release.
var redisReleases = []release{
	{"1.0", 1, []byte{0, 1, 2, 3, 4}, []byte{253, 254, 255}},
	{"2.2", 1, []byte{9, 10, 11}, nil},
	{"2.4", 2, []byte{12}, nil},
	{"2.6", 6, []byte{13}, []byte{252}},
	{"3.2", 7, []byte{14}, []byte{250, 251}},
	{"4.0", 8, []byte{5, 7}, nil},
	{"5.0", 9, []byte{15}, []byte{247, 248, 249}},
	{"7.0", 10, []byte{16, 17, 18, 19}, []byte{245}},
	{"7.2", 11, []byte{20, 21}, nil},
	{"7.4", 12, []byte{22, 23, 24, 25}, []byte{244}},
	{"8.6", 13, []byte{26}, []byte{243}},
	{"8.8", 14, []byte{27, 28}, nil},
	{"8.10", 15, []byte{29, 30, 31, 32}, []byte{242}},
}

// valkeyForks is the newest of the Redis releases above that Valkey's first
// release reads, and valkeyReleases says what later ones added under the magic
// of their own. Under Redis' magic they refuse versions 12 to 79.
const valkeyForks = "7.2"

var valkeyReleases = []release{
	{"9.0", 80, []byte{22}, []byte{243}},
	{"9.2", 81, []byte{23}, []byte{242}},
}

// LoadableBy gives the oldest Redis and the oldest Valkey release that load
// the snapshot as their configuration is by default, such as "7.0" and "7.2",
// from its version and the types and opcodes in it: a server refuses a file of
// a newer version before it looks at a key, and stops at a type that it does not
// know. All later releases of the same line load it as well.
//
// It is "" where no release does: a file with Valkey's magic on Redis, one of
// Redis 7.4 or later on Valkey, types and opcodes of other servers (KeyDB's cron
// jobs, Dragonfly's, Redis Enterprise's), modules of release candidates. Vector
// sets need Redis 8.0, whose own they are; what other modules wrote needs these
// besides, see LoadModules. Of a file that was not read to its end, it is what
// was seen of it.
func (i *Info) LoadableBy() (redis, valkey string) {
	seen := i.numbers()
	if i.Server == "dragonfly" && i.Version <= 9 && i.Types[20] > 0 {
		return "", "" // JSON documents in old ones
	}
	if i.Magic == "VALKEY" {
		known := upTo(redisReleases, valkeyForks)
		return "", oldest(append(known, valkeyReleases...), max(i.Version, 80), seen)
	}
	redis = oldest(redisReleases, i.Version, seen)
	if vectors := slices.ContainsFunc(i.Modules, func(m ModuleInfo) bool { return m.Name == vectorSet }); vectors {
		// Redis 8.0 writes the version of 7.4.
		if redis != "" && i.Version <= 12 && oldest(upTo(redisReleases, "7.4"), i.Version, seen) != "" {
			redis = "8.0"
		}
		return redis, ""
	}
	switch {
	case i.Server == "dragonfly" && redisOnly(seen):
		return "", ""
	case slices.Contains(i.Frames, "vcs-lz4"):
		return "", "9.2"
	case i.Version < 12 && oldest(upTo(redisReleases, valkeyForks), i.Version, seen) != "":
		valkey = valkeyForks
	}
	return redis, valkey
}

// vectorSet is the module type under which Redis 8.0 and later keep vector sets.
const vectorSet = "vectorset"

// LoadModules gives the names of the module types without which no server loads
// the snapshot, in order: those of keys, and of data beside the keys, at which a
// server stops as well (RDB_OPCODE_MODULE_AUX in rdb.c). Vector sets are no
// module's where LoadableBy has a release that knows them.
func (i *Info) LoadModules() []string {
	var names []string
	for _, m := range i.Modules {
		if m.Keys+m.Aux > 0 && m.Name != vectorSet {
			names = append(names, m.Name)
		}
	}
	return names
}

// numbers gives the types and opcodes that occur.
func (i *Info) numbers() (seen [256]bool) {
	for n := range seen {
		seen[n] = i.Types[n] > 0 || i.Opcodes[n] > 0
	}
	return seen
}

// redisOnly reports whether there are numbers of which Dragonfly makes its own
// types and Redis others.
func redisOnly(seen [256]bool) bool {
	for n := 30; n <= 37; n++ {
		if seen[n] {
			return true
		}
	}
	return false
}

// upTo gives the releases up to the one of that name.
func upTo(releases []release, name string) []release {
	n := slices.IndexFunc(releases, func(r release) bool { return r.name == name })
	return slices.Clip(releases[:n+1])
}

// oldest gives the first release that reads a version and all that was seen,
// "" if none does.
func oldest(releases []release, version int, seen [256]bool) string {
	for _, r := range releases {
		for _, n := range r.types {
			seen[n] = false
		}
		for _, n := range r.opcodes {
			seen[n] = false
		}
		if r.version >= version && seen == [256]bool{} {
			return r.name
		}
	}
	return ""
}
