package codebase

import (
	"path"
	"testing"
)

// TestCargo has modules and items of Rust that are not compiled: behind a feature that is off, or without a mod.
func TestCargo(t *testing.T) {
	const use = "use redis::Commands;\npub fn f(con: &mut redis::Connection, id: u32) {\n"
	set := func(key string) string { return "    con.set(format!(\"" + key + ":{id}\"), 1);\n" }
	files := map[string]string{
		"Cargo.toml": "[dependencies]\ntools = { path = \"tools\", features = [\n  \"jobs\" ] }\n[features]\n" +
			"default = [\"web\"]\nweb = [\"dep:axum\", \"carts\"]\ncarts = []\nqueue = []\n",
		"src/main.rs": "mod carts;\n#[cfg(feature = \"queue\")]\npub(crate) mod queue;\n// mod old;\nmod mail;\n" +
			"mod text;\nfn main() { carts::f(); mail::f(); }\n",
		"src/carts/mod.rs": "#[cfg(feature = \"carts\")]\nmod line;\n#[cfg(feature = \"jobs\")]\nmod jobs;\n" +
			"#[cfg(all(feature = \"stock\", unix))]\nmod stock;\n" + use + set("cart") +
			"    #[cfg(feature = \"queue\")]\n" + set("cart-queue") + set("cart-end") + "}\n",
		"src/carts/line.rs":  use + set("line") + "}\n",
		"src/carts/jobs.rs":  use + set("jobs") + "}\n",
		"src/carts/stock.rs": use + set("stock") + "}\n",
		"src/mail.rs": use + set("mail") + "}\npub fn keep(con: &mut redis::Connection, key: String) { con.set(key, 1); }\n" +
			"enum Kind {\n    #[cfg(feature = \"queue\")] Queue(u8), Direct }\n" +
			"#[cfg(feature = \"queue\")]\n" + use[21:] + set("mail-queue") +
			"}\n#[cfg(not(feature = \"queue\"))]\n" + use[21:] + set("mail-direct") + "}\n",
		"src/queue.rs":    "mod inner;\n" + use + set("queue") + "}\n",
		"src/old/mod.rs":  "mod part;\n",
		"src/old/part.rs": use + set("part") + "    crate::mail::keep(con, format!(\"kept:{id}\"));\n}\n",
		"src/text.rs": use + set("text") + "}\n#[test]\n" + use[21:] + set("text-test") + "}\n" +
			"#[tokio::test]\nasync " + use[21:] + set("text-async-test") + "}\n",
		"src/bin/clean.rs": use + set("clean") + "}\n",
	}
	checkLines(t, files, "src/bin/clean.rs:3 clean:* certain SET\nsrc/carts/jobs.rs:3 jobs:* certain SET\n"+
		"src/carts/line.rs:3 line:* certain SET\nsrc/carts/mod.rs:9 cart:* certain SET\n"+
		"src/carts/mod.rs:12 cart-end:* certain SET\n"+
		"src/carts/stock.rs:3 stock:* possible SET if Cargo compiles src/carts/stock\n"+
		"src/mail.rs:3 mail:* certain SET\nsrc/mail.rs:14 mail-direct:* certain SET\n"+
		"src/old/part.rs:3 part:* possible SET if Cargo compiles src/old\n"+
		"src/old/part.rs:4 kept:* possible SET if Cargo compiles src/old\n"+
		"src/queue.rs:4 queue:* possible SET if Cargo compiles src/queue\nsrc/text.rs:3 text:* certain SET\n")
	for name, text := range map[string]string{"Dockerfile": "RUN cargo build --release --features queue,stock\n",
		"tools/Cargo.toml": "[[bin]]\npath = \"src/tool.rs\"\n"} {
		before := files[name]
		files[name] = text
		for _, p := range checkout(t, files).Patterns {
			if p.Condition != "" && p.Condition != Uncalled && path.Base(p.File) != "part.rs" {
				t.Errorf("%s:%d needs %s with %s", p.File, p.Line, p.Condition, name)
			}
		}
		files[name] = before
	}
}
