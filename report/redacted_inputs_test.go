package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report/redact"
)

// TestNoNameIsLeft redacts what an input, a filter and the configuration say: "secret" is in
// every field with a name, and must be in none afterwards, while figures and types stay.
func TestNoNameIsLeft(t *testing.T) {
	by := redact.New("salt", 100)
	r := &Report{Config: Config{Profile: "aliyun", File: "secret.yaml", Baseline: "secret-base.yaml", Warnings: []string{"secret", "secret"}}, Filter: &Filter{Types: []string{"hash"}, Match: []string{"secret*"}, Regex: []string{"^secret"}},
		Ignored: []Ignored{{Rule: "no-ttl", Pattern: "secret:*", Reason: "secret", Baseline: "secret.yaml:3", Count: 7}},
		Inputs: []Input{{Name: "/dir/secret.rdb", ServerVersion: "7.0.1-secret", Keys: 5, Modules: []Module{{Name: "secretmod", Keys: 2}, {Name: "ReJSON-RL"}, {Name: "(other)"}}, LoadableBy: Loadable{Redis: "7.0", Modules: []Name{"secretmod", "ReJSON-RL"}},
			Warnings: []string{`module secretmod: "secret" in /dir/secret.rdb`}, Memory: &Memory{Note: `of "secret"`}, Error: &Damage{Offset: 3, Reason: `/dir/secret.rdb: "secret"`, Key: np("secret:1"), LastKey: np("secret:2")}}}}
	matched := r.Filter.Match
	r.redact(by)
	redactInputs(by, r.Inputs)
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("%v: %s", err, text)
	}
	in := &r.Inputs[0]
	if matched[0] != "secret*" || r.Config.Profile != "aliyun" || r.Ignored[0].Count != 7 || r.Filter.Types[0] != "hash" || !strings.HasPrefix(string(in.ServerVersion), "7.0.1-h") || in.Modules[1].Name != "ReJSON-RL" || in.Modules[2].Name != "(other)" || in.LoadableBy.Modules[1] != "ReJSON-RL" ||
		in.LoadableBy.Modules[0] != in.Modules[0].Name || !strings.Contains(in.Warnings[0], string(in.Modules[0].Name)) || !strings.Contains(in.Warnings[0], string(in.Name)) || *in.Error.Key == *in.Error.LastKey || r.Redaction.MinKeys != 100 || r.Redaction.Salt == "" || r.Config.Warnings[0] != "2 warnings about the configuration" || len(r.Config.Warnings) != 1 {
		t.Errorf("%s", text)
	}
}
