package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report"
)

// jobSnapshot writes a queue of BullMQ with 30 jobs, and 5 strings, all without a TTL.
func jobSnapshot(t *testing.T) string {
	buf := []byte("REDIS0011\xfa\x09redis-ver\x067.0.15\xfa\x05ctime\x0a1700000000\xfe\x00")
	text := func(s string) { buf = append(append(buf, byte(len(s))), s...) }
	hash := func(name string, pairs ...string) {
		buf = append(buf, 4)
		text(name)
		buf = append(buf, byte(len(pairs)/2))
		for _, s := range pairs {
			text(s)
		}
	}
	hash("bull:mail:meta", "opts.maxLenEvents", "10000")
	for i := range 30 {
		hash(fmt.Sprintf("bull:mail:%d", i+1), "name", "send", "data", "{}", "opts", "{}", "timestamp", "1700000000000")
	}
	for i := range 5 {
		buf = append(buf, 0)
		text(fmt.Sprintf("cart:%d", i))
		text("v")
	}
	file := filepath.Join(t.TempDir(), "jobs.rdb")
	if err := os.WriteFile(file, append(buf, 0xff, 0, 0, 0, 0, 0, 0, 0, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestKnownQueue checks that the long queue of a library is a finding of its key, its node of
// the tree and its owner.
func TestKnownQueue(t *testing.T) {
	const items = 10_001
	b := binary.BigEndian.AppendUint32([]byte("REDIS0010\x01\x05q:one\x80"), items)
	b = append(append(b, strings.Repeat("\x01x", items)...), "\x01\x05q:two\x01\x01x\xff\x00\x00\x00\x00\x00\x00\x00\x00"...)
	file, config := filepath.Join(t.TempDir(), "queue.rdb"), filepath.Join(t.TempDir(), "rdblens.yaml")
	entry := "identities: [{key: 'q:*', library: acme, role: waiting jobs}]\nnamespaces: {q: jobs, r: web}\n"
	for name, text := range map[string]string{file: string(b), config: entry} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := runKeys(t, 0, "--config", config, "--over", "queue-backlog", "--unexplained", "-f", "jsonl", file); strings.Count(got, "\n") != 1 || !strings.Contains(got, "q:one") {
		t.Errorf("keys: %s", got)
	}
	if got := runKeys(t, 0, "--config", config, "--over", "queue-backlog", "-f", "jsonl", file); got != "" {
		t.Errorf("keys without identities: %s", got)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"scan", "--config", config, "--rules", "queue-backlog", "-f", "json", file}, nil, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var r report.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Findings.Warning != 1 || r.Tree.Findings.Warning != 1 || r.Tree.Children[0].Findings.Warning != 1 {
		t.Errorf("%+v, and %+v of the tree", r.Findings, r.Tree.Findings)
	}
	for _, o := range r.Owners {
		if want := map[string]int64{"jobs": 1}[o.Owner]; o.Findings.Warning != want {
			t.Errorf("owner %s: %+v, want %d warnings", o.Owner, o.Findings, want)
		}
	}
}

// TestUnexplained checks that keys lists the keys that a report counts, and all that break
// the rule if nobody asks for that; and what a configuration says of keys.
func TestUnexplained(t *testing.T) {
	file := jobSnapshot(t)
	rows := func(args ...string) int { return strings.Count(runKeys(t, 0, append(args, file)...), "\n") - 1 }
	if n := rows("--rule", "no-ttl"); n != 36 {
		t.Errorf("%d keys without a TTL, want 36", n)
	}
	if n := rows("--rule", "no-ttl", "--unexplained"); n != 5 {
		t.Errorf("%d keys that the report counts, want 5", n)
	}
	runKeys(t, 2, "--unexplained", file)
	runKeys(t, 2, "--rule", "no-ttl", "--unexplained", "-")
	config := filepath.Join(t.TempDir(), "rdblens.yaml")
	entry := "identities:\n  - {key: 'cart:*', library: shop, role: data, no_ttl: true}\n  - {key: 'bull:*', role: none}\n"
	if err := os.WriteFile(config, []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := rows("--config", config, "--rule", "no-ttl", "--unexplained"); n != 31 {
		t.Errorf("%d keys where carts are explained and jobs are not, want 31", n)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"scan", "--config", config, "--redact", "-f", "json", file}, nil, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var r struct {
		Groups []struct {
			Identity *struct{ Library, Role, Sure string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, g := range r.Groups {
		if g.Identity != nil {
			named++
			if g.Identity.Library == "" || g.Identity.Library == "shop" || g.Identity.Role != "data" || g.Identity.Sure != "configured" {
				t.Errorf("%+v", g.Identity)
			}
		}
	}
	if named != 1 || strings.Contains(out.String(), `"shop"`) {
		t.Errorf("%d groups have an identity; a team's word is in a redacted report: %v", named, strings.Contains(out.String(), `"shop"`))
	}
}
