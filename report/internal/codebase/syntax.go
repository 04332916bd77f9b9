package codebase

import (
	"path"
	"strings"
)

// A syntax says how the source of one language is cut into tokens and where its
// declarations are.
type syntax struct {
	jvm       bool   // Java and Kotlin share constants
	hash      bool   // # begins a comment
	slashes   bool   // // and /* */ are comments
	quotes    string // characters that begin a string
	styles    styles // quotes of the strings with each style
	multiline bool   // a string in simple quotes may have several lines
	triple    bool   // three quotes begin a string of several lines
	prefixes  string // letters that may precede a quote

	loose     bool     // a parameter may get another value
	indent    bool     // blocks are known by indentation
	functions []string // keywords before the name of a function
	methods   bool     // a function may have no keyword: name(parameters) {
	typeFirst bool     // the type of a parameter precedes its name
	members   bool     // a member of the class around can be named alone
	getters   bool     // a function may be called without parentheses
	exact     bool     // a call has as many arguments as the function has parameters
	concat    string   // operator that joins strings
	regexes   bool     // / may begin a regular expression
}

// styles are quotes by the bit of a style: raw, dollar, hash, brace and byte texts.
type styles [5]string

var (
	javaScript = &syntax{styles: styles{1: "`"}, getters: true, slashes: true, quotes: "'\"`", functions: []string{"function"}, methods: true, concat: "+", regexes: true}
	python     = &syntax{loose: true, getters: true, hash: true, quotes: "'\"", triple: true, prefixes: "rRbBuUfF", indent: true, functions: []string{"def"}, concat: "+"}
	ruby       = &syntax{loose: true, styles: styles{2: `"`}, getters: true, members: true, hash: true, quotes: "'\"`", multiline: true, indent: true, functions: []string{"def"}, concat: "+", regexes: true}
	php        = &syntax{loose: true, styles: styles{1: `"`, 3: `"`}, hash: true, slashes: true, quotes: "'\"`", multiline: true, functions: []string{"function", "fn"}, concat: "."}
	java       = &syntax{styles: styles{4: "'"}, exact: true, members: true, jvm: true, slashes: true, quotes: "'\"", triple: true, methods: true, typeFirst: true, concat: "+"}
	kotlin     = &syntax{styles: styles{1: `"`, 4: "'"}, getters: true, members: true, jvm: true, slashes: true, quotes: "'\"", triple: true, functions: []string{"fun"}, concat: "+"}
	golang     = &syntax{exact: true, styles: styles{0: "`", 4: "'"}, slashes: true, quotes: "'\"`", functions: []string{"func"}, concat: "+"}
	csharp     = &syntax{styles: styles{4: "'"}, getters: true, members: true, slashes: true, quotes: "'\"", triple: true, prefixes: "$@", methods: true, typeFirst: true, concat: "+"}
	rust       = &syntax{exact: true, slashes: true, quotes: "'\"", multiline: true, prefixes: "rb", functions: []string{"fn"}, concat: "+"}
)

var syntaxes = map[string]*syntax{
	".js": javaScript, ".mjs": javaScript, ".cjs": javaScript, ".jsx": javaScript,
	".ts": javaScript, ".mts": javaScript, ".cts": javaScript, ".tsx": javaScript, ".vue": javaScript,
	".py": python, ".rb": ruby, ".rake": ruby, ".php": php,
	".java": java, ".kt": kotlin, ".kts": kotlin, ".go": golang, ".cs": csharp, ".rs": rust,
}

// syntaxOf returns the syntax of a file, nil if its language is not read.
func syntaxOf(file string) *syntax {
	return syntaxes[strings.ToLower(path.Ext(file))]
}

// shares reports whether a constant of one language may be used in the other.
func (s *syntax) shares(other *syntax) bool {
	return s == other || s.jvm && other.jvm
}

// notFunctions are words that a parenthesis follows and that call nothing.
var notFunctions = wordSet(`if for while switch catch function return foreach using lock fixed sizeof typeof unless until elseif
	match when super constructor await new throw yield synchronized`)

// notNames are words behind which a word with a parenthesis is no method.
var notNames = wordSet("else in is do class record struct")
