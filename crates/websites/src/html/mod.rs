//! The main part of a page in HTML as Markdown.

mod tables;

use html5gum::{StartTag, Token, Tokenizer};
use url::Url;

use self::tables::Table;
use crate::{
    attributes::{attribute, follow, name_of},
    writer::Writer,
};

/// The most lists and quotes that are open at once.
const MAX_OPEN: usize = 1000;

/// The longest text before the title that is left out: the way to the page.
const MAX_BEFORE_TITLE: usize = 300;

/// What an element refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Page,
    Picture,
}

/// Returns the target of a link or a picture as it is to be written; `None`: as it is.
pub type Resolve<'r> = &'r mut dyn FnMut(Target, &Url) -> Option<String>;

/// Writes the main part of a page.
pub fn markdown(html: &str, address: &Url, resolve: Resolve<'_>) -> String {
    let root = root(html);
    let mut page = Page {
        base: address.clone(),
        address: address.clone(),
        resolve,
        writer: Writer::default(),
        depth: if root == "body" { 1 } else { 0 },
        root,
        skipped: None,
        lists: Vec::new(),
        quotes: Vec::new(),
        heading: None,
        is_title_written: false,
        in_anchor: false,
        title: None,
        code: None,
        table: None,
    };
    let mut tokens = Tokenizer::new(html);
    while let Some(Ok(token)) = tokens.next() {
        match token {
            Token::StartTag(tag) => {
                let name = name_of(&tag.name).into_owned();
                follow(&mut tokens, &name);
                page.start(&name, &tag);
                if tag.self_closing && page.skipped.as_ref().is_some_and(|(skipped, _)| *skipped == name) {
                    page.end(&name);
                }
            }
            Token::EndTag(tag) => page.end(&name_of(&tag.name)),
            Token::String(text) => page.text(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    page.finish()
}

/// The element with the main part.
fn root(html: &str) -> &'static str {
    let (mut root, mut tokens) = ("body", Tokenizer::new(html));
    while let Some(Ok(token)) = tokens.next() {
        let Token::StartTag(tag) = token else { continue };
        let name = name_of(&tag.name);
        follow(&mut tokens, &name);
        match &*name {
            "main" => return "main",
            "article" => root = "article",
            _ => {}
        }
    }
    root
}

struct Page<'r> {
    base: Url,
    address: Url,
    resolve: Resolve<'r>,
    writer: Writer,
    root: &'static str,
    /// How many elements with the name of the root are open.
    depth: usize,
    /// An element that is left out, and how many with its name are open.
    skipped: Option<(String, usize)>,
    /// The next number of each list that has some, and the level outside.
    lists: Vec<(Option<u64>, usize)>,
    quotes: Vec<usize>,
    /// The heading that is open: its level, the level outside, and its id.
    heading: Option<(usize, usize, Option<String>)>,
    is_title_written: bool,
    /// In the link of a heading to itself.
    in_anchor: bool,
    /// The text of the element `title`, and whether it has ended.
    title: Option<(String, bool)>,
    /// The text of code, the element, and its language.
    code: Option<Code>,
    table: Option<Table>,
}

struct Code {
    element: String,
    language: String,
    text: String,
}

impl Page<'_> {
    fn start(&mut self, name: &str, tag: &StartTag<()>) {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped == name);
            return;
        }
        match name {
            "base" => {
                let href = attribute(tag, "href").and_then(|href| self.base.join(href.trim()).ok());
                self.base = href.unwrap_or_else(|| self.base.clone());
            }
            "title" if self.title.is_none() => self.title = Some((String::new(), false)),
            _ => {}
        }
        if name == self.root && name != "body" {
            self.depth += 1;
        }
        if self.depth == 0 {
            return;
        }
        if self.is_left_out(name, tag) {
            self.skipped = Some((name.to_owned(), 1));
            return;
        }
        match &mut self.code {
            Some(code) if name == "br" => code.text.push('\n'),
            Some(code) if name == "code" && code.language.is_empty() => code.language = language(tag),
            Some(_) => {}
            None => self.element(name, tag),
        }
    }

    fn is_left_out(&self, name: &str, tag: &StartTag<()>) -> bool {
        match name {
            "script" | "style" | "noscript" | "template" | "svg" | "nav" | "footer" | "form" | "button" | "iframe"
            | "select" | "textarea" | "dialog" | "head" | "object" | "canvas" | "audio" | "video" => {
                name != "head" || self.root != "body"
            }
            "header" | "aside" => self.root == "body",
            "br" | "img" | "hr" | "wbr" | "input" | "col" | "link" | "meta" => false,
            _ => {
                attribute(tag, "hidden").is_some() || attribute(tag, "aria-hidden").is_some_and(|value| value == "true")
            }
        }
    }

    fn element(&mut self, name: &str, tag: &StartTag<()>) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.start_heading(name, tag),
            "b" | "strong" => self.writer.open(name, "**", "**".to_owned()),
            "i" | "em" | "cite" | "dfn" => self.writer.open(name, "*", "*".to_owned()),
            "s" | "del" | "strike" => self.writer.open(name, "~~", "~~".to_owned()),
            "code" | "kbd" | "samp" | "tt" | "pre" | "listing" => {
                let (element, language) = (name.to_owned(), language(tag));
                let text = String::new();
                self.code = Some(Code {
                    element,
                    language,
                    text,
                });
            }
            "a" => self.start_link(tag),
            "img" => self.picture(tag),
            "br" => self.writer.hard_break(),
            "hr" if !self.writer.is_flat => self.writer.lines("***"),
            "ul" | "ol" | "menu" => {
                let start = || {
                    attribute(tag, "start")
                        .and_then(|start| start.parse().ok())
                        .unwrap_or(1)
                };
                self.writer.block();
                self.lists.truncate(MAX_OPEN);
                self.lists.push(((name == "ol").then(start), self.writer.level()));
            }
            "li" => self.start_item(),
            "blockquote" => {
                self.writer.block();
                self.quotes.truncate(MAX_OPEN);
                self.quotes.push(self.writer.level());
                self.writer.enter(Some("> "), "> ");
            }
            "table" => self.start_table(),
            "tr" | "td" | "th" => self.start_part_of_table(name),
            name if is_block(name) => self.writer.block(),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth -= usize::from(skipped == name);
            if *depth == 0 {
                self.skipped = None;
            }
            return;
        }
        if name == "title"
            && let Some((_, has_ended)) = &mut self.title
        {
            *has_ended = true;
        }
        if self.depth == 0 {
            return;
        }
        if let Some(code) = self.code.take_if(|code| code.element == name) {
            return self.write_code(code);
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.end_heading(),
            "a" => {
                self.in_anchor = false;
                self.writer.close("a");
            }
            "ul" | "ol" | "menu" => {
                if let Some((_, level)) = self.lists.pop() {
                    self.writer.leave_to(level);
                    self.writer.block();
                }
            }
            "li" => self.writer.only_line(),
            "blockquote" => {
                self.writer.block();
                if let Some(level) = self.quotes.pop() {
                    self.writer.leave_to(level);
                }
            }
            "td" | "th" => self.end_cell(),
            "table" => self.end_table(),
            name if is_block(name) => self.writer.block(),
            name => self.writer.close(name),
        }
        if name == self.root && name != "body" {
            self.depth = self.depth.saturating_sub(1);
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if let Some((title, false)) = &mut self.title {
            title.push_str(text);
            return;
        }
        if self.depth == 0 {
            return;
        }
        match &mut self.code {
            Some(code) => code.text.push_str(text),
            None if self.in_anchor && is_sign(text) => {}
            None => self.writer.words(text),
        }
    }

    fn start_heading(&mut self, name: &str, tag: &StartTag<()>) {
        self.end_heading();
        self.writer.block();
        let level = name
            .bytes()
            .next_back()
            .map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
        if level == 1 && !self.is_title_written {
            if self.writer.len() <= MAX_BEFORE_TITLE && !self.writer.is_flat {
                self.writer.clear();
            }
            self.is_title_written = true;
        }
        let id = attribute(tag, "id").filter(|id| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            level > 1 && !id.is_empty() && id.len() <= 100 && id.chars().all(is_plain)
        });
        self.heading = Some((level, self.writer.level(), id.map(std::borrow::Cow::into_owned)));
        self.writer.enter(Some(&format!("{} ", "#".repeat(level))), "");
    }

    fn end_heading(&mut self) {
        let Some((_, level, id)) = self.heading.take() else {
            return;
        };
        self.in_anchor = false;
        if let Some(id) = id.filter(|_| !self.writer.is_flat && !self.writer.is_pending()) {
            self.writer.words(" ");
            self.writer.raw(&format!("{{#{id}}}"));
        }
        self.writer.leave_to(level);
        self.writer.block();
    }

    fn start_link(&mut self, tag: &StartTag<()>) {
        self.writer.close("a");
        let href = attribute(tag, "href").map(|href| href.trim().to_owned());
        let Some(href) = href.filter(|href| !href.is_empty()) else {
            return;
        };
        if href.starts_with('#') && self.heading.is_some() {
            self.in_anchor = true;
            return;
        }
        let Ok(target) = self.base.join(&href) else { return };
        let mut bare = target.clone();
        bare.set_fragment(None);
        let fragment = target
            .fragment()
            .map(|fragment| format!("#{fragment}"))
            .unwrap_or_default();
        let target = match () {
            () if bare == self.address => fragment,
            () => match (self.resolve)(Target::Page, &bare) {
                Some(path) => format!("{path}{fragment}"),
                None => target.to_string(),
            },
        };
        if !target.is_empty() {
            self.writer.open("a", "[", format!("]({})", destination(&target)));
        }
    }

    fn picture(&mut self, tag: &StartTag<()>) {
        let source = ["src", "data-src"].into_iter().find_map(|name| {
            let source = attribute(tag, name)?;
            let source = self.base.join(source.trim()).ok()?;
            matches!(source.scheme(), "http" | "https").then_some(source)
        });
        let Some(source) = source else { return };
        let target = (self.resolve)(Target::Picture, &source).unwrap_or_else(|| source.to_string());
        let alternative = attribute(tag, "alt").unwrap_or_default();
        let mut words = Writer::flat();
        words.words(&alternative);
        self.writer
            .raw(&format!("![{}]({})", words.finish(), destination(&target)));
    }

    fn start_item(&mut self) {
        let Some((number, level)) = self.lists.last_mut() else {
            return self.writer.block();
        };
        let marker = match number {
            Some(number) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            None => "- ".to_owned(),
        };
        self.writer.leave_to(*level);
        self.writer.next_line();
        self.writer.enter(Some(&marker), &" ".repeat(marker.len()));
    }

    fn write_code(&mut self, code: Code) {
        let is_block = matches!(code.element.as_str(), "pre" | "listing") && !self.writer.is_flat;
        let longest = code.text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        if is_block {
            let fence = "`".repeat(longest.max(2) + 1);
            let text = code.text.trim_matches('\n');
            self.writer.lines(&format!("{fence}{}\n{text}\n{fence}", code.language));
            return;
        }
        let text = code.text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let text = if self.writer.is_flat {
            text.replace('|', "\\|")
        } else {
            text
        };
        if !text.is_empty() {
            let (fence, edge) = ("`".repeat(longest + 1), if longest > 0 { " " } else { "" });
            self.writer.raw(&format!("{fence}{edge}{text}{edge}{fence}"));
        }
    }

    fn finish(mut self) -> String {
        if let Some(code) = self.code.take() {
            self.write_code(code);
        }
        self.end_all_tables();
        self.end_heading();
        let text = self.writer.finish();
        let title = self.title.map(|(title, _)| title).unwrap_or_default();
        let title = title.split(" | ").next().unwrap_or_default().trim();
        if self.is_title_written || title.is_empty() {
            return format!("{text}\n");
        }
        let mut heading = Writer::default();
        heading.enter(Some("# "), "");
        heading.words(title);
        format!("{}\n\n{text}\n", heading.finish())
    }
}

fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 21] = [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "aside",
        "figure",
        "figcaption",
        "dl",
        "dt",
        "dd",
        "details",
        "summary",
        "address",
        "fieldset",
        "caption",
        "center",
        "body",
        "tbody",
        "hgroup",
    ];
    BLOCKS.contains(&name)
}

/// The language of code, by the classes that highlighters give it.
fn language(tag: &StartTag<()>) -> String {
    let classes = attribute(tag, "class").unwrap_or_default();
    let named = classes
        .split_ascii_whitespace()
        .find_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-#._".contains(c);
    let named = named.filter(|name| name.len() <= 30 && name.chars().all(is_plain));
    named.unwrap_or_default().to_owned()
}

/// Whether a text is the sign of a link of a heading to itself.
fn is_sign(text: &str) -> bool {
    matches!(
        text.trim_matches(|c: char| c.is_whitespace() || c == '\u{200b}'),
        "" | "#" | "¶" | "§" | "🔗"
    )
}

/// A target as the destination of a link.
fn destination(target: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$&'*+,;=%".contains(c);
    match target.chars().all(is_plain) {
        true => target.replace('&', "&amp;"),
        false => {
            let encode = |c: char| match c {
                '<' => "%3C".to_owned(),
                '>' => "%3E".to_owned(),
                '\\' => "%5C".to_owned(),
                '{' => "%7B".to_owned(),
                c if c.is_control() => String::new(),
                c => c.to_string(),
            };
            format!(
                "<{}>",
                target.chars().map(encode).collect::<String>().replace('&', "&amp;")
            )
        }
    }
}
