// Package message has the program's sentences as values, and writes its figures.
//
// A [Message] is an English template with typed arguments. Findings, advice, errors,
// warnings and hints stay messages until a writer renders them in the reader's
// language. Redaction replaces arguments that are names; it never parses text.
//
// Each kind of figure is written in one way, in limits and messages, tables and
// documentation:
//
//	size          512 B   10 KB   3.8 MB     a KB is 1024 bytes, as in a server's configuration
//	exact size    20,480 bytes
//	count         1,024
//	duration      30d   3d 4h   12m 5s
//	percentage    12.5%
//	multiple      10x
//	time          2026-11-22 03:50:00 UTC
//
// The Format functions write for people: rounded, except where the name says Exact.
// Figures for machines are plain integers in the unit (bytes, seconds) and need no
// formatting.
//
// A [Unit] is what a limit counts. Its Parse and Format are exact inverses; Parse
// accepts more: 10KB, 10 K and 10 KiB; 5000 and 5_000; 1w 2d.
package message
