package thresholds

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestModuleRulesOnServersKeys compares the rules on filters and time series with what
// BF.INFO, CF.INFO and TS.INFO of Redis 8 said of the keys, at limits around each
// figure.
func TestModuleRulesOnServersKeys(t *testing.T) {
	files, _ := filepath.Glob("../../shared/corpus/modules/redis*-8/*.truth.jsonl")
	if files == nil {
		t.Skip("the shared corpus is not here")
	}
	type info struct {
		Filters   *int64 `json:"Number of filters"`
		Samples   *int64 `json:"totalSamples"`
		Retention int64  `json:"retentionTime"`
	}
	keys, hits := 0, map[string]int{}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		truth := map[string]info{}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var line struct {
				Key  string
				Info info
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err == nil { // some have other types of info
				truth[line.Key] = line.Info
			}
		}
		src, err := parser.Open(strings.TrimSuffix(path, ".truth.jsonl") + ".rdb")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		s := parser.NewScanner(src, parser.Options{})
		for s.Scan() {
			k := s.Key()
			want, ok := truth[string(k.Name)]
			rule, figure := "filter-growth", want.Filters
			if want.Samples != nil {
				rule, figure = "series-retention", want.Samples
			}
			if !ok || figure == nil || *figure == 0 {
				continue
			}
			keys++
			for _, limit := range []int64{*figure - 1, *figure} {
				config := "rules: {" + rule + ": {info: " + decimal(limit) + "}}"
				got := found(t, mustLoad(t, LoadOptions{Config: writeConfig(t, config)}).Compile(testEnv()), rule, k)
				flagged := limit < *figure && want.Retention == 0 && !k.HasExpire
				if (got.Severity != Off) != flagged || flagged && got.Measured != *figure {
					t.Errorf("%s: %q, %s over %d: %+v, the server says %d, retention %d", filepath.Base(path), k.Name, rule, limit, got, *figure, want.Retention)
				}
				if flagged {
					hits[rule]++
				}
			}
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
	}
	if keys < 30 || hits["filter-growth"] == 0 || hits["series-retention"] == 0 {
		t.Errorf("%d keys, findings %v", keys, hits)
	}
}
