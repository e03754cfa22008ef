//! Parts of lines.

use serde_json::{Value, json};

use super::{Converter, Resolver, TooLarge, list, member, nodes, string, text, with};

/// The height of an image in a line, in points.
const LINE_HEIGHT: f64 = 11.0;

/// The largest height of an image between words, in points.
const MAX_HEIGHT: f64 = 120.0;

impl<R: Resolver> Converter<'_, R> {
    pub(super) fn inlines(&mut self, inlines: &[Value]) -> Result<Vec<Value>, TooLarge> {
        let mut converted = Vec::with_capacity(inlines.len());
        for inline in inlines {
            self.inline(inline, &mut converted)?;
        }
        Ok(converted)
    }

    fn inline(&mut self, inline: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        self.count()?;
        let of_text = |text: &str| text::node(text);
        match string(inline, "/type") {
            "link" => {
                let (link, target) = self.link(member(inline, "/data/ref"));
                let mut body = self.inlines(nodes(inline))?;
                if body.is_empty() {
                    body.push(self.plain(&target.title.or(target.url).unwrap_or_default()));
                }
                out.push(with(json!({ "k": "link", "body": body }), link));
            }
            "emoji" => out.push(of_text(&text::emoji(string(inline, "/data/code")))),
            "icon" => out.push(of_text(&format!(":{}:", string(inline, "/data/icon")))),
            // Expressions are evaluated before; what is left depends on the reader.
            "expression" => out.push(self.source(string(inline, "/data/expression"))),
            "inline-math" => {
                out.push(json!({ "k": "tex", "v": text::clean(string(inline, "/data/formula"), self.word) }))
            }
            "inline-image" => out.push(self.inline_image(inline)),
            "mention" => {
                let (link, target) = self.link(member(inline, "/data/ref"));
                let body = [self.plain(&target.words(string(inline, "/data/text")))];
                out.push(with(json!({ "k": "link", "body": body }), link));
            }
            "button" => {
                let (link, _) = self.link(member(inline, "/data/ref"));
                let body = [self.plain(string(inline, "/data/label"))];
                out.push(with(json!({ "k": "button", "body": body }), link));
            }
            "annotation" => {
                let mut body = self.inlines(nodes(inline))?;
                if is_number_after_word(&body, out.last()) {
                    // The number of a footnote in Markdown: the book has its own.
                    body.clear();
                }
                let note = self.fragments(inline)?;
                out.push(json!({ "k": "note", "body": body, "note": note }));
            }
            _ => self.text(inline, out)?,
        }
        Ok(())
    }

    /// The blocks of the explanation of an annotation.
    pub(super) fn fragments(&mut self, annotation: &Value) -> Result<Vec<Value>, TooLarge> {
        let mut note = Vec::new();
        for fragment in list(annotation, "/fragments") {
            note.extend(self.blocks(nodes(fragment))?);
        }
        Ok(note)
    }

    pub(super) fn plain(&self, words: &str) -> Value {
        text::node(&text::clean(words, self.word).replace('\n', " "))
    }

    fn source(&self, code: &str) -> Value {
        with(self.plain(code), json!({ "m": ["code"] }))
    }

    fn text(&mut self, node: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        for leaf in list(node, "/leaves") {
            self.count()?;
            let (text, source) = (string(leaf, "/text"), string(leaf, "/source"));
            // Syntax that no reader sees is printed, except comments.
            if text.is_empty() && !source.is_empty() && !source.trim_start().starts_with("<!--") {
                out.push(self.source(source));
            }
            let marks = list(leaf, "/marks");
            let names: Vec<&str> = marks
                .iter()
                .map(|mark| string(mark, "/type"))
                .filter(|it| *it != "color")
                .collect();
            let color = marks.iter().find(|mark| string(mark, "/type") == "color");
            let (fill, ground) = match color {
                Some(color) => (string(color, "/data/text"), string(color, "/data/background")),
                None => ("", ""),
            };
            let names = if color.is_some() {
                [names, vec!["color"]].concat()
            } else {
                names
            };
            for (index, line) in text::clean(text, self.word).split('\n').enumerate() {
                if index > 0 {
                    out.push(json!({ "k": "br" }));
                }
                if !line.is_empty() {
                    out.push(json!({ "k": "t", "v": line, "m": names, "c": fill, "b": ground }));
                }
            }
        }
        Ok(())
    }

    fn inline_image(&mut self, image: &Value) -> Value {
        let reference = member(image, "/data/ref");
        let alt = string(image, "/data/alt");
        let Some(name) = self.resolver.image(reference) else {
            let (link, target) = self.link(reference);
            let written = [alt, string(image, "/data/caption")]
                .into_iter()
                .find(|words| !words.is_empty());
            let words = target.words(written.unwrap_or_default());
            return with(json!({ "k": "link", "body": [self.plain(&words)] }), link);
        };
        let given = points(member(image, "/data/height")).unwrap_or(LINE_HEIGHT);
        let height = if string(image, "/data/size") == "line" {
            LINE_HEIGHT
        } else {
            given
        };
        json!({ "k": "icon", "src": name, "alt": text::clean(alt, usize::MAX), "height": height.clamp(4.0, MAX_HEIGHT) })
    }
}

/// Returns whether the words of an annotation are a number without a space before it.
fn is_number_after_word(body: &[Value], before: Option<&Value>) -> bool {
    let is_number = |text: &str| matches!(text.len(), 1..=3) && text.chars().all(|it| it.is_ascii_digit());
    let is_word = |text: &str| text.ends_with(|it: char| !it.is_whitespace());
    matches!(body, [only] if is_number(string(only, "/v"))) && before.is_some_and(|node| is_word(string(node, "/v")))
}

/// A length in points; `None` for relative ones.
pub fn points(length: &Value) -> Option<f64> {
    let (value, unit) = match length {
        Value::Number(number) => (number.as_f64()?, "px"),
        _ => (length.get("value")?.as_f64()?, length.get("unit")?.as_str()?),
    };
    match unit {
        "px" => Some(value * 0.75),
        "pt" => Some(value),
        "em" | "rem" => Some(value * 10.5),
        _ => None,
    }
}
