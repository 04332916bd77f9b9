package thresholds

import "github.com/rdblens/rdblens/parser/message"

func init() {
	register(Rule{
		Name:     "node-skew",
		Section:  SectionInstance,
		Title:    "cluster node with much more memory or many more keys than the mean",
		Harm:     UsesMemory,
		fix:      &fix{action: adviseInstance, id: "Move slots away from the largest node: {text}."},
		Instance: true,
		Unit:     message.Ratio,
		Params: []Param{
			{Name: "min_nodes", Unit: message.Count, Default: "3", Doc: "fewer snapshots are not compared"},
			{Name: "min_size", Unit: message.Bytes, Default: "100 MB",
				Doc: "the memory of nodes of no more than this is never reported"},
			{Name: "min_keys", Unit: message.Count, Default: "100000",
				Doc: "the keys of nodes of no more than this are never reported"},
		},
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			if !e.env.Cluster {
				return nil
			}
			levels, minNodes, minSize, minKeys := s.levels(AnyType), s.Param("min_nodes").Number, s.Param("min_size").Number,
				s.Param("min_keys").Number
			return func() accumulator {
				return totalsOnly(func(total totals, nodes []NodeSums) (list []InstanceFinding) {
					n := int64(len(nodes)) * 100
					if n < minNodes*100 {
						return nil
					}
					for _, node := range nodes {
						part, whole, note, subject := node.Bytes, total.bytes, uint8(0), message.New("node memory")
						l, found := severest(levels, func(limit int64) bool { return part > minSize && more(part, n, limit, whole) })
						if !found {
							part, whole, note, subject = node.Keys, total.keys, noteNodeKeys, message.New("node keys")
							l, found = severest(levels, func(limit int64) bool { return part > minKeys && more(part, n, limit, whole) })
						}
						if found {
							list = append(list, InstanceFinding{Finding: Finding{Rule: s.Rule.ID, Severity: l.severity,
								Measured: share(part, n, whole), Limit: l.limit, note: note},
								Subject: subject, Keys: node.Keys, Bytes: node.Bytes, Largest: node})
						}
					}
					return list
				})
			}
		},
		text: func(x *explainer) message.Message {
			if x.note == noteNodeKeys {
				return x.found("{keys} keys, {measured} the mean of the nodes, over {limit}", message.Int("keys", x.instance.Keys))
			}
			return x.found("{size}, {measured} the mean of the nodes, over {limit}",
				message.Figure("size", x.instance.Bytes, message.FormSize))
		},
		advise: func(x *explainer) {
			x.advise(adviseInstance, literal("CLUSTER NODES"),
				"Move slots from this node to others, unless one slot or one hash tag is the reason: slot-skew and hashtag-skew "+
					"name those.")
		},
		Doc: Doc{
			What: "A node of a cluster over 100 MB with more than 1.5 times the mean memory of all nodes, or with more than " +
				"100,000 keys and 1.5 times the mean number. Only in reports of at least 3 snapshots that show cluster mode, or " +
				"with --cluster, each of which is taken for one node.",
			Why: "The largest node is the first one that is full, while the others have space: it evicts, or rejects " +
				"writes, for the keys that happen to be on it.",
			Fix: "Move slots to other nodes (redis-cli --cluster rebalance); if one key or one hash tag is that large, " +
				"split it.",
			Example: "shard-3.rdb: 18.2 GB, 2.3x the mean of the nodes, over 1.5x.",
		},
	})
}

// noteNodeKeys is the note of a node with too many keys, whose memory is not too
// large.
const noteNodeKeys = 1
