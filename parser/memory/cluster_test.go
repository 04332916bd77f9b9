package memory_test

import (
	"path/filepath"
	"testing"

	"github.com/rdblens/rdblens/parser/memory"
)

func TestCluster(t *testing.T) {
	for _, c := range []struct{ dir, allocator string }{
		{"redis-7.0.15", "jemalloc-system"}, {"redis-8.0.2", "jemalloc-system"}, {"valkey-8.1.1", "jemalloc-system"}, {"valkey-9.1.2", "jemalloc-5.3.1"}, {"redis-8.8-dev", "jemalloc"}, {"redis-8.8-dev", "jemalloc-system"},
	} {
		var a account
		compare(t, &a, filepath.Join(corpus, c.dir, "cluster.rdb"), memory.Options{Allocator: c.allocator, State: "reloaded", Cluster: true})
		t.Logf("%s %d keys, p95 %.3f%%, max %.2f%%, total %+.3f%%", c.dir, len(a.errors), 100*quantile(a.errors, .95), 100*quantile(a.errors, 1), 100*a.total())
		for _, w := range a.worst[max(0, len(a.worst)-6):] {
			t.Log(w)
		}
	}
}
