package thresholds

import "github.com/rdblens/rdblens/parser"

type server struct {
	family         string // "redis", "valkey", "keydb", "dragonfly", "redis-enterprise", "" unknown
	parser.Version        // zero if unknown: such a server is treated as an old one
}

func parseServer(family, release string) server {
	v, _ := parser.ParseVersion(release)
	return server{family, v}
}

// unlinks reports whether the server has UNLINK: Redis from 4.0 on, and all servers
// that are derived from a later version.
func (s server) unlinks() bool {
	switch s.family {
	case "valkey", "keydb", "dragonfly":
		return true
	}
	return s.AtLeast(4, 0)
}

// lazyExpire reports whether the server frees expired keys in the background by
// default (lazyfree-lazy-expire): Valkey from 8.0 on.
func (s server) lazyExpire() bool { return s.family == "valkey" && s.AtLeast(8, 0) }

// setListpacks reports whether small sets of any members have a compact encoding:
// on Valkey, and on Redis from 7.2 on.
func (s server) setListpacks() bool {
	switch s.family {
	case "valkey":
		return true
	case "keydb", "dragonfly":
		return false
	}
	return s.AtLeast(7, 2)
}

func (s server) memoryUsage() bool { return s.unlinks() }
