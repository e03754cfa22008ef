//! The metadata in the head of a page: Open Graph, and what HTML itself has.

use html5gum::{State, Token, Tokenizer};
use url::Url;

use crate::{
    address, charset,
    text::{MAX_SITE, MAX_TITLE, one_line},
};

/// The maximum number of elements that are looked at: pages state what they are at their beginning.
const MAX_ELEMENTS: usize = 5000;

/// The metadata of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageMetadata {
    pub title: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    pub icon: Option<Url>,
    /// The address of the oEmbed description, in JSON.
    pub oembed: Option<Url>,
}

impl PageMetadata {
    /// Reads the page at `address`, or the beginning of it.
    pub fn read(bytes: &[u8], content_type: Option<&str>, address: &Url) -> Self {
        let html = charset::decode(bytes, content_type);
        let mut head = Head::new(address);
        let mut tokens = Tokenizer::new(html.as_ref());
        let mut elements = 0_usize;
        while let Some(Ok(token)) = tokens.next() {
            match token {
                Token::StartTag(tag) => {
                    elements = elements.saturating_add(1);
                    if elements > MAX_ELEMENTS {
                        break;
                    }
                    let attribute = |name: &str| {
                        tag.attributes
                            .get(name.as_bytes())
                            .map(|value| String::from_utf8_lossy(value))
                    };
                    match &*tag.name as &[u8] {
                        b"meta" => head.meta(attribute),
                        b"link" => head.link(attribute),
                        b"base" => head.base(attribute("href").as_deref()),
                        b"title" => {
                            head.begin_title();
                            tokens.set_state(State::RcData);
                        }
                        // Their contents are text, in which nothing looks like an element.
                        b"script" => tokens.set_state(State::ScriptData),
                        b"style" | b"noscript" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => {
                            tokens.set_state(State::RawText);
                        }
                        b"textarea" => tokens.set_state(State::RcData),
                        _ => {}
                    }
                }
                Token::EndTag(tag) if *tag.name == b"title" => head.end_title(),
                Token::String(text) => head.text(&String::from_utf8_lossy(&text)),
                _ => {}
            }
        }
        head.metadata()
    }
}

/// The metadata up to a point of the page. The first of each kind counts.
struct Head {
    base: Url,
    has_base: bool,
    open_graph_title: Option<String>,
    twitter_title: Option<String>,
    title: Option<String>,
    in_title: bool,
    site: Option<String>,
    application: Option<String>,
    icon: Option<Url>,
    touch_icon: Option<Url>,
    oembed: Option<Url>,
}

impl Head {
    fn new(address: &Url) -> Self {
        Self {
            base: address.clone(),
            has_base: false,
            open_graph_title: None,
            twitter_title: None,
            title: None,
            in_title: false,
            site: None,
            application: None,
            icon: None,
            touch_icon: None,
            oembed: None,
        }
    }

    fn meta<'a, T: AsRef<str>>(&mut self, attribute: impl Fn(&'a str) -> Option<T>) {
        let Some(content) = attribute("content") else { return };
        let Some(name) = attribute("property").or_else(|| attribute("name")) else {
            return;
        };
        let (slot, max) = match name.as_ref().trim().to_ascii_lowercase().as_str() {
            "og:title" => (&mut self.open_graph_title, MAX_TITLE),
            "twitter:title" => (&mut self.twitter_title, MAX_TITLE),
            "og:site_name" => (&mut self.site, MAX_SITE),
            "application-name" => (&mut self.application, MAX_SITE),
            _ => return,
        };
        if slot.is_none() {
            *slot = one_line(content.as_ref(), max);
        }
    }

    fn link<'a, T: AsRef<str>>(&mut self, attribute: impl Fn(&'a str) -> Option<T>) {
        let (Some(relations), Some(href)) = (attribute("rel"), attribute("href")) else {
            return;
        };
        let relations = relations.as_ref().to_ascii_lowercase();
        let has = |relation| relations.split_ascii_whitespace().any(|one| one == relation);
        let is_oembed = has("alternate")
            && attribute("type")
                .is_some_and(|form| form.as_ref().trim().eq_ignore_ascii_case("application/json+oembed"));
        let address = self.address(href.as_ref());
        let slot = if is_oembed {
            &mut self.oembed
        } else if has("icon") {
            &mut self.icon
        } else if has("apple-touch-icon") {
            &mut self.touch_icon
        } else {
            return;
        };
        if slot.is_none() {
            *slot = address;
        }
    }

    fn base(&mut self, href: Option<&str>) {
        let found = href.and_then(|href| self.address(href));
        if let Some(base) = found.filter(|_| !self.has_base) {
            self.base = base;
            self.has_base = true;
        }
    }

    /// The address that a reference in the page leads to.
    fn address(&self, reference: &str) -> Option<Url> {
        self.base.join(reference.trim()).ok().and_then(address::of_the_web)
    }

    fn begin_title(&mut self) {
        // Drawings in the body have titles too.
        self.in_title = self.title.is_none();
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.get_or_insert_default().push_str(text);
        }
    }

    fn end_title(&mut self) {
        self.in_title = false;
    }

    fn metadata(self) -> PageMetadata {
        let title = self.title.and_then(|title| one_line(&title, MAX_TITLE));
        PageMetadata {
            title: self.open_graph_title.or(self.twitter_title).or(title),
            site: self.site.or(self.application),
            icon: self.icon.or(self.touch_icon),
            oembed: self.oembed,
        }
    }
}
