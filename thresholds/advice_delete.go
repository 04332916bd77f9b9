package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// smallCollection is the number of elements up to which DEL takes a negligible
// time.
const smallCollection = 100

// unneeded is the condition of all commands that delete a key.
var unneeded = message.New("if it is no longer needed")

// delete adds how to delete the key without blocking the server that wrote the
// snapshot.
func (x *explainer) delete() {
	text := "UNLINK removes it at once and frees its memory in the background."
	var words []message.Arg
	if id := x.key.Identity; id != nil {
		text, words = text+" {loses}", id.words()
	}
	switch {
	case x.deleteThrough():
	case x.isCut:
		x.advise(adviseDelete, nil, "To delete it, no command can be given: its name is longer than what was kept here.")
	case x.server.unlinks():
		x.change(adviseDelete, unneeded, x.commands("UNLINK {key}"), text, words...)
	case x.key.Type == parser.String:
		x.change(adviseDelete, unneeded, x.commands("DEL {key}"), "DEL of a string does not block.")
	case x.key.Elements >= 0 && x.key.Elements <= smallCollection || x.key.Encoding.Compact():
		x.change(adviseDelete, unneeded, x.commands("DEL {key}"), "DEL is fast enough: the key is small.")
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
	times := (x.key.Elements + batch - 1) / batch
	command := "DEL {key}"
	id := "In batches of {batch}. This server has no UNLINK, and DEL would block it until all {elements} elements " +
		"are freed."
	switch x.key.Type {
	case parser.List:
		command = "{times} LTRIM {key} {batch} -1"
	case parser.ZSet:
		command = "{times} ZREMRANGEBYRANK {key} 0 {last}"
	case parser.Hash, parser.Set:
		command = scanLoop
		id = "In batches of {batch}, from a shell that has redis-cli (add -h and -p). This server has no UNLINK, and DEL " +
			"would block it until all {elements} elements are freed."
	default:
		id = "This server has no UNLINK, and blocks until DEL has freed the memory."
	}
	scan, remove, members := "SSCAN", "SREM", "NR>1"
	if x.key.Type == parser.Hash {
		scan, remove, members = "HSCAN", "HDEL", "NR%2==0"
	}
	commands := x.command(command, plainNumber("times", times), plainNumber("batch", batch), plainNumber("last", batch-1),
		plainNumber("db", int64(x.key.DB)),
		message.Text("scan", scan), message.Text("remove", remove), message.Text("members", members))
	if x.key.Type == parser.Hash || x.key.Type == parser.Set {
		commands = commands[len(commands)-1:] // it names the database itself
	}
	x.change(adviseDelete, unneeded, commands, id, message.Int("batch", batch), message.Int("elements", x.key.Elements))
}

// scanLoop is a shell loop. It scans a batch, extracts what the reply shows in
// quotes (first the cursor), and passes it back to redis-cli, which can read
// the quoting that it writes. The awk condition {members} selects the lines with members.
// The key is inside single quotes of the shell, and quoteKey leaves none in it.
const scanLoop = `c=0; while [ "$c" != end ]; do ` +
	`r=$(printf '%s\n' '{scan} {key} '"$c"' COUNT {batch}' | redis-cli -n {db} --no-raw | sed -n 's/^[^"]*"/"/p'); ` +
	`c=$(printf '%s\n' "$r" | sed -n '1s/"//gp'); [ "${c:-0}" = 0 ] && c=end; ` +
	`m=$(printf '%s\n' "$r" | awk '{members}' | tr '\n' ' '); ` +
	`[ -n "$m" ] && printf '%s\n' '{remove} {key} '"$m" | redis-cli -n {db}; ` +
	`done`
