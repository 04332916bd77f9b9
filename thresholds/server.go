package thresholds

import (
	"strconv"
	"strings"
)

// server is the family and version that wrote a snapshot, as far as rules and
// advice depend on it.
type server struct {
	family string // "redis", "valkey", "keydb", "dragonfly", "redis-enterprise", "" unknown
	// major and minor are 0 where the version is unknown: such a server is
	// taken for an old one.
	major, minor int
}

func parseServer(family, version string) server {
	s := server{family: family}
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	s.major, _ = strconv.Atoi(parts[0])
	if len(parts) > 1 {
		digits := strings.IndexFunc(parts[1], func(c rune) bool { return c < '0' || c > '9' })
		if digits < 0 {
			digits = len(parts[1])
		}
		s.minor, _ = strconv.Atoi(parts[1][:digits])
	}
	return s
}

func (s server) atLeast(major, minor int) bool {
	return s.major > major || s.major == major && s.minor >= minor
}

// unlinks reports whether the server has UNLINK: Redis from 4.0 on, and all
// that were made of a later one.
func (s server) unlinks() bool {
	switch s.family {
	case "valkey", "keydb", "dragonfly":
		return true
	}
	return s.atLeast(4, 0)
}

// lazyExpire reports whether an expired key is freed in the background by
// default (lazyfree-lazy-expire): on Valkey from 8.0 on.
func (s server) lazyExpire() bool { return s.family == "valkey" && s.atLeast(8, 0) }

// setListpacks reports whether small sets of any members have a compact
// encoding: from Redis 7.2 and Valkey on.
func (s server) setListpacks() bool {
	switch s.family {
	case "valkey":
		return true
	case "keydb", "dragonfly":
		return false
	}
	return s.atLeast(7, 2)
}

// memoryUsage reports whether the server has MEMORY USAGE.
func (s server) memoryUsage() bool { return s.unlinks() }

// String names the server: "Redis 7.0", "" unknown.
func (s server) String() string {
	name, ok := map[string]string{"redis": "Redis", "valkey": "Valkey", "keydb": "KeyDB", "dragonfly": "Dragonfly", "redis-enterprise": "Redis Enterprise"}[s.family]
	if !ok {
		return ""
	}
	if s.major > 0 {
		name += " " + strconv.Itoa(s.major) + "." + strconv.Itoa(s.minor)
	}
	return name
}
