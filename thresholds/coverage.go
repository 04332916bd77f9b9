package thresholds

// Verdict says how far a snapshot can show whether a demand is met.
type Verdict uint8

// The verdicts.
const (
	Checked  Verdict = iota // by rules
	Answered                // by a part of the report, or by the advice with findings
	Partly                  // a part of it, by rules or figures
	Hidden                  // not at all
	numVerdicts
)

var verdictNames = [numVerdicts]string{"rule", "report", "partly", "not in a snapshot"}

// String gives the verdict's word.
func (v Verdict) String() string { return verdictNames[v] }

// Demand is one thing that a document asks for.
type Demand struct {
	Document Document
	Original string // the sentence, as it stands there
	English  string
	Verdict  Verdict
	Rules    []string // that check it, or a part of it
	Reason   string   // what answers it else, or why a snapshot cannot show it
}

// Demands gives every demand of the documents, in their order. The two copies of
// one text are one document here.
func Demands() []Demand {
	var list []Demand
	for _, part := range [][]Demand{aliyunDemands, baiduDemands, typedDemands, upperDemands} {
		list = append(list, part...)
	}
	return list
}

// NotCheckable gives the demands that a snapshot shows partly or not at all, so
// that nobody takes a clean report for more than it is: those of the document
// behind a profile, or of all documents for the default profile.
func NotCheckable(profile string) []Demand {
	var list []Demand
	for _, d := range Demands() {
		if d.Verdict >= Partly && (profile == DefaultProfile || d.Document.Profile() == profile) {
			list = append(list, d)
		}
	}
	return list
}

// Reasons that many demands share.
const (
	sentCommands = "which commands clients send is not in a snapshot"
	clientSide   = "how a client works is not in a snapshot"
	usedFor      = "what a value is used for is not in a snapshot"
	serverConfig = "the server's configuration is not in a snapshot"
	bigReport    = "the top lists, scan and keys with --min-size and --min-elements"
	withAdvice   = "the advice with each finding"
)

func names(list ...string) []string { return list }
