package main

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// hostileMessage has names that chats take for mentions, links and markup.
var hostileMessage = "rdblens fleet: error: a <!channel> <@U1> @all <at user_id=\"all\">x</at> [x](http://example.com) **b** & \"q\" \\ 订单\n" +
	strings.Repeat("订单:\"\\\n", 5000)

// TestChats sends a long message of hostile names as each chat takes it.
func TestChats(t *testing.T) {
	notifyBackoff = time.Millisecond
	for name, c := range map[string]struct {
		answer string
		most   int // bytes of a text
		text   func(m map[string]any) any
	}{
		"slack":    {"ok", 4000, func(m map[string]any) any { return m["text"] }},
		"teams":    {"", 28 << 10, func(m map[string]any) any { return in(m, "attachments", 0, "content", "body", 0, "inlines", 0, "text") }},
		"feishu":   {`{"code":0}`, 20 << 10, func(m map[string]any) any { return in(m, "content", "text") }},
		"dingtalk": {`{"errcode":0}`, 20000, func(m map[string]any) any { return in(m, "text", "content") }},
		"wecom":    {`{"errcode":0,"errmsg":"ok"}`, 2048, func(m map[string]any) any { return in(m, "text", "content") }},
	} {
		var body []byte
		answer := c.answer
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body)
			io.WriteString(w, answer)
		}))
		to := chats[name]
		if err := to.post(t.Context(), server.URL+"/secret", hostileMessage); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var m map[string]any
		if err := json.Unmarshal(body, &m); err != nil || !utf8.Valid(body) {
			t.Fatalf("%s: %v\n%.300q", name, err, body)
		}
		text, _ := c.text(m).(string)
		if len(text) > c.most || len(text) < 1500 || !strings.HasPrefix(text, "rdblens fleet: error: a ") || !strings.Contains(text, "订单:\"\\\n订单") || !strings.HasSuffix(text, "\n...") {
			t.Errorf("%s: text of %d bytes: %.300q", name, len(text), text)
		}
		if name != "teams" && name != "dingtalk" && strings.ContainsAny(text, "<") {
			t.Errorf("%s: a mention: %.300q", name, text)
		}
		if to.ok == nil {
			continue
		}
		answer = `{"errcode":310000,"code":19001,"errmsg":"keywords not in content"}`
		if err := to.post(t.Context(), server.URL+"/secret", "x"); err == nil || !strings.Contains(err.Error(), "310000") {
			t.Errorf("%s: refused, and %v", name, err)
		}
		server.Close()
	}
}

// in returns what an object has at a path of names and indexes.
func in(v any, path ...any) any {
	for _, at := range path {
		switch at := at.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[at]
		case int:
			list, _ := v.([]any)
			if at >= len(list) {
				return nil
			}
			v = list[at]
		}
	}
	return v
}

// TestWebhookErrors sends to webhooks that are down, slow, overloaded or elsewhere. No
// error has the path of the URL, which is a secret.
func TestWebhookErrors(t *testing.T) {
	notifyBackoff = time.Millisecond
	const path = "/services/T00/B00/s3cr3t"
	var tries atomic.Int64
	var handler atomic.Pointer[http.HandlerFunc]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tries.Add(1); (*handler.Load())(w, r) }))
	defer server.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := "http://" + closed.Addr().String()
	closed.Close()
	for _, c := range []struct {
		what, url string
		handler   http.HandlerFunc
		tries     int64
		want      string // of the error, "" none
	}{
		{"500, then ok", server.URL, func(w http.ResponseWriter, _ *http.Request) {
			if tries.Load() < 3 {
				w.WriteHeader(500)
			}
		}, 3, ""},
		{"500", server.URL, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 4, "503"},
		{"too many", server.URL, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, 4, "429"},
		{"gone", server.URL, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 1, "404"},
		{"redirect", server.URL, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere/s3cr3t", http.StatusFound)
		}, 1, "302"},
		{"no answer", server.URL, func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				c.Close()
			}
		}, 4, "EOF"},
		{"slow", server.URL, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // only then is it known that the other side has gone
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
		}, 4, "deadline"},
		{"down", down, nil, 0, "refused"},
		{"no URL", "ht tp://s3cr3t", nil, 0, "no valid URL"},
		{"no address", "file:///s3cr3t", nil, 0, "unsupported"},
	} {
		tries.Store(0)
		handler.Store(&c.handler)
		notifyTimeout = 30 * time.Second
		if c.what == "slow" {
			notifyTimeout = 50 * time.Millisecond
		}
		to := chats["slack"]
		err := to.post(t.Context(), c.url+path, "x")
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cr3t")) || c.handler != nil && tries.Load() != c.tries {
			t.Errorf("%s: %d tries, %v", c.what, tries.Load(), err)
		}
	}
}

// TestMail checks what sendmail gets: a subject of one line, and no header of a name.
func TestMail(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sendmail"), []byte("#!/bin/sh\necho \"$@\" >"+dir+"/args\ncat >"+dir+"/mail\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	n := &night{env: &env{stderr: new(bytes.Buffer)}, now: time.Unix(1_700_000_000, 0).UTC()}
	if err := n.send(t.Context(), "mail=dba@example.com", "rdblens: error "+strings.Repeat("订单", 80)+"\nbody\n"+strings.Repeat("订单 ", 400)); err != nil {
		t.Fatal(err)
	}
	mail, _ := os.ReadFile(dir + "/mail")
	for line := range strings.Lines(string(mail)) {
		if len(line) > 998 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if read, err := netmail.ReadMessage(bytes.NewReader(mail)); err != nil {
		t.Error(err)
	} else if subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject")); err != nil || subject != "rdblens: error "+strings.Repeat("订单", 80) {
		t.Error(subject, err)
	} else if body, err := io.ReadAll(quotedprintable.NewReader(read.Body)); err != nil || !strings.HasSuffix(string(body), "body\n"+strings.Repeat("订单 ", 400)) {
		t.Errorf("%q, %v", body, err)
	}
	if err := n.send(t.Context(), "mail=dba@example.com", "rdblens: error 订单\r\nBcc: x\nbody\n"); err != nil {
		t.Fatal(err)
	}
	mail, _ = os.ReadFile(dir + "/mail")
	args, _ := os.ReadFile(dir + "/args")
	head, body, _ := strings.Cut(string(mail), "\n\n")
	if string(args) != "-t -i\n" || !strings.HasPrefix(head, "To: dba@example.com\nSubject: =?utf-8?q?rdblens:_error_=E8=AE=A2=E5=8D=95") || strings.Contains(head, "Bcc") ||
		!strings.Contains(head, "charset=utf-8") || !strings.HasSuffix(body, "body\n") {
		t.Errorf("%s\n%s", args, mail)
	}
}
