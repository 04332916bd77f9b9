package thresholds

import "github.com/rdblens/rdblens/parser/version"

// server is the family and version that wrote a snapshot, as far as rules and
// advice depend on it.
type server struct {
	family          string // "redis", "valkey", "keydb", "dragonfly", "redis-enterprise", "" unknown
	version.Version        // zero if unknown: such a server is treated as an old one
}

func parseServer(family, release string) server {
	v, _ := version.Parse(release)
	return server{family, v}
}

// unlinks reports whether the server has UNLINK: Redis from 4.0 on, and all
// that were made of a later one.
func (s server) unlinks() bool {
	switch s.family {
	case "valkey", "keydb", "dragonfly":
		return true
	}
	return s.AtLeast(4, 0)
}

// lazyExpire reports whether an expired key is freed in the background by
// default (lazyfree-lazy-expire): on Valkey from 8.0 on.
func (s server) lazyExpire() bool { return s.family == "valkey" && s.AtLeast(8, 0) }

// setListpacks reports whether small sets of any members have a compact
// encoding: from Redis 7.2 and Valkey on.
func (s server) setListpacks() bool {
	switch s.family {
	case "valkey":
		return true
	case "keydb", "dragonfly":
		return false
	}
	return s.AtLeast(7, 2)
}

// memoryUsage reports whether the server has MEMORY USAGE.
func (s server) memoryUsage() bool { return s.unlinks() }

// String names the server: "Redis 7.0", "" unknown.
func (s server) String() string {
	name, ok := map[string]string{"redis": "Redis", "valkey": "Valkey", "keydb": "KeyDB", "dragonfly": "Dragonfly", "redis-enterprise": "Redis Enterprise"}[s.family]
	if !ok {
		return ""
	}
	if s.Major > 0 {
		name += " " + s.Version.String()
	}
	return name
}
