package identity

import (
	"encoding/json"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds"
)

// TestLibraries reads the files with encoding/json, which finds fields that no struct has.
func TestLibraries(t *testing.T) {
	var want []*Recogniser
	files, _ := fs.Glob(libraryFiles, "libraries/*.json")
	for _, file := range files {
		data, err := libraryFiles.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(data)
		decoder.DisallowUnknownFields()
		var list []*Recogniser
		if err := decoder.Decode(&list); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		want = append(want, list...)
	}
	slices.SortFunc(want, func(a, b *Recogniser) int {
		return strings.Compare(strings.ToLower(a.Library), strings.ToLower(b.Library))
	})
	if !reflect.DeepEqual(Recognisers(), want) {
		t.Error("Recognisers differ from the files")
	}
}

// twoSigns are names that are two signs: a word and the form of an identifier, or several words that nobody
// else puts together.
var twoSigns = regexp.MustCompile(`\{uuid\}|\{hex\d+\}|\{url43\}|org\.springframework|views\.decorators|` +
	`\{\{harbor_job_service_namespace\}\}|\|\{any\}\||nginx-cache:\{=http|\x01tags\x01|@\{n\}@`)

// TestRecognisers makes every shape ready, and checks what people read of it.
func TestRecognisers(t *testing.T) {
	libraries := map[string]bool{}
	for _, r := range Recognisers() {
		for _, word := range append([]string{r.Library}, r.Aliases...) {
			if libraries[strings.ToLower(word)] {
				t.Errorf("%s: there are two", word)
			}
			libraries[strings.ToLower(word)] = true
		}
		if r.Language == "" || r.About == "" || r.Source == "" || len(r.Shapes) == 0 {
			t.Errorf("%s: something is missing", r.Library)
		}
		for _, b := range r.Beats {
			if Find(b) == nil {
				t.Errorf("%s beats %s, which is not known", r.Library, b)
			}
		}
		signs := 0
		for _, s := range r.Shapes {
			p, err := s.ready()
			if err != nil {
				t.Errorf("%s: %v", r.Library, err)
				continue
			}
			p.re()
			p.text()
			p.fieldLike()
			if !thresholds.IsRole(string(s.Role)) || s.Delete != "" && s.Delete != "yes" && s.Delete != "no" && !strings.HasPrefix(s.Delete, "with ") ||
				s.TTL != "" && s.TTL != "yes" && s.TTL != "no" || s.Sign < 0 || s.Sign > 2 {
				t.Errorf("%s: %s: role, deletion, TTL or sign is wrong", r.Library, s.Name)
			}
			if p.bare && s.Sign > 0 && s.Text == "" && s.Kind == "" && s.JSON == "" && s.Fields == "" && s.FieldLike == "" {
				t.Errorf("%s: %s: any name is no sign", r.Library, s.Name)
			}
			if s.Sign > 1 && s.Text+s.Kind+s.JSON+s.Fields+s.AnyField+s.OnlyFields+s.FieldLike+s.Score+s.TTL == "" &&
				!twoSigns.MatchString(s.Name) {
				t.Errorf("%s: %s: a name alone is one sign", r.Library, s.Name)
			}
			signs += s.Sign
		}
		if signs < sufficient {
			t.Errorf("%s: all shapes together have %d signs", r.Library, signs)
		}
	}
}
