package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// The cluster of measureCluster.
const (
	clusterShards = 64
	shardSlots    = naming.Slots / clusterShards
)

// measureCluster makes the snapshots of a cluster of 64 shards in a directory, if they
// are not there (in a process of its own, as makeMissing does), and prints the time and peak memory of one scan of all, and of a scan
// of each whose states are merged, which must give the same report.
func measureCluster(o *options) error {
	dir := o.args[0]
	if err := self("shards", "-server", o.server, "-keys", strconv.Itoa(o.keys), dir); err != nil {
		return err
	}
	bin, err := filepath.Abs(o.rdblens)
	if err != nil {
		return err
	}
	snapshots, err := filepath.Glob(filepath.Join(dir, "shard-*.rdb"))
	if err != nil {
		return err
	}
	fmt.Println("| | s | user+sys s | peak MB |\n|---|---|---|---|")
	report := func(name string) string { return filepath.Join(dir, name+".json") }
	for _, jobs := range []string{"1", "2"} {
		c, err := measure(append([]string{bin, "scan", "--cluster", "--jobs", jobs, "-f", "json=" + report("scan-"+jobs)}, snapshots...)...)
		if err != nil {
			return err
		}
		fmt.Printf("| scan of %d snapshots, --jobs %s | %s |\n", len(snapshots), jobs, c)
	}
	var all cost
	states := make([]string, len(snapshots))
	for i, s := range snapshots {
		states[i] = strings.TrimSuffix(s, ".rdb") + ".shard"
		c, err := measure(bin, "scan", "--cluster", "--jobs", "1", "-f", "shard="+states[i], s)
		if err != nil {
			return err
		}
		all = cost{all.wall + c.wall, all.cpu + c.cpu, max(all.peak, c.peak)}
	}
	fmt.Printf("| a scan of each, one after the other | %s |\n", all)
	rand.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
	c, err := measure(append([]string{bin, "merge", "-f", "json=" + report("merge")}, states...)...)
	if err != nil {
		return err
	}
	fmt.Printf("| merge of their states | %s |\n", c)
	want, err := os.ReadFile(report("scan-1"))
	if err != nil {
		return err
	}
	for _, name := range []string{"scan-2", "merge"} {
		got, err := os.ReadFile(report(name))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s differs from %s", report(name), report("scan-1"))
		}
	}
	fmt.Printf("the reports are the same %d bytes\n", len(want))
	return nil
}

// makeCluster makes the snapshots: a server in cluster mode serves the slots of one
// shard after the other, with the keys that a shop has in them.
func makeCluster(argv []string, dir string, keys int) (err error) {
	last := filepath.Join(dir, fmt.Sprintf("shard-%02d.rdb", clusterShards-1))
	if _, err := os.Stat(last); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	s, err := newServer(argv, "--cluster-enabled", "yes", "--cluster-require-full-coverage", "no", "--cluster-port", "27431")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.remove()) }()
	if err := s.start(); err != nil {
		return err
	}
	shards := make([][]int, clusterShards) // numbers of keys
	for i := range keys {
		shard := naming.Slot([]byte(clusterKey(i))) / shardSlots
		shards[shard] = append(shards[shard], i)
	}
	for shard, list := range shards {
		for _, args := range [][]string{{"FLUSHALL"}, {"CLUSTER", "FLUSHSLOTS"},
			{"CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(shard * shardSlots), strconv.Itoa((shard+1)*shardSlots - 1)}} {
			if _, err := s.do(args...); err != nil {
				return err
			}
		}
		if err := s.awaitCluster(); err != nil {
			return err
		}
		if err := s.pipeline(func(send func(args ...string)) {
			for _, i := range list {
				sendClusterKey(send, i)
			}
		}); err != nil {
			return err
		}
		if _, err := s.do("SAVE"); err != nil {
			return err
		}
		if err := copyFile(s.path("dump.rdb"), filepath.Join(dir, fmt.Sprintf("shard-%02d.rdb", shard))); err != nil {
			return err
		}
	}
	return nil
}

// clusterKey returns the name of a key. One in ten has the hash tag of its user.
func clusterKey(i int) string {
	switch i % 10 {
	case 0:
		return fmt.Sprintf("cart:{user:%d}:items", i/50)
	case 1, 2:
		return fmt.Sprintf("order:%d", 1_000_000+i)
	case 3:
		return fmt.Sprintf("queue:%d", i%1000)
	case 4, 5, 6:
		return fmt.Sprintf("session:%016x", uint64(i)*0x9e3779b97f4a7c15)
	}
	return fmt.Sprintf("product:%d:views", i)
}

func sendClusterKey(send func(args ...string), i int) {
	name, number := clusterKey(i), strconv.Itoa(i)
	switch i % 10 {
	case 0:
		send("HSET", name, "sku", number, "count", "2", "added", "2026-10-01")
	case 1, 2:
		send("SET", name, strings.Repeat("order "+number+" ", 4))
	case 3:
		send("RPUSH", name, "job "+number)
	case 4, 5, 6:
		send("SET", name, strings.Repeat("s", 40), "EX", strconv.Itoa(86_400+i%86_400))
	default:
		// A campaign: on each shard fewer expire in one minute than on all together.
		send("SET", name, number, "EXAT", "1893456000")
	}
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
