// Command rdblens reads Redis and Valkey snapshots offline, in one pass with
// bounded memory, checks every key against a rule profile, and reports.
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

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/language"
)

// Exit codes. A partial result takes precedence over findings.
const (
	exitDone     = 0
	exitFindings = 1 // findings at or above --fail-on
	exitUsage    = 2 // usage error, nothing could be read, or the result could not be written
	exitPartial  = 3 // damaged or interrupted: the result covers what was read
)

func main() {
	// A closed pipe is an error of the write. The signal would end the process and
	// could leave a temporary file.
	signal.Ignore(syscall.SIGPIPE)
	tuneGC()
	signals := stopSignals()
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, func() { endOnNextSignal(signals) })
	go removeBeforeDump()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// stopSignals returns the signals that stop a pass. The hangup of a terminal is
// one, unless the process was started to ignore it, as nohup does.
func stopSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// tuneGC makes the garbage collector lazy while the heap is small.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the first collection is at 16 MB
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(41 << 20) // garbage counts: with few keys in use, 64 MB of the system are enough
	}
}

// endOnNextSignal ends the process at the second signal. The first one stopped the
// pass, and what still blocks (the reader of a pipe, a network disk) may never
// return.
func endOnNextSignal(signals []os.Signal) {
	next := make(chan os.Signal, 1)
	signal.Notify(next, signals...)
	<-next
	restoreTerminal()
	report.RemoveUnfinished()
	os.Exit(exitPartial)
}

// removeBeforeDump removes temporary files before a signal ends the process with
// the stacks of its goroutines.
func removeBeforeDump() {
	sent := make(chan os.Signal, 1)
	signal.Notify(sent, syscall.SIGQUIT, syscall.SIGABRT)
	s := <-sent
	restoreTerminal()
	report.RemoveUnfinished()
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		select {} // until the signal arrives
	}
	os.Exit(exitUsage)
}

// run runs the command line and returns the exit code. When ctx ends, the pass
// stops, and what was read until then is reported.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{args: args, stdin: stdin, stdout: stdout, stderr: stderr, help: helpWriter{Writer: stdout}}
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if e.help.err != nil {
		err = outputError(e.help.err)
	}
	if err == nil {
		return exitDone
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = commandError(err)
	}
	if closedPipe(exit.err) {
		return exitDone // the reader needs no more
	}
	if exit.err != nil {
		e.complain(exit.err, exit.hint)
	}
	return exit.code
}

// helpWriter is standard output for what cobra writes: help, versions and
// completions. It keeps the first error, which cobra drops for its help.
type helpWriter struct {
	io.Writer
	err error
}

func (h *helpWriter) Write(p []byte) (int, error) {
	n, err := h.Writer.Write(p)
	if h.err == nil {
		h.err = err
	}
	return n, err
}

type env struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	help           helpWriter
	language       language.Language
	redactions     []*redactFlags // of the commands that have them
}

// commandLine returns the command line, as a shell would take it. What a URL has
// behind its path is left out, because it can be a signature; the address of a line of
// source code, --source-url, is whole.
func (e *env) commandLine() string {
	words := []string{"rdblens"}
	for _, arg := range e.args {
		if i := strings.Index(arg, "://"); i >= 0 && !strings.Contains(arg, "{path}") {
			i = strings.LastIndexByte(arg[:i], '=') + 1 // behind a label or an option
			arg = arg[:i] + withoutSecrets(arg[i:])
		}
		words = append(words, shellWord(arg))
	}
	return strings.Join(words, " ")
}

// shellWord returns a word as a shell takes it.
func shellWord(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n'\"\\$&|;<>*?()[]{}!#~`") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// exitError ends the command with a code. If err is nil, everything has been
// reported already.
type exitError struct {
	code int
	err  error
	hint message.Message // what to do, zero if unknown
}

func (e *exitError) withHint(id string, args ...message.Arg) *exitError {
	e.hint = message.New(id, args...)
	return e
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError returns the error of a wrong command line.
func usageError(id string, args ...message.Arg) *exitError {
	return &exitError{code: exitUsage, err: message.Errorf(id, args...)}
}

// commandError returns the error of cobra for a wrong command line.
func commandError(err error) *exitError {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return usageError("{error}", message.Foreign("error", text)).withHint("rdblens --help")
}

// closedPipe reports whether an error says that the reader of the output has gone,
// as head does when it has enough.
func closedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
