package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser/message"
)

// chat is a kind of webhook that takes a text.
type chat struct {
	most   int                      // bytes of a text
	escape *strings.Replacer        // of what the chat takes for a mention or a link; nil none
	body   func(text string) any    // of the request
	ok     func(answer []byte) bool // whether the answer says that it was taken; nil: the status does
}

// The chats, by the word of --notify. Texts are sent as text, not as Markdown, so that
// names of keys mark up nothing; what texts can mention people with is escaped.
//
// Sources: Slack, Incoming webhooks and Formatting text; Microsoft Teams, Workflows and
// Adaptive Cards 1.4 (a TextRun takes no Markdown); Feishu, custom bot; DingTalk, custom
// robot (people are mentioned by the field "at" alone); WeCom, group robot (2,048 bytes).
var chats = map[string]chat{
	"slack": {3500, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;"), func(s string) any {
		return map[string]any{"text": s, "link_names": false, "unfurl_links": false, "mrkdwn": false}
	}, nil},
	"teams": {20_000, nil, func(s string) any {
		run := map[string]any{"type": "TextRun", "text": s}
		card := map[string]any{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
			"type": "AdaptiveCard", "version": "1.4",
			"body": []any{map[string]any{"type": "RichTextBlock", "inlines": []any{run}}}}
		return map[string]any{"type": "message",
			"attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}}
	}, nil},
	"feishu": {8000, strings.NewReplacer("<", "＜"),
		func(s string) any { return map[string]any{"msg_type": "text", "content": map[string]string{"text": s}} },
		codeIs("code")},
	"dingtalk": {8000, nil, func(s string) any {
		return map[string]any{"msgtype": "text", "text": map[string]string{"content": s}}
	}, codeIs("errcode")},
	"wecom": {2000, strings.NewReplacer("<", "＜"),
		func(s string) any { return map[string]any{"msgtype": "text", "text": map[string]string{"content": s}} },
		codeIs("errcode")},
}

// codeIs accepts an answer with a field that is 0.
func codeIs(field string) func([]byte) bool {
	return func(answer []byte) bool {
		var fields map[string]json.RawMessage
		return json.Unmarshal(answer, &fields) == nil && string(fields[field]) == "0"
	}
}

func checkNotify(arg string) error {
	if strings.TrimSpace(arg) == "" {
		return errEmpty
	}
	kind, file, ok := strings.Cut(arg, "=")
	if _, known := chats[kind]; known {
		if !ok || file == "" || strings.Contains(file, "://") {
			return message.Errorf("{name} takes a file with the URL of the webhook",
				message.Code("name", kind)).WithHint("--notify {name}=/etc/rdblens/{name}.url", message.Code("name", kind))
		}
	}
	return nil
}

func (n *night) send(ctx context.Context, to, text string) error {
	kind, rest, _ := strings.Cut(to, "=")
	if c, ok := chats[kind]; ok {
		secret, err := os.ReadFile(rest)
		if err != nil {
			return reasonOf(err)
		}
		return c.post(ctx, strings.TrimSpace(string(secret)), text)
	}
	var cmd *exec.Cmd
	if kind == "mail" {
		cmd = exec.CommandContext(ctx, "sendmail", "-t", "-i")
		if _, err := exec.LookPath("sendmail"); err != nil {
			cmd = exec.CommandContext(ctx, "/usr/sbin/sendmail", "-t", "-i")
		}
		text = mail(rest, text, n.now)
	} else {
		words := strings.Fields(to)
		cmd = exec.CommandContext(ctx, words[0], words[1:]...)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), n.stderr, n.stderr
	return cmd.Run()
}

// mail returns a mail with the first line of a text as its subject. No line is longer than
// mail allows (RFC 5322: 998 bytes), whatever the names in it.
func mail(to, text string, now time.Time) string {
	subject, _, _ := strings.Cut(text, "\n")
	subject = strings.ReplaceAll(mime.QEncoding.Encode("utf-8", subject), "?= =?", "?=\n =?")
	var body bytes.Buffer
	w := quotedprintable.NewWriter(&body)
	io.WriteString(w, text)
	w.Close()
	return fmt.Sprintf("To: %s\nSubject: %s\nDate: %s\nMIME-Version: 1.0\nContent-Type: text/plain; "+
		"charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n%s",
		strings.NewReplacer("\n", " ", "\r", " ").Replace(to), subject, now.Format(time.RFC1123Z),
		strings.ReplaceAll(body.String(), "\r\n", "\n"))
}

// The tries of a webhook, and the time before the second; it doubles.
const notifyTries = 4

var notifyBackoff, notifyTimeout = 2 * time.Second, 30 * time.Second

// errRefused reports that trying again is of no use.
type errRefused struct{ error }

// post posts a text. The URL, whose path is a secret, is in no error.
func (c *chat) post(ctx context.Context, to, text string) (err error) {
	if c.escape != nil {
		text = c.escape.Replace(text)
	}
	body := new(bytes.Buffer)
	encoder := json.NewEncoder(body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c.body(cutText(text, c.most))); err != nil {
		return err
	}
	wait := notifyBackoff
	for try := range notifyTries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return err
			case <-time.After(wait):
			}
			wait *= 2
		}
		var refused errRefused
		if err = c.try(ctx, to, body.Bytes()); err == nil || errors.As(err, &refused) {
			return err
		}
	}
	return err
}

func (c *chat) try(ctx context.Context, to string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return errRefused{message.Errorf("the file has no valid URL")}
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if at, ok := errors.AsType[*url.Error](err); ok {
		return at.Err // without the URL
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
	switch code := answer.StatusCode; {
	case code >= 500 || code == http.StatusTooManyRequests:
		return message.Errorf("the server answers {n}", message.Text("n", answer.Status))
	case code >= 300:
		return errRefused{message.Errorf("the server answers {n}", message.Text("n", answer.Status))}
	case c.ok != nil && !c.ok(text):
		return errRefused{message.Errorf("the server answers {text}", message.Foreign("text", cutText(string(text), 200)))}
	}
	return nil
}

// cutText returns at most the given number of bytes of a text, whole characters, and marks the cut.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[:most-4]
	for s != "" && !utf8.ValidString(s[max(0, len(s)-4):]) {
		s = s[:len(s)-1]
	}
	return s + "\n..."
}

// fetch returns the snapshots of --replica, which redis-cli writes to files of the run.
func (n *night) fetch(ctx context.Context) (list []*input) {
	for i, options := range n.replicas {
		path := fmt.Sprintf("%s/replica-%d.rdb", n.part, i)
		in := &input{name: "replica " + options, path: path, size: -1, limit: defaultDownload}
		cmd := exec.CommandContext(ctx, "redis-cli", append(strings.Fields(options), "--rdb", path)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			in.failed = message.Errorf("redis-cli: {error}: {text}", message.Foreign("error", err.Error()),
				message.Foreign("text", cutText(lines[len(lines)-1], 300)))
		}
		if st, err := os.Stat(path); err == nil {
			in.size = st.Size()
		}
		list = append(list, in)
	}
	return list
}
