// Command rdblens reads Redis and Valkey snapshots offline, in one pass of
// bounded memory, holds every key against a profile of rules, and reports.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/rdblens/rdblens/internal/text"
	"github.com/rdblens/rdblens/report"
)

// Exit codes. A partial result wins over findings.
const (
	exitDone     = 0
	exitFindings = 1 // findings at or above --fail-on
	exitUsage    = 2 // wrong use, nothing could be read, or the result could not be written
	exitPartial  = 3 // damaged or interrupted: the result covers what was read
)

func main() {
	// A closed pipe is an error of the write, which we answer ourselves: dying of
	// the signal could leave a temporary file.
	signal.Ignore(syscall.SIGPIPE)
	collectLate()
	signals := endings()
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, func() { endOnNextSignal(signals) })
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings are the signals that end a pass. The end of a terminal is one, but for
// a process that was begun with that ignored, as nohup does.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// collectLate keeps the garbage collector away from a heap that is small anyway,
// and eager where it is not.
func collectLate() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300) // that is, not before there are 12 MB
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(96 << 20)
	}
}

// endOnNextSignal ends the process at the second signal: the first one ended
// the pass, and whatever still blocks (the reader of a pipe, a network disk)
// may never answer.
func endOnNextSignal(signals []os.Signal) {
	next := make(chan os.Signal, 1)
	signal.Notify(next, signals...)
	<-next
	report.RemoveUnfinished()
	os.Exit(exitPartial)
}

// run is the whole command: it gives the exit code. When ctx ends, the pass
// stops and what was read until then is reported.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr}
	root := newRoot(e)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = usageError(err.Error(), "rdblens --help")
	}
	if closedPipe(exit.err) {
		return exitDone // the reader has what it wanted
	}
	if exit.err != nil {
		e.complain(exit.err, exit.hint)
	}
	return exit.code
}

// env is what a command has of the world around it.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// complain writes an error and, on a line of its own, what to do about it. An
// error can quote foreign bytes; the terminal sees none of them raw.
func (e *env) complain(err error, hint string) {
	fmt.Fprintf(e.stderr, "rdblens: %s\n", text.SanitizeLines(err.Error()))
	if hint != "" {
		fmt.Fprintf(e.stderr, "hint: %s\n", text.SanitizeLines(hint))
	}
}

// exitError ends the command with a code. A nil err says nothing: all has been
// said.
type exitError struct {
	code int
	err  error
	hint string // what to do, "" nothing comes to mind
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is a mistake in the command line.
func usageError(text, hint string) *exitError {
	text, _, _ = strings.Cut(text, "\n")
	return &exitError{code: exitUsage, err: errors.New(text), hint: hint}
}

// closedPipe reports whether an error says that the reader of our output went
// away, as head does when it has enough: nobody is left to tell.
func closedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
