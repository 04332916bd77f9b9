package report

import (
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/report/internal/serverinfo"
	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds/config"
)

// TestPartsOfUsedMemory makes servers whose memory is not keys, and checks that the cause
// is named, and that the parts add up to used_memory.
func TestPartsOfUsedMemory(t *testing.T) {
	t.Parallel()
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	big := strings.Repeat("x", 1<<20)
	for want, c := range map[string]struct {
		args []string
		do   func(t *testing.T, s *testtool.Server)
	}{
		"backlog": {[]string{"--repl-backlog-size", "16mb", "--repl-diskless-sync", "no"}, func(t *testing.T, s *testtool.Server) {
			replica := dial(t, s)
			fmt.Fprint(replica, "PSYNC ? -1\r\n")
			if _, err := replica.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			s.Do(lines(8, "SET key:%d "+big))
			replica.Close()
			s.Do(lines(8, "DEL key:%d") + lines(2000, "SET key:%d value"))
		}},
		"clients": {nil, func(t *testing.T, s *testtool.Server) {
			s.Do("SET big " + big)
			client := dial(t, s)
			for range 40 {
				fmt.Fprint(client, "GET big\r\n")
			}
			client.Read(make([]byte, 1))
			number := func(name string) int {
				n, err := strconv.Atoi(regexp.MustCompile(name + `:(\d+)`).FindStringSubmatch(s.Do("INFO memory"))[1])
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			// The server counts the buffers of its clients by a timer, which may come while the replies are written.
			for before := 0; ; time.Sleep(200 * time.Millisecond) {
				clients := number("mem_clients_normal")
				if clients == before && clients > number("used_memory")/2 {
					break
				}
				before = clients
			}
		}},
		"scripts": {nil, func(t *testing.T, s *testtool.Server) {
			s.Do(lines(2000, "SET key:%d value") + lines(3000, `SCRIPT LOAD "return %d --`+big[:2000]+`"`))
		}},
		"slack": {nil, func(t *testing.T, s *testtool.Server) {
			s.Do("EVAL \"for i=1,100000 do redis.call('HSET', 'h', 'field:'..i, i) end for i=1,87000 do redis.call('HDEL', 'h', 'field:'..i) end\" 0\nSCRIPT FLUSH")
		}},
		"rehash": {[]string{"--activerehashing", "no"}, func(t *testing.T, s *testtool.Server) {
			s.Do("EVAL \"for i=1,131074 do redis.call('SET', 'key:'..i, 1) end\" 0\nSCRIPT FLUSH") // the table of 131,072 is full
		}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s := testtool.Redis(t, c.args...)
			c.do(t, s)
			info := &serverinfo.Info{}
			s.Do("SAVE")
			if err := info.Add(strings.NewReader(s.Do("INFO everything\nMEMORY STATS\n"))); err != nil {
				t.Fatal(err)
			}
			r, err := Scan(t.Context(), []Source{FileSource(filepath.Join(s.Dir, "dump.rdb"))}, policy, Options{Info: info})
			if err != nil {
				t.Fatal(err)
			}
			m := r.Inputs[0].Memory
			var sum int64
			for _, p := range m.Parts {
				if t.Logf("%-14s %10d %s %v", p.Name, p.Bytes, p.Basis, p.Outside); !p.Outside {
					sum += p.Bytes
				}
			}
			used, _ := info.Get("used_memory")
			if got := m.cause(); got == nil || got.Name != want || sum != used || int64(m.UsedMemory) != used {
				t.Errorf("%+v; the parts add up to %d, used_memory is %d", got, sum, used)
			}
			t.Log(english(m.partsSentence()))
		})
	}
}

// dial opens a connection to a server that ends with the test.
func dial(t *testing.T, s *testtool.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", s.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
