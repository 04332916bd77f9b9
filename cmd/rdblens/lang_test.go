package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds"
)

// TestHelpTranslated lists the text of the commands' help, of the rules' documentation
// and of the requirements that cannot be checked that has no translation.
func TestHelpTranslated(t *testing.T) {
	check := func(where, s string) {
		message.New(s).Missing(language.Chinese.Catalogue(), func(id string) { testtool.Untranslated(t, where, id) })
	}
	root := newRoot(&env{stdout: io.Discard, stderr: io.Discard})
	root.InitDefaultHelpCmd()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		check(path, cmd.Short)
		for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
			if !strings.HasPrefix(paragraph, " ") && !strings.HasPrefix(path, "rdblens completion ") {
				check(path, strings.ReplaceAll(paragraph, "\n", " "))
			}
			for line := range strings.Lines(paragraph) {
				if item := helpItem.FindStringSubmatch(strings.TrimSuffix(line, "\n")); item != nil {
					check(path, item[2])
				}
			}
		}
		for line := range strings.Lines(cmd.Example) {
			if question, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  # "); ok {
				check(path, question)
			}
		}
		cmd.InitDefaultHelpFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			usage := f.Usage
			if o, ok := f.Value.(*option); ok {
				usage = o.usage
			} else if f.Name == "help" {
				usage = "help for this command"
			}
			check(path+" --"+f.Name, usage)
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	for _, r := range thresholds.Rules() {
		for _, a := range changes(r) {
			check(r.Name, a.Condition.ID)
			check(r.Name, a.Text.ID)
		}
		for _, s := range r.Basis().Sources {
			check(r.Name, s.Document.Title())
		}
	}
	for _, r := range thresholds.NotCheckable("") {
		check("requirements", r.Verdict.String())
		check("requirements", r.Reason)
	}
}

// TestLanguageOfHelp checks in which language help and reports are, by flag and by
// locale.
func TestLanguageOfHelp(t *testing.T) {
	for _, test := range []struct {
		locale, command, want string
	}{
		{"en_US.UTF-8", "scan --help", "Usage:"},
		{"zh_CN.UTF-8", "scan --help", "用法："},
		{"zh_CN.UTF-8", "scan --help", "全部表格"},
		{"zh_CN.UTF-8", "help scan --lang en", "Usage:"},
		{"", "--lang zh keys --help", "（默认 csv）"},
		{"", "--lang zh", "其他命令："},
		{"", "rules explain no-ttl --lang zh", "永不过期的 key"},
		{"", "rules list --lang zh", "过期时会阻塞服务器的大集合"},
		{"zh_TW", "rules list --not-checkable", "快照中没有"},
		{"zh_CN.UTF-8", "scan ../../testdata/shop.rdb", "内存分布"},
		{"zh_CN.UTF-8", "scan -f json ../../testdata/shop.rdb", "string longer than the limit"},
		{"zh_CN.UTF-8", "config init -", "# 团队对服务器中 key 的规则。"},
		{"zh_CN.UTF-8", "config init -", "#  # 长度超过阈值的 string\n#  big-string: {error: 10 KB}\n"},
		{"zh_CN.UTF-8", "scan --lang fr x", `--lang：未知语言 "fr"`},
	} {
		t.Setenv("LC_ALL", test.locale)
		t.Setenv("LC_MESSAGES", "")
		t.Setenv("LANG", "")
		var out bytes.Buffer
		run(context.Background(), strings.Fields(test.command), strings.NewReader(""), &out, &out)
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("LC_ALL=%s rdblens %s: no %q in\n%.1000s", test.locale, test.command, test.want, out.String())
		}
	}
}

// TestFlagsOfPages checks that each flag of a table in the page beside the command
// exists.
func TestFlagsOfPages(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		add := func(f *pflag.Flag) { known["--"+f.Name] = true }
		cmd.Flags().VisitAll(add)
		cmd.PersistentFlags().VisitAll(add)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRoot(&env{stdout: io.Discard, stderr: io.Discard}))
	rows := regexp.MustCompile("(?m)^\\| `(--[a-z-]+)").FindAllSubmatch(page, -1)
	for _, m := range rows {
		if !known[string(m[1])] {
			t.Errorf("README.md: there is no flag %s", m[1])
		}
	}
	if len(rows) < 10 {
		t.Errorf("only %d flags found", len(rows))
	}
}
