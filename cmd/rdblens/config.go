package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

func newConfig(e *env) *cobra.Command {
	var flags policyFlags
	check := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Say what is wrong with a configuration, and what it changes",
		Long: "Check a configuration (default " + teamConfig +
			"): its problems, what it changes, and ignores that have ended",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := inForce(strings.Join(args, ""))
			if path == "" && err == nil {
				err = usageError("there is no " + teamConfig +
					" in the current directory").withHint("rdblens config init writes one")
			}
			if err != nil {
				return err
			}
			return e.configCheck(cmd.Context(), path)
		},
	}
	profile := thresholds.DefaultProfile
	create := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a configuration with every setting in a comment",
		Long:  "Write a configuration with every setting in a comment (default " + teamConfig + ", - is standard output)",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.configInit(cmp.Or(strings.Join(args, ""), teamConfig), e.commented(config.Template(profile)))
		},
	}
	profileOption(&profile).add(create)
	show := &cobra.Command{
		Use:   "show",
		Short: "Print every value that applies and where it was set",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.configShow(cmd.Context(), &flags)
		},
	}
	flags.register(show)
	show.Flags().BoolVar(&flags.cluster, "cluster", false, "as for a cluster node")
	schema := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of configurations, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := e.stdout.Write(config.Schema())
			return outputError(err)
		},
	}
	return group("config", "Write, check and show the team's configuration", create, newConfigSuggest(e), check, show,
		schema)
}

// configInit writes a file that does not exist yet.
func (e *env) configInit(path string, template []byte) error {
	if path == "-" {
		_, err := e.stdout.Write(template)
		return outputError(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		exit := inputFailed(exitUsage, path, "{error}", message.Reason("error", reasonOf(err)))
		if errors.Is(err, fs.ErrExist) {
			return exit.withHint("rdblens config check {file}", message.Path("file", path))
		}
		return exit
	}
	_, err = f.Write(template)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return outputError(err)
	}
	_, err = fmt.Fprintln(e.stdout, e.line(message.New("{file}: written", message.Path("file", path))))
	return outputError(err)
}

// comment is a line of a configuration that ends with what a command, a rule or a value is.
var comment = regexp.MustCompile(`^(#   rdblens [a-z ]+  +|#  # )(.*)$`)

func (e *env) commented(yaml []byte) []byte {
	if e.language == language.English {
		return yaml
	}
	var out strings.Builder
	var words []string // of a comment that goes on
	for line := range strings.Lines(string(yaml)) {
		if s := strings.TrimSpace(strings.TrimPrefix(line, "# ")); s != strings.TrimSpace(line) && line[2] != ' ' {
			words = append(words, s)
			continue
		}
		if words != nil {
			out.WriteString(text.Wrap("# ", "# ", e.t(strings.Join(words, " ")), 90))
			words = nil
		}
		if item := comment.FindStringSubmatch(strings.TrimSuffix(line, "\n")); item != nil {
			line = item[1] + e.t(item[2]) + "\n"
		}
		out.WriteString(line)
	}
	return []byte(out.String())
}

func (e *env) configCheck(ctx context.Context, path string) error {
	policy, err := readPolicy(ctx, config.Options{Config: path})
	if err != nil {
		return policyError(err)
	}
	problems := config.Contradictions(policy)
	w := bufio.NewWriter(e.stdout)
	state := "{file}: ok, {settings}"
	if len(problems) > 0 {
		state = "{file}: {settings}"
	}
	fmt.Fprintln(w, e.line(message.New(state, message.Path("file", path),
		message.List("settings", ", ", countSettings(policy)))))
	keys := ""
	for _, c := range config.Changes(policy) {
		if c.Keys != keys {
			keys = c.Keys
			fmt.Fprintf(w, "  %s\n", e.line(message.New("keys {key}:", message.Name("key", keys))))
		}
		what := message.New("{now}", message.Text("now", c.After), message.Text("setting", c.Before))
		switch {
		case c.Idle != "":
			what.ID = c.Idle
		case c.Word() == "changed":
			what.ID = "{now} (was {setting})"
		case c.Word() == "off":
			what.ID = "(was {setting})"
		}
		fmt.Fprintf(w, "  %s %-18s %s\n", padded(e.t(c.Word()), 8), c.Rule, e.line(what))
	}
	for i := range policy.Ignores {
		if in := &policy.Ignores[i]; in.Ended(time.Now()) {
			fmt.Fprintf(w, "  %s %s\n", padded(e.t("ended"), 8),
				e.line(message.New("ignore of {rule}, key {key}, on {day} ({file}): its findings count again",
					message.Text("rule", strings.Join(in.Names, ",")),
					message.Name("key", in.Pattern()), message.Text("day", in.LastDay()), message.Path("file", in.Origin.String()))))
		}
	}
	if err := outputError(w.Flush()); err != nil || len(problems) == 0 {
		return err
	}
	return policyError(problems)
}

// inForce returns the path of a configuration: the given one, or that of the current
// directory, "" if there is none.
func inForce(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	if _, err := os.Lstat(teamConfig); err != nil {
		return "", nil
	}
	if info, err := os.Stat(teamConfig); err == nil && !info.Mode().IsRegular() {
		return "", usageError(teamConfig +
			" in the current directory is not a regular file").withHint("remove it, or name a configuration with --config")
	}
	return teamConfig, nil
}

func (e *env) loadPolicy(ctx context.Context, options config.Options) (*thresholds.Policy, error) {
	policy, err := readPolicy(ctx, options)
	if err != nil {
		return nil, policyError(err)
	}
	for _, w := range policy.Warnings {
		e.warn(w)
	}
	return policy, nil
}

// readPolicy is config.Load, except that reading ends with ctx where the
// configuration is a pipe from the shell or a device. A named pipe is refused: to
// open one takes as long as nobody writes to it.
func readPolicy(ctx context.Context, options config.Options) (*thresholds.Policy, error) {
	path := options.Config
	info, err := os.Stat(path)
	if path == "" || err != nil || info.Mode().IsRegular() {
		return config.Load(options)
	}
	inherited := path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
	if info.Mode()&fs.ModeNamedPipe != 0 && !inherited {
		return nil, inputFailed(exitUsage, path,
			"not a regular file").withHint("a configuration is a file, or comes from the shell: --config /dev/stdin, " +
			"--config <(...)")
	}
	yaml, err := io.ReadAll(io.LimitReader(newPump(ctx, func() (io.Reader, error) { return os.Open(path) }),
		config.MaxBytes+1))
	if isInterrupt(err) {
		return nil, inputFailed(exitPartial, path, "interrupted while the configuration was read")
	}
	if err != nil {
		return nil, err
	}
	return config.LoadText(options, yaml)
}

// countSettings counts what a configuration sets: "extends aliyun, 1 rule changed".
func countSettings(p *thresholds.Policy) []message.Message {
	parts := []message.Message{message.New("extends {profile}", message.Text("profile", p.Profile.Value))}
	count := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, message.Plural(int64(n), "1 "+one, "{n} "+many))
		}
	}
	rules := 0
	for i := range p.Settings {
		if setInFile(&p.Settings[i]) {
			rules++
		}
	}
	count(rules, "rule changed", "rules changed")
	count(len(p.Overrides), "override", "overrides")
	count(len(p.Ignores), "ignored finding", "ignored findings")
	count(len(p.Budgets), "budget", "budgets")
	count(len(p.Namespaces), "namespace", "namespaces")
	count(len(p.Abbreviations), "abbreviation", "abbreviations")
	count(len(p.Identities), "identity", "identities")
	return parts
}

// setInFile reports whether the team's file sets anything of a rule.
func setInFile(s *thresholds.Setting) bool {
	found := s.Origin.Kind == thresholds.FromFile
	for _, l := range s.Limits {
		found = found || l.Origin.Kind == thresholds.FromFile
	}
	for _, v := range s.Params {
		found = found || v.Origin.Kind == thresholds.FromFile
	}
	return found
}

// alignedValue is the width of a value, in columns, up to which the column of origins
// makes room for it.
const alignedValue = 24

func (e *env) configShow(ctx context.Context, flags *policyFlags) error {
	policy, err := flags.load(ctx, e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(e.stdout)
	paths, values := 0, 0
	entries := config.Entries(policy)
	for i := range entries {
		entry := &entries[i]
		entry.Path, entry.Value = text.SanitizeLines(entry.Path), text.SanitizeLines(entry.Value)
		paths = max(paths, text.Width(entry.Path))
		if n := text.Width(entry.Value); n <= alignedValue {
			values = max(values, n)
		}
	}
	for _, entry := range entries {
		fmt.Fprintf(w, "%s  %s  # %s\n", padded(entry.Path, paths), padded(entry.Value, values),
			text.SanitizeLines(entry.Origin.String()))
	}
	return outputError(w.Flush())
}

func padded(s string, n int) string { return s + strings.Repeat(" ", max(0, n-text.Width(s))) }

// policyError is an error of a configuration, or of the flags that select rules.
func policyError(err error) error {
	exit := &exitError{code: exitUsage, err: err}
	if errors.As(err, &exit) {
		return err
	}
	switch exit.hint = hintOf(err); {
	case !exit.hint.IsZero():
	case errors.Is(err, fs.ErrNotExist):
		exit.hint = message.New("check the path; without --config, " + teamConfig +
			" in the current directory is used if it exists")
	default:
		exit.hint = message.New("rdblens config check reports the problems of a configuration")
	}
	return exit
}
