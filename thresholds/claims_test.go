package thresholds

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestClaims checks on a server what texts and advice of the rules say about
// servers.
func TestClaims(t *testing.T) {
	cli := serverForTest(t)
	send := func(commands ...string) string { return run(t, strings.Join(commands, "\n")+"\n", cli) }
	for _, c := range []struct{ claim, setup, command, want string }{
		// cold-key
		{"reading does not extend an expiry", "SET k v EXAT 4102444800\nGET k", "EXPIRETIME k", "4102444800"},
		{"SET removes an expiry", "SET k v EX 100\nSET k w", "PTTL k", "-1"},
		{"GETSET removes an expiry", "SET k v EX 100\nGETSET k w", "PTTL k", "-1"},
		{"APPEND does not", "SET k v EX 100\nAPPEND k w", "PTTL k", ""},
		{"HSET does not", "HSET k f v\nEXPIRE k 100\nHSET k f w g x", "PTTL k", ""},
		{"LPUSH does not", "LPUSH k v\nEXPIRE k 100\nLPUSH k w", "PTTL k", ""},
		{"SUNIONSTORE does", "SADD k v\nEXPIRE k 100\nSADD o w\nSUNIONSTORE k o", "PTTL k", "-1"},
		// compact-encoding
		{"a raised limit does not apply to what is there", "CONFIG SET hash-max-listpack-entries 1\nHSET k a 1 b 2\nCONFIG SET hash-max-listpack-entries 512", "OBJECT ENCODING k", "hashtable"},
		{"nor when it is written next", "CONFIG SET hash-max-listpack-entries 1\nHSET k a 1 b 2\nCONFIG SET hash-max-listpack-entries 512\nHSET k a 3", "OBJECT ENCODING k", "hashtable"},
		{"a collection that shrank stays as it is", "CONFIG SET zset-max-listpack-entries 1\nZADD k 1 a 2 b\nZREM k a\nCONFIG SET zset-max-listpack-entries 128", "OBJECT ENCODING k", "skiplist"},
		// key-type-suffix
		{"RENAMENX keeps the expiry", "SET k v EX 100\nRENAMENX k n", "PTTL n", ""},
		{"RENAMENX does not replace a key", "SET k v\nSET n w\nRENAMENX k n", "GET n", "w"},
		// queue-backlog
		{"LTRIM keeps the newest that RPUSH wrote", "RPUSH k 1 2 3 4 5\nLTRIM k -2 -1", "LRANGE k 0 -1", "4\n5"},
		{"and that LPUSH wrote", "LPUSH k 1 2 3 4 5\nLTRIM k 0 1", "LRANGE k 0 -1", "5\n4"},
		// big-collection
		{"ZREMRANGEBYRANK keeps the highest", "ZADD k 1 a 2 b 3 c 4 d\nZREMRANGEBYRANK k 0 -3", "ZRANGE k 0 -1", "c\nd"},
		{"it removes nothing where there are fewer", "ZADD k 1 a\nZREMRANGEBYRANK k 0 -3", "ZCARD k", "1"},
		{"it removes nothing where there are as many", "ZADD k 1 a 2 b\nZREMRANGEBYRANK k 0 -3", "ZCARD k", "2"},
		// big-stream
		{"acknowledging an entry does not remove it", "XADD k 1-1 f v\nXGROUP CREATE k g 0\nXREADGROUP GROUP g c STREAMS k >\nXACK k g 1-1", "XLEN k", "1"},
	} {
		send("FLUSHALL", c.setup)
		got := strings.TrimSuffix(send(c.command), "\n")
		if n, err := strconv.Atoi(got); got != c.want && (c.want != "" || err != nil || n <= 0) {
			t.Errorf("%s: %q, want %q", c.claim, got, c.want)
		}
	}

	// compact-encoding: "DUMP and RESTORE makes it compact".
	send("FLUSHALL", "CONFIG SET hash-max-listpack-entries 1", "HSET k a 1 b 2", "HDEL k a", "CONFIG SET hash-max-listpack-entries 512")
	dump := strings.TrimSuffix(run(t, "DUMP k\n", cli+"-quoted"), "\n")
	if got := send("OBJECT ENCODING k", "RESTORE k 0 "+dump+" REPLACE", "OBJECT ENCODING k"); got != "hashtable\nOK\nlistpack\n" {
		t.Errorf("a hash that shrank, put back: %q", got)
	}

	// compact-encoding: the memory of the full encoding beside that of the compact one.
	for _, c := range []struct {
		limit, command, element string
		n                       int
		least, most             float64
	}{
		{"hash-max-listpack-entries", "HSET k", " f%d x", 400, 1.5, 20}, {"zset-max-listpack-entries", "ZADD k", " %d m%[1]d", 100, 1.5, 20},
		{"set-max-intset-entries", "SADD k", " 10%d", 500, 1.5, 20}, {"hash-max-listpack-entries", "HSET k", " field%d " + strings.Repeat("x", 60), 400, 1.1, 2.5},
		{"zset-max-listpack-entries", "ZADD k", " %d " + strings.Repeat("m", 56) + "%[1]d", 100, 1.1, 2.5},
	} {
		command := c.command
		for i := range c.n {
			command += fmt.Sprintf(c.element, i)
		}
		sizes := [2]float64{}
		for i, limit := range []string{"512", "1"} {
			n, _ := strconv.Atoi(strings.TrimSpace(send("FLUSHALL", "CONFIG SET "+c.limit+" "+limit, command, "MEMORY USAGE k SAMPLES 0")[len("OK\nOK\n"+strconv.Itoa(c.n)+"\n"):]))
			sizes[i] = float64(n)
		}
		if ratio := sizes[1] / sizes[0]; !(ratio >= c.least && ratio <= c.most) {
			t.Errorf("%.60s...: the full encoding takes %.0f bytes, the compact one %.0f", command, sizes[1], sizes[0])
		}
	}

	// big-key-expiry: the slow log shows the command that found the key expired, and
	// nothing if the server deletes it by itself.
	var fill strings.Builder
	for i := range 2000 {
		fill.WriteString("SADD k")
		for j := range 50 {
			fmt.Fprintf(&fill, " m%d-%d", i, j)
		}
		fill.WriteByte('\n')
	}
	expired := func(then func()) (slow string) {
		send("FLUSHALL", "CONFIG SET slowlog-log-slower-than 1000000000")
		run(t, fill.String(), cli)
		send("CONFIG SET slowlog-log-slower-than 2000", "SLOWLOG RESET", "PEXPIRE k 1")
		then()
		return send("SLOWLOG GET")
	}
	slow := expired(func() {
		for strings.TrimSpace(send("DBSIZE")) != "0" {
			time.Sleep(10 * time.Millisecond)
		}
	})
	if strings.Contains(slow, "\nk\n") { // it may have what redis-cli sends by itself
		t.Errorf("when the server deletes an expired key by itself, the slow log has %q", slow)
	}
	send("CONFIG SET hz 1") // it looks for expired keys once a second
	for attempt := 0; ; attempt++ {
		slow := expired(func() {
			time.Sleep(2 * time.Millisecond)
			send("TYPE k")
		})
		if strings.Contains(slow, "\nTYPE\nk\n") {
			break
		}
		if attempt == 10 {
			t.Errorf("when a client finds a key expired, the slow log has %q", slow)
			break
		}
	}

	// big-stream: XADD with MAXLEN ~ leaves some more, at most a node.
	send("FLUSHALL")
	var adds strings.Builder
	for range 1000 {
		adds.WriteString("XADD k MAXLEN ~ 450 * f v\n")
	}
	run(t, adds.String(), cli)
	if n, _ := strconv.Atoi(strings.TrimSpace(send("XLEN k"))); n <= 450 || n > 450+100 {
		t.Errorf("MAXLEN ~ 450 leaves %d entries", n)
	}

	// single-element: a string takes no more memory.
	usage := func(commands ...string) int {
		send("FLUSHALL")
		send(commands...)
		n, err := strconv.Atoi(strings.TrimSpace(send("MEMORY USAGE k")))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, n := range []int{1, 10, 20, 44, 45, 60, 64, 65, 100, 1000, 5000} {
		v := strings.Repeat("x", n)
		text := usage("SET k " + v)
		for _, collection := range []string{"HSET k f " + v, "SADD k " + v, "ZADD k 1 " + v, "RPUSH k " + v} {
			if other := usage(collection); text > other {
				t.Errorf("a string of %d bytes takes %d bytes, %.6s %d", n, text, collection, other)
			}
		}
	}
}

// TestTextCompressesToHalf checks what large-text says, on Chinese prose, which
// compresses worst.
func TestTextCompressesToHalf(t *testing.T) {
	text, err := os.ReadFile("../README.zh-CN.md")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	if err := w.Close(); err != nil || b.Len() > len(text)*55/100 {
		t.Errorf("%d bytes become %d: %v", len(text), b.Len(), err)
	}
}
