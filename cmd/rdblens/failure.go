package main

import (
	"context"
	"errors"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

// failures has the inputs of a command that were not read completely.
type failures struct {
	unread      int // inputs of which nothing could be read
	interrupted bool
	complaints  []complaint
}

type complaint struct {
	err  error
	hint message.Message
}

// failuresOf returns what a ScanError says, and any other error.
func failuresOf(err error) (*failures, error) {
	bad := new(failures)
	var failed report.ScanError
	if !errors.As(err, &failed) {
		return bad, err
	}
	for _, f := range failed {
		bad.add(f.Name, f.Keys, f.Err)
	}
	return bad, nil
}

// add records how the reading of an input ended and how many keys were read. A nil
// err is success.
func (f *failures) add(name string, keys int64, err error) {
	var damage *parser.DamageError
	var missing *report.MissingNodeError
	var c complaint
	switch {
	case err == nil:
		return
	case isInterrupt(err):
		f.interrupted = true
		c.err = inputError(name, message.New("interrupted after {keys}", countOfKeys(keys)))
		c.hint = message.New("the result covers what was read until then")
	case errors.As(err, &damage):
		c.err = inputError(name, message.Of(damage))
		c.hint = message.New("the result covers the {keys} before that", countOfKeys(keys))
		if damage.LastKey != nil {
			c.hint = message.New("the result covers the {keys} before that; the last one is {key}", countOfKeys(keys),
				message.Name("key", shortened(damage.LastKey)))
		}
	case errors.As(err, &missing):
		c = complaint{inputError(name, message.Of(missing)),
			message.New("the result covers the other nodes; CLUSTER NODES may also be older than the snapshots")}
	default:
		f.unread++
		reason, hint := unread(err)
		c = complaint{inputError(name, reason), hint}
	}
	f.complaints = append(f.complaints, c)
}

func (f *failures) complain(e *env) {
	for _, c := range f.complaints {
		e.complain(c.err, c.hint)
	}
}

// end reports the failures and returns the command's error, nil if there are none.
// inputs is the number of all inputs.
func (f *failures) end(e *env, inputs int) error {
	f.complain(e)
	switch {
	case len(f.complaints) == 0:
		return nil
	case f.unread == inputs:
		return &exitError{code: exitUsage}
	}
	return &exitError{code: exitPartial}
}

func countOfKeys(n int64) message.Arg { return message.Number("keys", n, "1 key", "{n} keys") }

func isInterrupt(err error) bool { return errors.Is(err, context.Canceled) }

func shortened(name []byte) []byte {
	const most = 200
	return name[:min(len(name), most)]
}

// outputError returns the error of a result that could not be written, nil for nil.
func outputError(err error) error {
	if known, ok := errors.AsType[*report.OutputError](report.NewOutputError("", err)); ok {
		return &exitError{code: exitUsage, err: known, hint: hintOf(known)}
	}
	return nil
}
