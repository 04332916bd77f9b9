package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// read calls do for each key of a snapshot.
func read(t *testing.T, path string, do func(*parser.Key)) *parser.Info {
	t.Helper()
	src, err := parser.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := parser.NewScanner(src, parser.Options{})
	for s.Scan() {
		do(s.Key())
	}
	if s.Err() != nil {
		t.Fatalf("%s: %v", path, s.Err())
	}
	return s.Info()
}

// TestNamesOfKeys compares the keys of the rules' fixtures with the sizes in
// their names.
func TestNamesOfKeys(t *testing.T) {
	paths, err := filepath.Glob("../rules/*.rdb*")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != len(ruleFixtures) {
		t.Errorf("%d snapshots, %d are known", len(paths), len(ruleFixtures))
	}
	checked := map[string]int{}
	for _, path := range paths {
		info := read(t, path, func(k *parser.Key) {
			parts := strings.Split(string(k.Name), ":")
			last, err := strconv.ParseInt(parts[len(parts)-1], 10, 64)
			if err != nil {
				return
			}
			got := int64(-1)
			switch parts[0] {
			case "size", "value", "text":
				got = k.ValueBytes
				if len(parts) > 2 && parts[0] == "text" && k.Type == parser.Hash {
					got = k.LongestValue // without its field
				}
			case "elements":
				got = k.Elements
			case "element":
				got = k.Largest
			case "pending":
				got = k.Pending
			case "freq":
				got = int64(k.Freq)
			case "idle":
				got = k.Idle
			case "fields":
				got = k.FieldsWithTTL
			case "compact", "expiring":
				got = k.Elements
				if len(parts) > 3 && parts[1] != "compact" {
					got = k.Longest
				}
			default:
				return
			}
			checked[parts[0]]++
			if got != last {
				t.Errorf("%s: %q has %d", path, k.Name, got)
			}
		})
		if cluster := strings.Contains(path, "cluster"); info.Cluster != cluster {
			t.Errorf("%s: cluster mode %v", path, info.Cluster)
		}
	}
	for prefix, want := range map[string]int{"size": 12, "value": 20, "text": 90, "elements": 34, "element": 10, "pending": 2, "freq": 14, "idle": 20, "fields": 8, "compact": 48, "expiring": 32} {
		if checked[prefix] < want {
			t.Errorf("%d keys with %q in front, want %d", checked[prefix], prefix, want)
		}
	}
}

// TestExpiries compares expiries with the snapshot's creation time.
func TestExpiries(t *testing.T) {
	expires := map[string]int64{}
	info := read(t, "../rules/expiries.rdb", func(k *parser.Key) {
		if k.HasExpire {
			expires[string(k.Name)] = k.ExpireAt
		}
	})
	for name, after := range map[string]int64{"ttl:past:1ms": -1, "ttl:zero": 0, "ttl:1d": 86_400_000, "ttl:30d": 30 * 86_400_000, "ttl:30d:1ms": 30*86_400_000 + 1} {
		if got := expires[name] - info.Created*1000; got != after {
			t.Errorf("%s expires %d ms after the snapshot, want %d", name, got, after)
		}
	}
}

// TestShop checks that the shop has something for each part of a report.
func TestShop(t *testing.T) {
	var keys, expired, cold, big, hostile int64
	minutes := map[int64]int{}
	types := map[parser.Type]int{}
	created := int64(-1)
	info := read(t, "../shop.rdb", func(k *parser.Key) { created = 0 })
	if created, keys = info.Created, info.Keys; created < 0 || keys < 12_000 || info.Databases != 2 {
		t.Errorf("created %d, %d keys in %d databases", created, keys, info.Databases)
	}
	read(t, "../shop.rdb", func(k *parser.Key) {
		types[k.Type]++
		if k.HasExpire {
			minutes[k.ExpireAt/60_000]++
			if k.ExpireAt < created*1000 {
				expired++
			}
		}
		if k.Idle > 30*86_400 {
			cold++
		}
		if k.Type != parser.String && (k.Elements > 5000 || k.ValueBytes > 1<<20) {
			big++
		}
		if strings.ContainsAny(string(k.Name), "\x1b<\n=") {
			hostile++
		}
	})
	if expired != 12 || cold < 40 || big != 3 || hostile < 4 {
		t.Errorf("%d keys expired, %d cold, %d big, %d with hostile names", expired, cold, big, hostile)
	}
	fullest := 0
	for _, n := range minutes {
		fullest = max(fullest, n)
	}
	if fullest < 10_500 {
		t.Errorf("%d keys in the fullest minute", fullest)
	}
	for _, typ := range []parser.Type{parser.String, parser.List, parser.Set, parser.ZSet, parser.Hash} {
		if types[typ] < 20 {
			t.Errorf("%d keys of type %v", types[typ], typ)
		}
	}
}
