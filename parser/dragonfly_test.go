package parser

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dragonflyTruth is what is true of a key of the snapshots that another program made
// from the format of Dragonfly.
type dragonflyTruth struct {
	DB         int    `json:"db"`
	Key        string `json:"key"`
	Type       string `json:"type"`
	RDBType    uint8  `json:"df_type"`
	Elements   int64  `json:"elements"`
	ValueBytes int64  `json:"value_bytes"`
	ExpireMS   *int64 `json:"expire_ms"`
}

const sharedDragonfly = "../../shared/corpus/dragonfly"

// dragonflyWords are its words for types.
var dragonflyWords = map[string]Type{"string": String, "list": List, "set": Set, "zset": ZSet, "hash": Hash, "json": JSON,
	"sbf": Bloom, "cms": CountMin, "topk": TopK, "cuckoo": Cuckoo}

// TestDragonflyTruth reads these snapshots.
func TestDragonflyTruth(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sharedDragonfly, "*.truth.jsonl"))
	if len(files) == 0 {
		t.Skip("the shared corpus is not there")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, err := os.ReadFile(strings.TrimSuffix(file, ".truth.jsonl") + ".dfs")
		if err != nil {
			t.Fatal(err)
		}
		type name struct {
			db  int
			key string
		}
		want := make(map[name]dragonflyTruth)
		for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
			var row dragonflyTruth
			if err := d.Decode(&row); err != nil {
				t.Fatal(err)
			}
			if row.Type != "" { // the first says how the file was made
				want[name{row.DB, row.Key}] = row
			}
		}
		differential(t, in)
		s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
		keys := 0
		for ; s.Scan(); keys++ {
			k := s.Key()
			w := want[name{k.DB, string(k.Name)}]
			if k.Type != dragonflyWords[w.Type] || k.RDBType != w.RDBType || k.Elements != w.Elements || k.ValueBytes != w.ValueBytes ||
				k.HasExpire != (w.ExpireMS != nil) || k.HasExpire && k.ExpireAt != *w.ExpireMS {
				t.Errorf("%s: %s, want %+v", filepath.Base(file), line(k), w)
			}
		}
		if s.Err() != nil || keys != len(want) {
			t.Errorf("%s: %d keys, want %d: %v", filepath.Base(file), keys, len(want), s.Err())
		}
	}
}

// TestDragonflyHostile reads the damaged snapshots among them.
func TestDragonflyHostile(t *testing.T) {
	for name, want := range map[string]struct {
		keys   int
		reason string // "" none
	}{
		"bad-lz4-cut-frame":          {0, "the lz4 data ends early"},
		"bad-lz4-len-past-end":       {40, "the file ends within it"},
		"bad-lz4-no-content-size":    {0, "does not say how long"},
		"bad-record-cut-at-blob-end": {39, "reaches past the end of the compressed block at byte 149"},
		"bad-tag-id0":                {0, "has the tag 0"},
		"bad-tag-never-finished":     {0, "1 of its values in tagged chunks do not"},
		"bad-tag-payload-left":       {1, "string form 63"},
		"bad-tag-size0":              {0, "and 0 bytes"},
		"edge-blob-end-in-stream":    {0, "opcode 203"},
		"edge-high-ratio":            {1, ""},
		"edge-lz4-flipped-byte":      {46, ""}, // no checksum covers it
		"edge-nested-blob":           {0, "stands in a compressed block"},
	} {
		in, err := os.ReadFile(filepath.Join(sharedDragonfly, name+".dfs"))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("the shared corpus is not there")
		}
		differential(t, in)
		o := scanned(bytes.NewReader(in), Options{}, smallBlock)
		if len(o.lines) != want.keys || (o.err == nil) != (want.reason == "") || o.err != nil && !strings.Contains(o.err.Error(), want.reason) {
			t.Errorf("%s: %d keys and %v, want %d and %q", name, len(o.lines), o.err, want.keys, want.reason)
		}
	}
}
