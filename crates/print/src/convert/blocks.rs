//! Blocks.

use serde_json::{Value, json};

use super::{Converter, MAX_NESTING, Resolver, TooLarge, inlines::points, list, member, nodes, string, text, with};

/// Reusable contents within each other.
const MAX_INCLUDED: usize = 4;

/// The width of an image without a known size, in points.
const MAX_WIDTH: f64 = 2000.0;

impl<R: Resolver> Converter<'_, R> {
    pub(super) fn blocks(&mut self, blocks: &[Value]) -> Result<Vec<Value>, TooLarge> {
        let mut converted = Vec::with_capacity(blocks.len());
        for block in blocks {
            self.block(block, &mut converted)?;
        }
        Ok(converted)
    }

    /// Converts blocks into the node that `make` makes of them; into themselves where nesting has become too deep.
    fn container(
        &mut self,
        blocks: &[Value],
        out: &mut Vec<Value>,
        make: impl FnOnce(Vec<Value>) -> Value,
    ) -> Result<(), TooLarge> {
        if self.nesting >= MAX_NESTING {
            out.extend(self.blocks(blocks)?);
            return Ok(());
        }
        let inner = self.nested(blocks)?;
        out.push(make(inner));
        Ok(())
    }

    pub(super) fn nested(&mut self, blocks: &[Value]) -> Result<Vec<Value>, TooLarge> {
        self.nesting += 1;
        let inner = self.blocks(blocks);
        self.nesting -= 1;
        inner
    }

    fn block(&mut self, block: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        self.count()?;
        match string(block, "/type") {
            "paragraph" => self.paragraph(block, out)?,
            "heading-1" => self.heading(block, 1, out)?,
            "heading-2" => self.heading(block, 2, out)?,
            "heading-3" => self.heading(block, 3, out)?,
            "list-unordered" => self.items(block, out, |items| json!({ "k": "list", "items": items }))?,
            "list-ordered" => {
                let start = member(block, "/data/start").as_u64().unwrap_or(1).min(1_000_000_000);
                self.items(
                    block,
                    out,
                    |items| json!({ "k": "enum", "start": start, "items": items }),
                )?;
            }
            "list-tasks" => self.tasks(block, out)?,
            "divider" => out.push(json!({ "k": "rule" })),
            "blockquote" => self.container(nodes(block), out, |body| json!({ "k": "quote", "body": body }))?,
            "hint" => {
                let style = string(block, "/data/style").to_owned();
                let style = match style.as_str() {
                    "success" | "warning" | "danger" => style,
                    _ => "info".to_owned(),
                };
                self.container(nodes(block), out, |body| panel(&style, &[], &Value::Null, body))?;
            }
            "if" => out.extend(self.blocks(nodes(block))?),
            "images" => self.images(block, out)?,
            "code" => self.code(block, out)?,
            "math" => {
                out.push(json!({ "k": "texblock", "v": text::clean(string(block, "/data/formula"), text::CODE_WORD) }))
            }
            "table" => self.table(block, out)?,
            "reusable-content" => self.included(block, out)?,
            "expandable" | "tabs" | "stepper" | "columns" | "updates" | "prompt" => self.layout(block, out)?,
            _ => self.cards(block, out),
        }
        Ok(())
    }

    fn paragraph(&mut self, block: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        let body = self.inlines(nodes(block))?;
        if !body.is_empty() {
            let align = Some(string(block, "/data/align")).filter(|align| matches!(*align, "center" | "end"));
            out.push(json!({ "k": "p", "align": align, "body": body }));
        }
        Ok(())
    }

    fn heading(&mut self, block: &Value, level: u32, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        let body = self.inlines(nodes(block))?;
        if body.is_empty() {
            return Ok(());
        }
        let of_server = member(block, "/meta/id");
        let anchor = if of_server.is_null() {
            member(block, "/data/id")
        } else {
            of_server
        };
        let (label, level) = (self.anchor(anchor), self.level.saturating_add(level));
        // A heading in a container is no part of the outline.
        out.push(match self.nesting {
            0 => json!({ "k": "h", "level": level, "label": label, "body": body }),
            _ => json!({ "k": "h", "level": level.max(5), "label": label, "body": body }),
        });
        Ok(())
    }

    fn items(
        &mut self,
        list: &Value,
        out: &mut Vec<Value>,
        make: impl FnOnce(Vec<Vec<Value>>) -> Value,
    ) -> Result<(), TooLarge> {
        if self.nesting >= MAX_NESTING {
            for item in nodes(list) {
                out.extend(self.blocks(nodes(item))?);
            }
            return Ok(());
        }
        let mut items = Vec::new();
        for item in nodes(list) {
            self.count()?;
            items.push(self.nested(nodes(item))?);
        }
        if !items.is_empty() {
            out.push(make(items));
        }
        Ok(())
    }

    fn tasks(&mut self, list: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        let checked: Vec<bool> = nodes(list)
            .iter()
            .map(|item| member(item, "/data/checked") == &json!(true))
            .collect();
        self.items(list, out, |items| {
            let items = items.into_iter().zip(checked);
            let items: Vec<Value> = items
                .map(|(body, checked)| json!({ "checked": checked, "body": body }))
                .collect();
            json!({ "k": "tasks", "items": items })
        })
    }

    fn images(&mut self, block: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        let align = match string(block, "/data/align") {
            "left" => "left",
            "right" => "right",
            _ => "center",
        };
        for image in nodes(block) {
            self.count()?;
            let mut caption = Vec::new();
            for paragraph in list(image, "/fragments").iter().flat_map(nodes) {
                if !caption.is_empty() {
                    caption.push(json!({ "k": "br" }));
                }
                caption.extend(self.inlines(nodes(paragraph))?);
            }
            let alt = string(image, "/data/alt");
            let width = points(member(image, "/data/width"));
            self.image(member(image, "/data/ref"), (alt, width), (align, caption), out);
        }
        Ok(())
    }

    /// An image; a card with its words if the book does not have the image.
    pub(super) fn image(
        &mut self,
        reference: &Value,
        (alt, width): (&str, Option<f64>),
        (align, caption): (&str, Vec<Value>),
        out: &mut Vec<Value>,
    ) {
        if let Some(name) = self.resolver.image(reference) {
            // The size is set where the bytes are.
            out.push(json!({
                "k": "image", "src": name, "alt": text::clean(alt, usize::MAX), "align": align, "caption": caption,
                "width": width.map(|width| width.clamp(4.0, MAX_WIDTH)), "ratio": null,
            }));
            return;
        }
        let (link, target) = self.link(reference);
        let url = target.url.clone();
        out.push(self.card(&target.words(alt), url.as_deref(), link));
        if !caption.is_empty() {
            out.push(json!({ "k": "p", "align": "center", "body": caption }));
        }
    }

    fn included(&mut self, block: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        let found = self.resolver.reusable_content(member(block, "/data/ref"));
        let found = found.filter(|_| self.included < MAX_INCLUDED).map(<[Value]>::to_vec);
        if let Some(found) = found {
            self.included += 1;
            let blocks = self.blocks(&found);
            self.included -= 1;
            out.extend(blocks?);
        } else {
            self.reference(member(block, "/data/ref"), "", out);
        }
        Ok(())
    }

    fn layout(&mut self, block: &Value, out: &mut Vec<Value>) -> Result<(), TooLarge> {
        match string(block, "/type") {
            "expandable" => {
                let part = |name| {
                    list(block, "/fragments")
                        .iter()
                        .find(move |part| string(part, "/type") == name)
                };
                let paragraphs = part("expandable-title").map(nodes).unwrap_or_default();
                let title = self.inlines(paragraphs.first().map(nodes).unwrap_or_default())?;
                let label = self.anchor(member(block, "/meta/id"));
                let body = part("expandable-body").map(nodes).unwrap_or_default();
                self.titled(title, &label, body, out)
            }
            "tabs" => {
                for tab in nodes(block) {
                    let title = [self.plain(string(tab, "/data/title"))];
                    let label = self.anchor(member(tab, "/meta/id"));
                    self.titled(title.into(), &label, nodes(tab), out)?;
                }
                Ok(())
            }
            "updates" => {
                for update in nodes(block) {
                    let date = string(update, "/data/date");
                    let tags = list(update, "/data/tags").iter().map(|tag| string(tag, "/tag"));
                    let words: Vec<&str> = [date.get(..10).unwrap_or(date)].into_iter().chain(tags).collect();
                    self.titled(vec![self.plain(&words.join(" · "))], &Value::Null, nodes(update), out)?;
                }
                Ok(())
            }
            "prompt" => {
                let title = vec![self.plain(string(block, "/data/description"))];
                self.titled(title, &Value::Null, nodes(block), out)
            }
            "stepper" => self.items(block, out, |items| json!({ "k": "steps", "items": items })),
            _ => {
                let widths: Vec<f64> = nodes(block)
                    .iter()
                    .map(|column| share(member(column, "/data/width")))
                    .collect();
                self.items(
                    block,
                    out,
                    |items| json!({ "k": "columns", "widths": widths, "items": items }),
                )
            }
        }
    }

    /// A panel with a title. Where nesting has become too deep, the title is a paragraph.
    fn titled(
        &mut self,
        title: Vec<Value>,
        label: &Value,
        blocks: &[Value],
        out: &mut Vec<Value>,
    ) -> Result<(), TooLarge> {
        if self.nesting >= MAX_NESTING {
            out.push(json!({ "k": "p", "align": null, "body": title }));
        }
        self.container(blocks, out, |body| panel("plain", &title, label, body))
    }

    /// Blocks that are shown as a card with a link.
    fn cards(&mut self, block: &Value, out: &mut Vec<Value>) {
        let word = |pointer| string(block, pointer);
        match string(block, "/type") {
            "drawing" => {
                let reference = member(block, "/data/ref");
                if reference.is_null() {
                    out.push(self.card(word("/data/alt"), None, self.link(reference).0));
                } else {
                    self.image(reference, (word("/data/alt"), None), ("center", Vec::new()), out);
                }
            }
            "embed" => {
                let url = word("/data/url");
                let (link, _) = self.link(&json!({ "kind": "url", "url": url }));
                out.push(self.card(url, None, link));
            }
            "integration" => {
                let (link, _) = self.link(&json!({ "kind": "url", "url": word("/data/url") }));
                let name = format!("{} · {}", word("/data/integration"), word("/data/block"));
                out.push(self.card(&name, Some(word("/data/url")), link));
            }
            "swagger" | "openapi-operation" => {
                let title = format!("{} {}", word("/data/method").to_uppercase(), word("/data/path"));
                self.specified(block, &title, out);
            }
            "openapi-webhook" => {
                let title = format!("{} {}", word("/data/method").to_uppercase(), word("/data/name"));
                self.specified(block, &title, out);
            }
            "openapi-schemas" => {
                let schemas: Vec<&str> = list(block, "/data/schemas").iter().filter_map(Value::as_str).collect();
                self.specified(block, &schemas.join(", "), out);
            }
            "content-ref" | "file" => self.reference(member(block, "/data/ref"), word("/data/text"), out),
            // A type of later versions: nothing of it is lost.
            _ => out.push(
                json!({ "k": "code", "title": null, "lang": "json", "numbers": false, "text": block.to_string() }),
            ),
        }
    }

    fn specified(&self, block: &Value, title: &str, out: &mut Vec<Value>) {
        let (link, target) = self.link(member(block, "/data/ref"));
        let label = self.anchor(member(block, "/meta/id"));
        let note = target.title.or(target.url);
        out.push(with(self.card(title, note.as_deref(), link), json!({ "label": label })));
    }

    fn reference(&self, reference: &Value, words: &str, out: &mut Vec<Value>) {
        let (link, target) = self.link(reference);
        out.push(self.card(&target.words(words), None, link));
    }

    fn card(&self, title: &str, note: Option<&str>, link: Value) -> Value {
        let note = note.filter(|note| !note.is_empty() && *note != title);
        let note = note.map(|note| text::clean(note, text::LINE_WORD));
        with(
            json!({ "k": "card", "title": [self.plain(title)], "note": note, "label": null }),
            link,
        )
    }
}

fn panel(style: &str, title: &[Value], label: &Value, body: Vec<Value>) -> Value {
    json!({ "k": "panel", "style": style, "title": title, "label": label, "body": body })
}

/// The share of a column in the width of the page.
fn share(width: &Value) -> f64 {
    let value = width.get("value").and_then(Value::as_f64).or_else(|| width.as_f64());
    value
        .filter(|value| *value > 0.0)
        .map_or(50.0, |value| value.clamp(5.0, 100.0))
}
