package parser

import (
	"slices"
	"testing"
)

// Redis 7.0.15 stops at a type that it does not know ("module data I can't load: no
// matching module type") and at data beside the keys ("AUX module data I can't load").
func TestLoadModules(t *testing.T) {
	for _, c := range []struct {
		name          string
		version       int
		modules       []ModuleInfo
		redis, valkey string
		needed        []string
	}{
		{"none", 11, nil, "7.2", "7.2", nil},
		{"vector sets", 12, []ModuleInfo{{Name: "vectorset", Keys: 2}}, "8.0", "", nil},
		{"vector sets in a file of a newer version", 13, []ModuleInfo{{Name: "vectorset", Keys: 2}}, "8.6", "", nil},
		{"vector sets in one of an older version", 11, []ModuleInfo{{Name: "vectorset", Keys: 2}}, "8.0", "", nil},
		{"documents", 11, []ModuleInfo{{Name: "ReJSON-RL", Keys: 3}}, "7.2", "7.2", []string{"ReJSON-RL"}},
		{"data beside the keys", 11, []ModuleInfo{{Name: "MBbloom--", Keys: 1}, {Name: "ReJSON-RL"}, {Name: "ft_index0", Aux: 1}}, "7.2", "7.2", []string{"MBbloom--", "ft_index0"}},
	} {
		info := Info{Magic: "REDIS", Version: c.version, Modules: c.modules}
		info.Types[7] = 1
		redis, valkey := info.LoadableBy()
		if got := info.LoadModules(); redis != c.redis || valkey != c.valkey || !slices.Equal(got, c.needed) {
			t.Errorf("%s: got %q, %q and %q, want %q, %q and %q", c.name, redis, valkey, got, c.redis, c.valkey, c.needed)
		}
	}
}

func TestLoadableBy(t *testing.T) {
	for _, c := range []struct {
		name          string
		info          Info
		types         []int
		opcodes       []int
		redis, valkey string
	}{
		{"nothing", Info{Magic: "REDIS", Version: 1}, nil, []int{254, 255}, "1.0", "7.2"},
		{"zipmap", Info{Magic: "REDIS", Version: 1}, []int{0, 9}, nil, "2.2", "7.2"},
		{"version alone", Info{Magic: "REDIS", Version: 6}, []int{0}, nil, "2.6", "7.2"},
		{"Redis 3.2", Info{Magic: "REDIS", Version: 7}, []int{0, 14, 2}, []int{250, 251, 252, 254, 255}, "3.2", "7.2"},
		{"Redis 6.2", Info{Magic: "REDIS", Version: 9}, []int{0, 15, 14}, []int{248, 247}, "5.0", "7.2"},
		{"Redis 7.0", Info{Magic: "REDIS", Version: 10}, []int{16, 17, 18, 19, 11}, []int{245}, "7.0", "7.2"},
		{"Redis 7.2", Info{Magic: "REDIS", Version: 11}, []int{20, 21}, nil, "7.2", "7.2"},
		{"Redis 8.0 without its types", Info{Magic: "REDIS", Version: 12}, []int{0}, nil, "7.4", ""},
		{"field expiries", Info{Magic: "REDIS", Version: 12}, []int{24, 25}, []int{244}, "7.4", ""},
		{"Redis 8.6", Info{Magic: "REDIS", Version: 13}, []int{26}, []int{243}, "8.6", ""},
		{"arrays", Info{Magic: "REDIS", Version: 14}, []int{27, 28}, nil, "8.8", ""},
		{"hash templates", Info{Magic: "REDIS", Version: 15}, []int{30}, []int{242}, "8.10", ""},
		{"later than all", Info{Magic: "REDIS", Version: 16}, []int{0}, nil, "", ""},
		{"release candidate's functions", Info{Magic: "REDIS", Version: 10}, []int{0}, []int{246}, "", ""},
		{"release candidate's module", Info{Magic: "REDIS", Version: 8}, []int{6}, nil, "", ""},
		{"Valkey 9", Info{Magic: "VALKEY", Version: 80}, []int{0, 16, 22}, []int{243, 250}, "", "9.0"},
		{"Valkey 9 without its types", Info{Magic: "VALKEY", Version: 80}, []int{0}, nil, "", "9.0"},
		{"path hashes", Info{Magic: "VALKEY", Version: 81}, []int{0, 23}, nil, "", "9.2"},
		{"updates", Info{Magic: "VALKEY", Version: 81}, []int{0}, []int{242}, "", "9.2"},
		{"a frame of Valkey's around Redis' version", Info{Magic: "REDIS", Version: 11, Frames: []string{"vcs-zstd"}}, []int{0}, nil, "", "9.2"},
		{"Redis' types under Valkey's magic", Info{Magic: "VALKEY", Version: 80}, []int{24}, nil, "", ""},
		{"KeyDB's cron job", Info{Magic: "REDIS", Version: 9, Server: "keydb"}, []int{0, 64}, nil, "", ""},
		{"KeyDB", Info{Magic: "REDIS", Version: 9, Server: "keydb"}, []int{0, 14}, nil, "5.0", "7.2"},
		{"Dragonfly, newer types than it says", Info{Magic: "REDIS", Version: 9, Server: "dragonfly"}, []int{0, 18}, nil, "7.0", "7.2"},
		{"Dragonfly's JSON", Info{Magic: "REDIS", Version: 9, Server: "dragonfly"}, []int{30}, nil, "", ""},
		{"Dragonfly's old JSON", Info{Magic: "REDIS", Version: 9, Server: "dragonfly"}, []int{20}, nil, "", ""},
		{"Redis Enterprise", Info{Magic: "REDIS", Version: 12, Server: "redis-enterprise"}, []int{0}, []int{107}, "", ""},
	} {
		for _, n := range c.types {
			c.info.Types[n] = 1
		}
		for _, n := range c.opcodes {
			c.info.Opcodes[n] = 1
		}
		redis, valkey := c.info.LoadableBy()
		if redis != c.redis || valkey != c.valkey {
			t.Errorf("%s: got %q and %q, want %q and %q", c.name, redis, valkey, c.redis, c.valkey)
		}
	}
}
