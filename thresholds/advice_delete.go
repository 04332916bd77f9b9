package thresholds

import (
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rdblens/rdblens/parser"
)

// smallCollection is the number of elements up to which DEL takes no time that
// anybody notices.
const smallCollection = 100

// delete advises how to delete a key without blocking the server that wrote it.
func (a *advisor) delete() {
	switch {
	case a.key == "":
		a.say(adviseDelete, nil, "delete.cut")
	case a.server.unlinks():
		a.say(adviseDelete, a.commands("UNLINK %s"), "delete.unlink")
	case a.s.Type == parser.String:
		a.say(adviseDelete, a.commands("DEL %s"), "delete.string")
	case a.s.Elements >= 0 && a.s.Elements <= smallCollection || a.s.Encoding.Compact():
		a.say(adviseDelete, a.commands("DEL %s"), "delete.small")
	default:
		a.deleteBatches()
	}
}

// deleteBatches is for servers before 4.0. redis-cli takes a number before a
// command for how often to send it.
func (a *advisor) deleteBatches() {
	batch := int64(100)
	if a.s.Elements > 100_000 {
		batch = 500
	}
	size := strconv.FormatInt(batch, 10)
	times := strconv.FormatInt((a.s.Elements+batch-1)/batch, 10)
	say := func(key string, commands []string) {
		a.say(adviseDelete, commands, key, "batch", size, "elements", humanize.Comma(a.s.Elements))
	}
	switch a.s.Type {
	case parser.List:
		say("delete.batches", a.commands(times+" LTRIM %s "+size+" -1"))
	case parser.ZSet:
		say("delete.batches", a.commands(times+" ZREMRANGEBYRANK %s 0 "+strconv.FormatInt(batch-1, 10)))
	case parser.Hash:
		say("delete.scan", []string{a.scanLoop("HSCAN", "HDEL", size, "NR%2==0")})
	case parser.Set:
		say("delete.scan", []string{a.scanLoop("SSCAN", "SREM", size, "NR>1")})
	default:
		a.say(adviseDelete, a.commands("DEL %s"), "delete.small")
	}
}

// scanLoop writes a loop of a shell: it scans a batch, takes what the reply
// shows in quotes (the cursor comes first), and gives it back to redis-cli, which
// reads the quotes that it writes. The key stands in single quotes of the shell,
// and QuoteKey leaves none in it.
func (a *advisor) scanLoop(scan, remove, batch, members string) string {
	loop := `c=0; while [ "$c" != end ]; do ` +
		`r=$(printf '%s\n' 'SCAN KEY '"$c"' COUNT BATCH' | redis-cli -n DB --no-raw | sed -n 's/^[^"]*"/"/p'); ` +
		`c=$(printf '%s\n' "$r" | sed -n '1s/"//gp'); [ "${c:-0}" = 0 ] && c=end; ` +
		`m=$(printf '%s\n' "$r" | awk 'MEMBERS' | tr '\n' ' '); ` +
		`[ -n "$m" ] && printf '%s\n' 'REMOVE KEY '"$m" | redis-cli -n DB; ` +
		`done`
	return strings.NewReplacer("SCAN", scan, "REMOVE", remove, "KEY", a.key, "DB", strconv.Itoa(a.s.DB), "BATCH", batch, "MEMBERS", members).Replace(loop)
}
