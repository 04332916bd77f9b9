package thresholds

import (
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
)

// smallCollection is the number of elements up to which DEL takes a negligible
// time.
const smallCollection = 100

// unneeded is the condition of all commands that delete a key.
const unneeded = "if it is no longer needed"

// delete adds how to delete the key without blocking the server that wrote the
// snapshot.
func (x *explainer) delete() {
	switch {
	case x.arg == "":
		x.advise(adviseDelete, nil, "To delete it, no command can be given: its name is longer than what was kept here.")
	case x.server.unlinks():
		x.change(adviseDelete, unneeded, x.commands("UNLINK %s"), "UNLINK removes it at once and frees its memory in the background.")
	case x.key.Type == parser.String:
		x.change(adviseDelete, unneeded, x.commands("DEL %s"), "DEL of a string does not block.")
	case x.key.Elements >= 0 && x.key.Elements <= smallCollection || x.key.Encoding.Compact():
		x.change(adviseDelete, unneeded, x.commands("DEL %s"), "DEL is fast enough: the key is small.")
	default:
		x.deleteBatches()
	}
}

// deleteBatches adds commands for servers before 4.0. redis-cli takes a number
// before a command as the number of times to send it.
func (x *explainer) deleteBatches() {
	batch := int64(100)
	if x.key.Elements > 100_000 {
		batch = 500
	}
	size, times := decimal(batch), decimal((x.key.Elements+batch-1)/batch)
	var commands []string
	where := ""
	switch x.key.Type {
	case parser.List:
		commands = x.commands(times + " LTRIM %s " + size + " -1")
	case parser.ZSet:
		commands = x.commands(times + " ZREMRANGEBYRANK %s 0 " + decimal(batch-1))
	case parser.Hash:
		commands, where = []string{x.scanLoop("HSCAN", "HDEL", size, "NR%2==0")}, ", from a shell that has redis-cli (add -h and -p)"
	case parser.Set:
		commands, where = []string{x.scanLoop("SSCAN", "SREM", size, "NR>1")}, ", from a shell that has redis-cli (add -h and -p)"
	default:
		x.change(adviseDelete, unneeded, x.commands("DEL %s"), "This server has no UNLINK, and blocks until DEL has freed the memory.")
		return
	}
	x.change(adviseDelete, unneeded, commands,
		"In batches of {batch}{where}. This server has no UNLINK, and DEL would block it until all {elements} elements are freed.",
		"batch", size, "where", where, "elements", comma(x.key.Elements))
}

// scanLoop returns a shell loop. It scans a batch, extracts what the reply shows
// in quotes (first the cursor), and passes it back to redis-cli, which can read
// the quoting that it writes. members is an awk condition that selects the lines
// with members. The key is inside single quotes of the shell, and quoteKey leaves
// none in it.
func (x *explainer) scanLoop(scan, remove, batch, members string) string {
	loop := `c=0; while [ "$c" != end ]; do ` +
		`r=$(printf '%s\n' 'SCAN KEY '"$c"' COUNT BATCH' | redis-cli -n DB --no-raw | sed -n 's/^[^"]*"/"/p'); ` +
		`c=$(printf '%s\n' "$r" | sed -n '1s/"//gp'); [ "${c:-0}" = 0 ] && c=end; ` +
		`m=$(printf '%s\n' "$r" | awk 'MEMBERS' | tr '\n' ' '); ` +
		`[ -n "$m" ] && printf '%s\n' 'REMOVE KEY '"$m" | redis-cli -n DB; ` +
		`done`
	return strings.NewReplacer("SCAN", scan, "REMOVE", remove, "KEY", x.arg, "DB", strconv.Itoa(x.key.DB), "BATCH", batch, "MEMBERS", members).Replace(loop)
}
