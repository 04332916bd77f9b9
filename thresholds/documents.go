package thresholds

// Document is one of the texts that the rules come from.
type Document uint8

// The documents.
const (
	Aliyun    Document = iota // Alibaba Cloud's rules for Redis
	Baidu                     // Baidu Cloud's design rules for keys
	Typed                     // key names that end with the value's type
	TypedCopy                 // the same text on another site
	Upper                     // key names in capitals
	numDocuments
)

var documents = [numDocuments]struct{ title, file, mark string }{
	Aliyun:    {"阿里云的redis规范 (Alibaba Cloud's rules for Redis)", "003_196e8af0632ec4b2.txt", "aliyun"},
	Baidu:     {"Redis key设计规范 (design rules for Redis keys, from Baidu Cloud's product documents)", "004_a289654001568482.txt", "baidu"},
	Typed:     {"键值设计规约 (conventions for keys and values)", "002_1ab9beeeda5dadef.txt", "typed"},
	TypedCopy: {"关于redis key命名规范的设计 (on the design of key names)", "000_4f6ba11c81dcbc35.txt", "typed"},
	Upper:     {"redis key命名规范 (naming rules for Redis keys)", "001_6932d213a31f6ac8.txt", "upper"},
}

// Title gives the document's title, in its own language and in English.
func (d Document) Title() string { return documents[d].title }

// File gives the name of the document's text.
func (d Document) File() string { return documents[d].file }

// Profile gives the profile that follows the document.
func (d Document) Profile() string { return documents[d].mark }

// Sets of profiles for the sources of rules.
var (
	everyProfile = []string{"default", "aliyun", "baidu", "typed", "upper"}
	onlyAliyun   = []string{"aliyun"}
	onlyBaidu    = []string{"baidu"}
	onlyTyped    = []string{"typed"}
	onlyUpper    = []string{"upper"}
	onlyDefault  = []string{"default"}
)
