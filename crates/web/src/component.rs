//! Components of integrations (ContentKit) as HTML documents of their own, which pages show in frames.

use std::sync::LazyLock;

use maud::{DOCTYPE, Markup, html};
use openapi::models::{BlockIntegration, ContentRef, DocumentBlock};
use rich_text::{DocumentLimits, parse};
use serde_json::{Map, Value};
use url::Url;

use crate::{FileTarget, Href, Html, Target, Targets, Words, code, origins::Origins, render};

/// Elements within each other, and all of a component.
const MAX_DEPTH: usize = 32;
const MAX_ELEMENTS: usize = 2_000;

/// Bytes of the texts that elements take from the state: they may name the same one many times.
pub const MAX_STATE: usize = 1024 * 1024;

/// Pixels of a frame.
const FRAME_WIDTH: f64 = 760.0;
const MAX_HEIGHT: f64 = 2_000.0;

/// A component as a document.
pub struct Component {
    pub html: String,
    /// The origins of the documents in its frames.
    pub frames: Vec<String>,
}

/// Makes the document of a component with its state. `None`: the text that there is none.
pub fn component(element: Option<(&Value, &Value)>, words: &'static Words, styles: &[Href]) -> Component {
    let mut writer = Writer {
        html: Html::default(),
        words,
        state: Value::Null,
        frames: Origins::default(),
        elements: 0,
        state_left: MAX_STATE,
    };
    match element {
        Some((element, state)) => {
            writer.state = state.clone();
            writer.element(element, 0);
        }
        None => {
            writer.html.markup("<p role=\"status\">");
            writer.html.text(words.no_block);
            writer.html.markup("</p>");
        }
    }
    let document: Markup = html! {
        (DOCTYPE)
        html lang=(words.language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                base target="_top";
                title { (words.block) }
                @for style in styles { link rel="stylesheet" href=(style); }
            }
            body.component { (writer.html) }
        }
    };
    Component {
        html: document.into_string(),
        frames: writer.frames.into_list(),
    }
}

struct Writer {
    html: Html,
    words: &'static Words,
    state: Value,
    frames: Origins,
    elements: usize,
    state_left: usize,
}

impl Writer {
    fn element(&mut self, element: &Value, depth: usize) {
        self.elements += 1;
        if depth > MAX_DEPTH || self.elements > MAX_ELEMENTS {
            return;
        }
        if let Value::String(text) = element {
            self.html.text(text);
            return;
        }
        match member(element, "type") {
            "text" => self.text(element, depth),
            "link" => {
                let address = element.pointer("/target/url").and_then(Value::as_str);
                self.link(address, "", |writer| writer.children(element, depth));
            }
            "image" => self.image(element),
            "divider" => self.html.markup("<hr>"),
            "markdown" => self.markdown(element),
            "codeblock" => self.code(element, depth),
            "webframe" => self.frame(element),
            "card" => self.card(element, depth),
            "button" => {
                // Other actions change the component: readers have its first state.
                let is_link = element.pointer("/onPress/action") == Some(&Value::from("@ui.url.open"));
                let address = element.pointer("/onPress/url").and_then(Value::as_str);
                if let Some(address) = address.filter(|_| is_link) {
                    self.link(Some(address), "button", |writer| {
                        writer.html.text(member(element, "label"))
                    });
                }
            }
            "hint" => self.within("<div class=\"hint info\">", element, depth),
            "hstack" => self.within("<div class=\"row\">", element, depth),
            "block" | "modal" | "vstack" | "box" => self.within("<div>", element, depth),
            // Fields of forms.
            _ => {}
        }
    }

    fn within(&mut self, start: &'static str, element: &Value, depth: usize) {
        self.html.markup(start);
        self.children(element, depth);
        self.html.markup("</div>");
    }

    fn children(&mut self, element: &Value, depth: usize) {
        match element.get("children") {
            Some(Value::Array(children)) => children.iter().for_each(|child| self.element(child, depth + 1)),
            Some(child) => self.element(child, depth + 1),
            None => {}
        }
    }

    fn text(&mut self, element: &Value, depth: usize) {
        let (start, end) = match member(element, "style") {
            "bold" => ("<strong>", "</strong>"),
            "italic" => ("<em>", "</em>"),
            "code" => ("<code>", "</code>"),
            "strikethrough" => ("<s>", "</s>"),
            _ => ("<span>", "</span>"),
        };
        self.html.markup(start);
        self.children(element, depth);
        self.html.markup(end);
    }

    fn link(&mut self, address: Option<&str>, class: &'static str, words: impl FnOnce(&mut Self)) {
        let href = address.and_then(Href::link).filter(Href::is_external);
        match &href {
            Some(href) => drop(
                self.html
                    .open("a")
                    .href(href)
                    .attribute("rel", "noopener")
                    .optional("class", Some(class).filter(|class| !class.is_empty())),
            ),
            None => self.html.markup("<span>"),
        }
        words(self);
        self.html.markup(if href.is_some() { "</a>" } else { "</span>" });
    }

    fn image(&mut self, element: &Value) {
        let address = element.pointer("/source/url").and_then(Value::as_str);
        if let Some(src) = address.and_then(Href::image) {
            drop(
                self.html
                    .open("img")
                    .src(&src)
                    .attribute("alt", "")
                    .attribute("loading", "lazy"),
            );
        }
    }

    /// The text itself, or the member of the state that it names.
    fn bound(&mut self, value: Option<&Value>) -> Option<String> {
        let value = value?;
        let named = value.get("$state").and_then(Value::as_str);
        let text = named.map_or(Some(value), |name| self.state.get(name))?.as_str()?;
        self.state_left = self.state_left.checked_sub(text.len())?;
        Some(text.to_owned())
    }

    fn markdown(&mut self, element: &Value) {
        let text = self.bound(element.get("content")).unwrap_or_default();
        // Texts beyond the limits are left out.
        if let Ok(document) = parse(&text, &DocumentLimits::default()) {
            let content = render(&document.nodes, &NoTargets, self.words);
            self.html.append(&content.html);
        }
    }

    fn code(&mut self, element: &Value, depth: usize) {
        let text = self.bound(element.get("content")).unwrap_or_default();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let highlighted = code::highlight(member(element, "syntax"), &lines);
        self.html
            .markup("<figure class=\"code\"><pre dir=\"ltr\" tabindex=\"0\"><code>");
        for (number, line) in lines.iter().enumerate() {
            self.html.markup("<span class=\"line\">");
            match highlighted.as_ref().and_then(|lines| lines.get(number)) {
                Some(html) => self.html.append(html),
                None => self.html.text(line),
            }
            self.html.markup("</span>\n");
        }
        self.html.markup("</code></pre></figure>");
        for element in element.get("footer").and_then(Value::as_array).into_iter().flatten() {
            self.element(element, depth + 1);
        }
    }

    fn card(&mut self, element: &Value, depth: usize) {
        self.html.markup("<div class=\"card\">");
        let is_link = element.pointer("/onPress/action") == Some(&Value::from("@ui.url.open"));
        let address = element
            .pointer("/onPress/url")
            .and_then(Value::as_str)
            .filter(|_| is_link);
        if let Some(icon) = element.get("icon").filter(|icon| icon.is_object()) {
            self.image(icon);
        }
        if !member(element, "title").is_empty() {
            self.html.markup("<strong>");
            self.link(address, "", |writer| writer.html.text(member(element, "title")));
            self.html.markup("</strong>");
        }
        self.html.markup("<small>");
        match element.get("hint") {
            Some(Value::Array(hints)) => hints.iter().for_each(|hint| self.element(hint, depth + 1)),
            Some(hint) => self.element(hint, depth + 1),
            None => {}
        }
        self.html.markup("</small>");
        self.children(element, depth);
        for button in element.get("buttons").and_then(Value::as_array).into_iter().flatten() {
            self.element(button, depth + 1);
        }
        self.html.markup("</div>");
    }

    /// A document of another origin, which may run scripts, but neither reads what this site keeps nor leads the reader away by itself.
    fn frame(&mut self, element: &Value) {
        let address = element
            .pointer("/source/url")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let Some((url, src)) = Url::parse(address).ok().zip(Href::link(address)) else {
            return;
        };
        if !self.frames.add(address) {
            return;
        }
        let ratio = element
            .get("aspectRatio")
            .and_then(Value::as_f64)
            .filter(|ratio| *ratio > 0.0);
        let height = (FRAME_WIDTH / ratio.unwrap_or(16.0 / 9.0)).clamp(1.0, MAX_HEIGHT);
        let mut state = Map::new();
        for (name, value) in element.get("data").and_then(Value::as_object).into_iter().flatten() {
            if let Some(text) = self.bound(Some(value)) {
                state.insert(name.clone(), text.into());
            }
        }
        let state = Value::Object(state).to_string();
        drop(
            self.html
                .open("iframe")
                .src(&src)
                .attribute("sandbox", "allow-scripts allow-forms allow-popups")
                .attribute("referrerpolicy", "no-referrer")
                .attribute("loading", "lazy")
                .attribute("title", url.host_str().unwrap_or_default())
                .attribute("height", &format!("{height:.0}"))
                .attribute("data-state", &state),
        );
        self.html.markup("</iframe>");
    }
}

fn member<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The targets of a text that belongs to no space: addresses of other servers.
struct NoTargets;

impl Targets for NoTargets {
    fn target(&self, reference: &ContentRef) -> Target {
        let href = match reference {
            ContentRef::ContentRefUrl(url) => Href::link(&url.url).filter(Href::is_external),
            _ => None,
        };
        Target {
            href,
            ..Target::default()
        }
    }

    fn file(&self, _: &str) -> Option<&FileTarget> {
        None
    }

    fn reusable_content(&self, _: &ContentRef) -> Option<&[DocumentBlock]> {
        None
    }

    fn specification(&self, _: &str) -> Option<&Value> {
        None
    }

    fn embed(&self, _: &str) -> Option<(&str, &str)> {
        None
    }

    fn component(&self, _: &BlockIntegration) -> Option<Href> {
        None
    }

    fn search(&self) -> &Href {
        static NOWHERE: LazyLock<Href> = LazyLock::new(|| Href::path(""));
        &NOWHERE
    }
}
