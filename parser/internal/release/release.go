// Package release has the releases of Redis and Valkey, and what of a snapshot
// depends on them.
package release

import "slices"

// A Release is one that loads more than the one before it, or keeps values in
// another way.
type Release struct {
	Name  string // such as "7.0"
	RDB   int    // the newest RDB version that it loads
	Embed Embedding
}

// Embedding is how a server decides that a text lies in one block with its object:
// OBJECT ENCODING's embstr. Sources: object.c of each release.
type Embedding uint8

const (
	Embed44    Embedding = iota // texts of up to 44 bytes
	Embed39                     // up to 39 bytes
	EmbedNever                  // before Redis 3.0
	EmbedIn64                   // with the name in 64 bytes
	EmbedIn128                  // with the name in 128 bytes
)

// ValkeyFirst is the oldest RDB version under the magic VALKEY, ValkeyTrees the one
// that Valkey 9.2 writes, where sorted sets are trees.
const (
	ValkeyFirst = 80
	ValkeyTrees = 81
)

// Redis are the releases of Redis, oldest first. Which types and opcodes they added,
// the tables of package parser say.
var Redis = []Release{
	{Name: "1.0", RDB: 1, Embed: EmbedNever},
	{Name: "2.2", RDB: 1, Embed: EmbedNever},
	{Name: "2.4", RDB: 2, Embed: EmbedNever},
	{Name: "2.6", RDB: 6, Embed: EmbedNever},
	{Name: "3.0", RDB: 6, Embed: Embed39},
	{Name: "3.2", RDB: 7},
	{Name: "4.0", RDB: 8},
	{Name: "5.0", RDB: 9},
	{Name: "7.0", RDB: 10},
	{Name: "7.2", RDB: 11},
	{Name: "7.4", RDB: 12},
	{Name: "8.0", RDB: 12},
	{Name: "8.6", RDB: 13},
	{Name: "8.8", RDB: 14},
	{Name: "8.10", RDB: 15},
}

// Fork is the newest of these that Valkey's first release is.
const Fork = "7.2"

// Valkey are the releases of Valkey, which begin with what it forked. Under Redis'
// magic they refuse versions 12 to 79.
var Valkey = append(UpTo(Redis, Fork),
	Release{Name: "8.1", RDB: 11, Embed: EmbedIn64},
	Release{Name: "9.0", RDB: ValkeyFirst, Embed: EmbedIn128},
	Release{Name: "9.2", RDB: ValkeyTrees, Embed: EmbedIn128})

// Of returns the releases of the line that writes a magic.
func Of(valkey bool) []Release {
	if valkey {
		return Valkey
	}
	return Redis
}

func UpTo(of []Release, name string) []Release {
	return slices.Clip(of[:known(of, name)+1])
}

func Has(of []Release, name string) bool { return index(of, name) >= 0 }

func RDB(of []Release, name string) int { return of[known(of, name)].RDB }

func index(of []Release, name string) int {
	return slices.IndexFunc(of, func(r Release) bool { return r.Name == name })
}

// known is index of a release that there must be.
func known(of []Release, name string) int {
	if !Has(of, name) {
		panic("release: there is no row of release " + name)
	}
	return index(of, name)
}

// First returns the name of the first release that loads an RDB version, "" if none
// does.
func First(of []Release, rdb int) string {
	for _, r := range of {
		if r.RDB >= rdb {
			return r.Name
		}
	}
	return ""
}

// Newest returns the newest RDB version whose every number is known.
func Newest(of []Release) int { return of[len(of)-1].RDB }

// EmbeddingOf returns the rule of a server's version. Of servers that are neither
// Redis nor Valkey, and of unknown versions, it is that of Redis 3.2.
func EmbeddingOf(server string, v Version) Embedding {
	if v.Major == 0 || server != "redis" && server != "valkey" {
		return Embed44
	}
	rule := EmbedNever
	for _, r := range Of(server == "valkey") {
		if since, _ := Parse(r.Name); v.AtLeast(since.Major, since.Minor) {
			rule = r.Embed
		}
	}
	return rule
}
