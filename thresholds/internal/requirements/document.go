package requirements

// Document is one of the texts that the rules come from.
type Document uint8

// The documents.
const (
	Aliyun Document = iota // Alibaba Cloud's rules for Redis
	Baidu                  // Baidu Cloud's design rules for keys
	Typed                  // key names that end with the value's type; 000_4f6ba11c81dcbc35.txt is the same text
	Upper                  // key names in capitals
)

var documents = [...]struct{ title, file, profile string }{
	Aliyun: {"阿里云的redis规范 (Alibaba Cloud's rules for Redis)", "003_196e8af0632ec4b2.txt", "aliyun"},
	Baidu: {"Redis key设计规范 (design rules for Redis keys, from Baidu Cloud's product documents)",
		"004_a289654001568482.txt", "baidu"},
	Typed: {"键值设计规约 (conventions for keys and values)", "002_1ab9beeeda5dadef.txt", "typed"},
	Upper: {"redis key命名规范 (naming rules for Redis keys)", "001_6932d213a31f6ac8.txt", "upper"},
}

// UnmarshalYAML decodes the name of the profile that follows the document.
func (d *Document) UnmarshalYAML(unmarshal func(any) error) error {
	var profiles []string
	for _, x := range documents {
		profiles = append(profiles, x.profile)
	}
	return unmarshalWord(d, unmarshal, profiles)
}

// Title returns the document's title, in its own language and in English.
func (d Document) Title() string { return documents[d].title }

// File returns the file name of the document.
func (d Document) File() string { return documents[d].file }

// Profile returns the name of the profile that follows the document.
func (d Document) Profile() string { return documents[d].profile }
