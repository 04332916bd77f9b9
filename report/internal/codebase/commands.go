package codebase

import (
	_ "embed" // commands.txt
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A command is what a call does to a key.
type command struct {
	name    string // of the server, such as HSET
	kind    string // type of the key: "" any
	writes  bool
	all     bool // every argument is a key
	unusual bool // hardly anything but a client of the server has a method of that name
	jvm     bool // the method is one of Redisson
	cache   bool // the method is one of a cache, which may be on the server
}

func (c *command) isCache() bool { return c != nil && c.cache }

// commandLines has the names of methods, behind the type of the keys, "write" or "read", and "all"
// where every argument is a key, or "jvm" for those of Redisson. A ~ precedes those that many other
// classes have; those that name a command in other words are method=COMMAND.
//
//go:embed commands.txt
var commandLines string

// commands are by the lower-case name of a method, without _ and the suffix Async.
var commands = sync.OnceValue(func() map[string]*command {
	commands := map[string]*command{}
	about := ""
	for line := range strings.Lines(commandLines) {
		if head, list, ok := strings.Cut(line, ":"); ok {
			about, line = head, list
		}
		kind, how, _ := strings.Cut(about, " ")
		for method := range strings.FieldsSeq(line) {
			plain, common := strings.CutPrefix(method, "~")
			method, name, renamed := strings.Cut(plain, "=")
			if !renamed {
				name = strings.ToUpper(method)
			}
			commands[method] = &command{name: name, kind: strings.TrimPrefix(kind, "any"),
				writes: strings.HasPrefix(how, "write"),
				all:    strings.HasSuffix(how, "all"), jvm: strings.HasSuffix(how, "jvm"), unusual: !common}
		}
	}
	commands["geoadd"].kind = "zset"
	return commands
})

// commandOf returns the command that a method is named after, nil if none.
func commandOf(method string) *command {
	lower := strings.ToLower(strings.TrimRight(method, "?!"))
	plain := strings.ReplaceAll(lower, "_", "")
	c := commands()[strings.TrimSuffix(plain, "async")]
	if c != nil && plain != lower && !strings.HasPrefix(strings.TrimPrefix(plain, "mapped"), strings.ToLower(c.name)) {
		return nil // key_type is no name of KeyType
	}
	return c
}

// extensions are commands of methods of StackExchange.Redis.Extensions, which other classes have, too.
var extensions = map[string]*command{"addasync": commandOf("set"), "replaceasync": commandOf("set"),
	"removeasync": commandOf("del")}

// operations are the kinds of keys that the operations of a template of Spring are about.
var operations = map[string]string{"opsforvalue": "string", "opsforhash": "hash", "opsforlist": "list",
	"opsforset": "set", "opsforzset": "zset",
	"opsforstream": "stream", "opsforhyperloglog": "string", "opsforgeo": "zset"}

// operation returns what a method of such operations does, nil if it is no method of
// them.
func operation(receiver, method string) *command {
	kind := operations[lastWord(receiver)]
	if kind == "" {
		return nil
	}
	lower := strings.ToLower(method)
	if c := commandOf(method); c != nil && (c.kind == kind || c.kind == "") {
		return &command{name: c.name, kind: kind, writes: c.writes, unusual: true}
	}
	c := &command{name: method, kind: kind, unusual: true}
	for _, verb := range [...]string{"add", "put", "set", "increment", "decrement", "append", "pop", "remove", "move",
		"trim", "delete", "unionandstore"} {
		c.writes = c.writes || strings.HasPrefix(lower, verb)
	}
	switch kind + " " + lower {
	case "set add":
		c.name = "SADD"
	case "zset add", "zset addifabsent":
		c.name = "ZADD"
	case "hash put", "hash putall", "hash putifabsent":
		c.name = "HSET"
	case "hash get", "hash multiget", "hash entries":
		c.name = "HGET"
	case "stream add":
		c.name = "XADD"
	case "string increment":
		c.name = "INCR"
	case "string decrement":
		c.name = "DECR"
	}
	return c
}

// raw are methods that take the name of a command as their first text.
var raw = wordSet(`do send call cmd execute sendcommand send_command execute_command executecommand executeraw rawcommand
	executeasync doraw docontext dowithtimeout command`)

// scripts are methods that take a list of the keys which a script uses.
var scripts = wordSet(`eval evalsha evalro run runro evalasync scriptevaluate scriptevaluateasync fcall evalsharo
	_evalscript evalscript runscript execscript executescript`)

// collections are methods of maps in memory.
var collections = wordSet(`remove containskey containsvalue putifabsent putall getordefault computeifabsent trygetvalue`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// servers are words in the name of a variable or a class that holds a client.
var servers = []string{"redis", "rdb", "jedis", "valkey", "keydb", "redisson", "lettuce", "opsfor", "boundops",
	"hredis"}

// clients are names that hold a client in a file that is about Redis.
var clients = wordSet(`r c rc rd pipe pipeline pipeliner p multi tx trx transaction trans conn connection client db batch m redis_connection
	con piped kv store cache commands sync async cluster database pool storage backend sessionstore redisdb broker driver cmd`)

// ofServer reports whether names say that a value is a client of the server: not those of a userDB or a cardBalance.
func ofServer(path string) bool {
	return slices.ContainsFunc(servers, func(word string) bool {
		at := strings.Index(path, word)
		return at == 0 || at > 0 && (word != "rdb" || strings.IndexByte("aeiou", path[at-1]) < 0)
	})
}

// notClient reports whether a name says that a value is something else that has to do
// with a server: its address, its options, or what it returned.
func notClient(name string) bool {
	if strings.HasPrefix(name, "opsfor") || strings.HasPrefix(name, "bound") {
		return false
	}
	for _, end := range [...]string{"config", "conf", "options", "opts", "kwargs", "args", "url", "uri", "data", "keys",
		"result", "results",
		"hash", "value", "values", "settings", "params", "info", "env", "map", "dict", "key", "response", "reply", "mock",
		"headers", "control", "factory", "backends", "servers", "clients", "connections", "databases", "instances"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "decode") || strings.HasPrefix(name, "parse")
}

// prefixOptions are options of clients whose value begins every key.
var prefixOptions = wordSet(`keyprefix key_prefix redis_prefix redisprefix redis_key_prefix rediskeyprefix instancename optprefix`)

// keyLike reports whether a name says that its value is a key, or the beginning of
// one.
func keyLike(name string) bool {
	s := strings.ToLower(name)
	return strings.Contains(s, "key") && !slices.ContainsFunc([]string{"keyword", "keyboard", "primary"},
		func(other string) bool {
			return strings.Contains(s, other)
		})
}

// keysOfScript returns the keys of a script, whose number precedes them.
func keysOfScript(args []*node) []*node {
	if len(args) < 3 || args[1].kind != textNode {
		return nil
	}
	n, _ := strconv.Atoi(args[1].text)
	return args[2 : 2+max(0, min(n, len(args)-2))]
}

// rawCall notes the key of a call with the name of a command: Do("SET", key). It reports whether the call has one.
func (c *collector) rawCall(i int, lower, receiver string, args []*node, t *token) bool {
	for n := 0; n < 2 && n < len(args); n++ {
		a := args[n]
		if a.kind == listNode && len(a.args) > 1 {
			args, n, a = a.args, 0, a.args[0]
		}
		if a.kind != textNode {
			continue
		}
		command := commandOf(a.text)
		if command == nil || !strings.EqualFold(a.text, command.name) {
			return false
		}
		var key *node
		if n+1 < len(args) {
			key = args[n+1]
		} else if open := i + 1; lower == "cmd" && c.match[open] > 0 {
			key = c.argumentOf(int(c.match[open]) + 1)
		}
		if key = c.bound(key); key == nil {
			return true
		}
		if key.kind == listNode && len(key.args) > 0 {
			key = key.args[0]
		}
		for n := key; n.kind == callNode && strings.HasPrefix(n.text, "Add") && n.of != nil; n = n.of {
			if n.of.kind == wordNode && n.of.text == "Args" && len(n.args) > 0 { // redis.Args{}.Add(key)
				key = n.args[0]
			}
		}
		if c.file.redis || ofServer(receiver) {
			c.site(&site{key: key, command: command, sure: Certain, expiry: c.rawExpiry(i, command)}, t)
		}
		return true
	}
	return false
}
