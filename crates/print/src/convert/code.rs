//! Blocks of code.

use serde_json::{Value, json};

use super::{Converter, Resolver, TooLarge, list, member, nodes, string, text};

impl<R: Resolver> Converter<'_, R> {
    pub(super) fn code(&mut self, block: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        let mut lines = Vec::new();
        let mut notes = Vec::new();
        for line in nodes(block) {
            self.count()?;
            let mut code = String::new();
            for node in nodes(line) {
                match string(node, "/type") {
                    "annotation" => {
                        nodes(node).iter().for_each(|node| append(node, &mut code));
                        notes.push(json!(self.fragments(node)?));
                    }
                    "expression" => code.push_str(string(node, "/data/expression")),
                    _ => append(node, &mut code),
                }
            }
            lines.push(text::clean(&code, text::CODE_WORD));
        }
        let title = Some(string(block, "/data/title")).filter(|title| !title.is_empty());
        let syntax = Some(string(block, "/data/syntax")).filter(|syntax| !syntax.is_empty());
        out.push(json!({
            "k": "code",
            "title": title.map(|title| text::clean(title, text::LINE_WORD)),
            "lang": syntax,
            "numbers": member(block, "/data/lineNumbers") == &json!(true),
            "text": lines.join("\n"),
        }));
        if !notes.is_empty() {
            out.push(json!({ "k": "enum", "start": 1, "items": notes }));
        }
        Ok(())
    }
}

fn append(node: &Value, code: &mut String) {
    list(node, "/leaves")
        .iter()
        .for_each(|leaf| code.push_str(string(leaf, "/text")));
}
