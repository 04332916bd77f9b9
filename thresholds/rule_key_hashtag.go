package thresholds

import (
	"bytes"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-hashtag",
		Section: SectionNames,
		Title:   "name with {…}, a hash tag",
		compile: func(c *compiler) {
			if !c.engine.policy.HashTags.Value {
				return
			}
			severity := c.Severity
			if c.engine.env.Cluster {
				severity = Info
			}
			c.whenSevere(classes, int64(naming.ClassBrace), 0, severity, func(k *parser.Key, f *Facts, found *Finding) bool {
				if f.TagEnd > f.TagStart {
					return true
				}
				open := bytes.IndexByte(k.Name, '{')
				return open >= 0 && bytes.IndexByte(k.Name[open:], '}') > 0
			})
		},
		Doc: Doc{
			What: "A name with { and } around something. An info where the snapshot shows cluster mode, or --cluster says so: there a tag has its use. Silent where " +
				"hashtags: false says that the proxy does not look at them.",
			Why:     "A cluster chooses the node by what stands in the braces: all keys with one tag lie on one node, whether that was meant or not.",
			Fix:     "Leave the braces out of names. Where keys must lie together for a transaction or a script, keep the tag, and keep what it holds small.",
			Example: "{user}:1001:name: every key of that kind lies in one slot.",
			Sources: []Source{
				{onlyBaidu, Baidu, "", "**要注意使用 hashtag 避免大量数据落入同一个数据分片**， 造成多个节点数据不均衡，不需要使用 hashtag 的场景，禁止使用“{}”，如果有特殊原因必须使用，建议在控制台关闭 hashtag 的特性。",
					"When hash tags are used, see that not much data falls into one shard, which leaves the nodes out of balance; where no hash tag is needed, {} is forbidden; where it must be used for a special reason, switch the hash tag feature off in the console."},
			},
			Notes: []Note{{onlyBaidu, "weakened: the document forbids braces only where no tag is needed, which a snapshot cannot tell, so it is a warning"}},
		},
	})
}
