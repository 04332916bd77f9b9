package codebase

// A rewriter rewrites an expression, see rewrite.
type rewriter func(*node) *node

// rewrite returns an expression in which change has replaced nodes: it returns what stands for a node, or nil if
// only the parts of the node may change. What follows maxSteps nodes stays as it is.
func (n *node) rewrite(change func(*node, rewriter) *node) *node {
	steps := 0
	var again rewriter
	again = func(n *node) *node {
		if steps++; n == nil || steps > maxSteps {
			return n
		}
		if other := change(n, again); other != nil {
			return other
		}
		if n.of == nil && len(n.args) == 0 {
			return n
		}
		m := *n
		m.of = again(n.of)
		if len(n.args) > 0 {
			m.args = make([]*node, len(n.args))
			for i, a := range n.args {
				m.args[i] = again(a)
			}
		}
		return &m
	}
	return again(n)
}
