package main

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// option describes a flag that takes an argument. It is declared and checked in one
// place: add declares it, and set checks and stores the argument while the command
// line is read, so that no command starts with a flag that is wrong.
type option struct {
	name, short string
	arg         string // name of the argument in --help, such as SIZE
	usage       string // {list} is list
	list        string
	value       string // default, as --help shows it; set is not called with it
	words       []string
	set         func(arg string) error
	// hint is shown after an error of set that has none of its own. Its {names} are
	// names, or the words.
	hint, names string
}

// add declares the flag. Its words complete the argument.
func (o option) add(cmd *cobra.Command) {
	cmd.Flags().VarP(&o, o.name, o.short, o.describe(o.usage))
	if o.words != nil {
		cmd.RegisterFlagCompletionFunc(o.name, completeWords(o.words...))
	}
}

// describe returns what --help says of the flag: usage, or its translation, with the list.
func (o *option) describe(usage string) string { return strings.ReplaceAll(usage, "{list}", o.list) }

// Set, String and Type implement pflag.Value.

func (o *option) Set(arg string) error {
	if err := o.set(arg); err != nil {
		return err
	}
	o.value = arg
	return nil
}

func (o *option) String() string { return o.value }
func (o *option) Type() string   { return o.arg }

// writesFile is the hint, for each command that can write a file, for someone who
// writes -o FILE.
var writesFile = map[string]string{"scan": "-f json=FILE", "diff": "-f json=FILE", "keys": "-f csv=FILE",
	"show": "redirect standard output: > FILE"}

// flagError is the usage error of a flag that is unknown or has a wrong argument.
func flagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		problem, hint := message.Of(invalid.Unwrap()), hintOf(err)
		if f, ok := invalid.GetFlag().Value.(*option); !ok && errors.Is(err, strconv.ErrSyntax) {
			problem = message.New("{name} is neither true nor false", message.Element("name", invalid.GetValue()))
		} else if ok && hint.IsZero() {
			names := strings.Split(cmp.Or(f.names, strings.Join(f.words, ", ")), " or ")
			hint = message.New(f.hint, message.Each("names", " or ", "name", names, message.Code))
		}
		exit := usageError("--{name}: {problem}", message.Text("name", invalid.GetFlag().Name),
			message.Phrase("problem", problem))
		exit.hint = hint
		return exit
	}
	hint := message.New(cmd.CommandPath() + " --help")
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		if near := thresholds.Suggest("--"+unknown.GetSpecifiedName(), known); !near.IsZero() {
			hint = near
		}
		if !cmd.HasParent() {
			hint = message.New("flags follow a command: rdblens scan --help")
		}
		if name := unknown.GetSpecifiedName(); name == "o" || name == "output" {
			if to := writesFile[cmd.Name()]; to != "" {
				hint = message.New(to)
			}
		}
	}
	exit := commandError(err)
	if unknown != nil && unknown.GetSpecifiedShortnames() == "" {
		exit = usageError("unknown flag: {name}", message.Code("name", "--"+unknown.GetSpecifiedName()))
	}
	exit.hint = hint
	return exit
}

// exclusive declares that two flags cannot be given together.
func exclusive(cmd *cobra.Command, a, b, hint string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
			return usageError("--{name} and --{a} exclude each other", message.Text("name", a),
				message.Text("a", b)).withHint(hint)
		}
		if before == nil {
			return nil
		}
		return before(cmd, args)
	}
}

// What follows are values of option.set. An empty argument is an error, because a
// script that forgot to set a variable gives one: it would select everything, or
// nothing.

var errEmpty = message.Errorf("empty value")

// textOf accepts any argument that is not empty.
func textOf(target *string) func(string) error {
	return checkedText(target, func(string) error { return nil })
}

// checkedText is textOf for what check accepts, which is called when target is set.
func checkedText(target *string, check func(arg string) error) func(string) error {
	return func(arg string) error {
		if arg == "" {
			return errEmpty
		}
		*target = arg
		return check(arg)
	}
}

// oneOf accepts one of the words. What names the kind of the words in the error.
func oneOf(target *string, what string, words []string) func(string) error {
	return func(arg string) error {
		if !slices.Contains(words, arg) {
			return message.Errorf("unknown "+what+" {name}", message.Element("name", arg))
		}
		*target = arg
		return nil
	}
}

// severityOf accepts severities, and never.
func severityOf(target *thresholds.Severity) func(string) error {
	return func(arg string) error {
		severity, ok := thresholds.ParseSeverity(arg)
		if *target = severity; arg != "never" && (!ok || severity == thresholds.Off) {
			return message.Errorf("unknown severity {name}", message.Element("name", arg))
		}
		return nil
	}
}

// wholeNumber accepts numbers from least to most; math.MaxInt is no limit.
func wholeNumber[T int | int64](target *T, least, most int) func(string) error {
	return func(arg string) error {
		n, err := strconv.Atoi(arg)
		switch {
		case err != nil:
			return message.Errorf("{name} is not a number", message.Element("name", arg))
		case n < 0 && least == 0 && most == math.MaxInt:
			return message.Errorf("{n} is negative", message.Text("n", arg))
		case n < least || n > most:
			return message.Errorf("{n} is not between {least} and {most}", message.Text("n", arg),
				message.Figure("least", int64(least), message.FormNumber), message.Figure("most", int64(most), message.FormNumber))
		}
		*target = T(n)
		return nil
	}
}

// sizeOf accepts sizes of at least the given number of bytes.
func sizeOf(target *int64, least int64) func(string) error {
	return func(arg string) error {
		if arg == "" {
			return errEmpty
		}
		n, err := message.ParseBytes(arg)
		if err != nil || n < least {
			return message.Errorf("{name} is not a size", message.Element("name", arg))
		}
		*target = n
		return nil
	}
}

func durationOf(target *int64) func(string) error {
	return func(arg string) (err error) {
		if *target, err = message.ParseDuration(arg); arg == "" {
			err = errEmpty
		}
		return err
	}
}

// timeOf accepts times, in seconds since the epoch: dates, times without a zone, which
// are in UTC, and those of RFC 3339.
func timeOf(target *int64) func(string) error {
	return func(arg string) error {
		if arg == "" {
			return errEmpty
		}
		for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05",
			time.DateTime, time.RFC3339} {
			if t, err := time.Parse(layout, arg); err == nil {
				*target = t.Unix()
				return nil
			}
		}
		return message.Errorf("{name} is not a time", message.Element("name", arg))
	}
}

// optional makes target point to what set, one of the functions above, accepts.
func optional(target **int64, set func(*int64) func(string) error) func(string) error {
	n := new(int64)
	accept := set(n)
	return func(arg string) error {
		*target = n
		return accept(arg)
	}
}

// eachWord calls set for each of the words of an argument, between commas.
func eachWord(set func(word string) error) func(string) error {
	return func(arg string) error {
		for word := range strings.SplitSeq(arg, ",") {
			if err := set(word); err != nil {
				return err
			}
		}
		return nil
	}
}
