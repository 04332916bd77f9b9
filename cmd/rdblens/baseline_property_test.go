package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds/config"
)

// TestBaselineAcceptsItsSnapshot makes a baseline of random keyspaces, by each profile,
// and scans them with it: nothing is found, whatever the names and however many findings.
func TestBaselineAcceptsItsSnapshot(t *testing.T) {
	dir := t.TempDir()
	for seed := range map[bool]uint64{false: 20, true: 300}[testtool.Nightly()] {
		r := rand.New(rand.NewPCG(seed, 26))
		b, err := snapshotOf(randomKeyspace(r))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.rdb", seed))
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		profiles := config.Profiles()
		checkBaseline(t, path, "--profile", profiles[int(seed)%len(profiles)], "--rules", []string{"all", "*", "key-*", "no-ttl,big-*"}[r.IntN(4)])
		os.Remove(path)
	}
}

// TestBaselineAcceptsAFleet makes baselines of a directory of random snapshots, and of
// the states of their scans: a scan of the directory finds nothing.
func TestBaselineAcceptsAFleet(t *testing.T) {
	for seed := range map[bool]uint64{false: 2, true: 60}[testtool.Nightly()] {
		r := rand.New(rand.NewPCG(seed, 27))
		dir, states := filepath.Join(t.TempDir(), "fleet"), t.TempDir()
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		profile := config.Profiles()[int(seed)%len(config.Profiles())]
		for i := range 2 + r.IntN(3) {
			b, err := snapshotOf(randomKeyspace(r))
			path := filepath.Join(dir, fmt.Sprintf("%d.rdb", i))
			if err == nil {
				err = os.WriteFile(path, b, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			if code := run(t.Context(), []string{"scan", "--profile", profile, "-f", "shard=" + states + "/", path}, nil, io.Discard, &errs); code != 0 {
				t.Fatal(errs.String())
			}
		}
		checkBaselineOf(t, dir, dir, "--profile", profile)
		checkBaselineOf(t, states, dir, "--profile", profile)
	}
}

// checkBaseline makes a baseline of a snapshot and scans it with that.
func checkBaseline(t *testing.T, path string, flags ...string) {
	t.Helper()
	checkBaselineOf(t, path, path, flags...)
}

// checkBaselineOf makes a baseline and scans a path with it.
func checkBaselineOf(t *testing.T, of, path string, flags ...string) {
	t.Helper()
	accepted := of + ".yaml"
	var out, errs bytes.Buffer
	if code := run(t.Context(), append([]string{"baseline", "create", "-o", accepted, of}, flags...), nil, &out, &errs); code != 0 {
		t.Fatalf("%s %q: exit code %d: %s", path, flags, code, &errs)
	}
	out.Reset()
	code := run(t.Context(), append([]string{"scan", "--baseline", accepted, "--fail-on", "info", "-f", "json", path}, flags...), nil, &out, &errs)
	var found report.Report
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatalf("%s %q: %v: %s", path, flags, err, &errs)
	}
	if code == 0 && len(found.Rules) == 0 {
		return
	}
	text, _ := os.ReadFile(accepted)
	t.Errorf("%s %q: exit code %d: %s\n%.2000s", path, flags, code, &errs, text)
	for i := range found.Rules {
		f := &found.Rules[i]
		t.Errorf("%s %s: %d findings, such as %.300s", f.Severity, f.Rule, f.Count, fmt.Sprint(f.Examples))
	}
}

// randomKeyspace returns the text of a snapshot with a few families of names, one of
// which is rare enough for the keys to be groups of their own.
func randomKeyspace(r *rand.Rand) string {
	families := []func(i int) string{
		func(i int) string { return fmt.Sprintf(":1:views.decorators.cache.%x", r.Uint64()) },
		func(i int) string { return fmt.Sprintf(":%d:", i%4) },
		func(int) string { return fmt.Sprintf("celery-task-meta-%08x-%04x", r.Uint32(), r.IntN(1<<16)) },
		func(i int) string { return fmt.Sprintf("_kombu.binding.q%d", i) },
		func(i int) string { return fmt.Sprintf("user:%d:cart", i) },
		func(i int) string { return fmt.Sprintf("%c%d", 'a'+i%26, i) },
		func(i int) string { return strings.Repeat(":", i%5) },
		func(i int) string { return fmt.Sprintf("订单:%d", i) },
		func(i int) string { return fmt.Sprintf("glob*[%d]?\\{x}", i) },
		func(i int) string { return fmt.Sprintf("bytes\xff\x00\n\"%d", i) },
		func(i int) string { return fmt.Sprintf("bytes\xfe:%d", i) },
		func(i int) string { return fmt.Sprintf(" lead: %d : trail ", i) },
		func(i int) string { return strings.Repeat("long:", 300) + fmt.Sprint(i) },
		func(i int) string { return strings.Repeat("x", 1500) + fmt.Sprint(i) },
		func(i int) string { return fmt.Sprintf("{tag%d}:x", i%3) },
		func(i int) string { return fmt.Sprintf("*:%d", i) },
		func(i int) string { return fmt.Sprintf("*:*:k%d", i%7) },
	}
	r.Shuffle(len(families), func(i, k int) { families[i], families[k] = families[k], families[i] })
	var b strings.Builder
	fmt.Fprintf(&b, "aux redis-ver 7.0.15\naux ctime 1700000000\n")
	for db := range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "db %d\n", db)
		seen := map[string]bool{}
		for _, name := range families[:1+r.IntN(len(families))] {
			count := []int{1, 3, 40, 700}[r.IntN(4)]
			for i := range count {
				key := name(i)
				if seen[key] {
					continue
				}
				seen[key] = true
				if r.IntN(4) == 0 {
					fmt.Fprintf(&b, "ttl %d\n", 1700000000000+r.Int64N(5e12)-1e11)
				}
				randomValue(&b, r, fmt.Sprintf("%q", key))
			}
		}
		if r.IntN(2) == 0 && !seen[""] {
			randomValue(&b, r, `""`)
		}
	}
	return b.String()
}

func randomValue(b *strings.Builder, r *rand.Rand, key string) {
	n := []int{1, 20, 600, 6000}[min(r.IntN(60), 3)]
	if r.IntN(3) > 0 {
		n = 1
	}
	switch r.IntN(5) {
	case 0:
		fmt.Fprintf(b, "list %s %d#e\n", key, n)
	case 1:
		fmt.Fprintf(b, "set %s %d#m\n", key, n)
	case 2:
		fmt.Fprintf(b, "hash %s %d#f\n", key, n)
	default:
		fmt.Fprintf(b, "string %s v*%d\n", key, n*20)
	}
}
