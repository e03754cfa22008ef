//! Frames: the only HTML of strangers that an embed shows.

use std::fmt::Write;

use html5gum::{Token, Tokenizer};
use url::Url;

use crate::address;

/// The height in CSS pixels of a frame that states none.
const DEFAULT_HEIGHT: u32 = 400;

/// The maximum width and height in CSS pixels.
const MAX_SIZE: u32 = 4096;

/// The permissions of a frame. Players need the origin of their own page, which must not be the one of the page around it.
const SANDBOX: &str =
    "allow-forms allow-popups allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts";

/// A frame with a page of another site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub source: Url,
    pub width: Option<u32>,
    pub height: Option<u32>,
}

impl Frame {
    /// The first frame in the HTML of an oEmbed response, if its page is served by HTTPS.
    pub(crate) fn find(html: &str) -> Option<Self> {
        for Ok(token) in Tokenizer::new(html) {
            let Token::StartTag(tag) = token else { continue };
            if *tag.name != b"iframe" {
                continue;
            }
            let attribute = |name: &str| {
                tag.attributes
                    .get(name.as_bytes())
                    .map(|value| String::from_utf8_lossy(value))
            };
            let source = attribute("src")?;
            // Addresses without a scheme are common: the page of the embed decides.
            let source = source.trim();
            let source = if source.starts_with("//") {
                format!("https:{source}")
            } else {
                source.to_owned()
            };
            let source = Url::parse(&source).ok().and_then(address::of_the_web)?;
            return (source.scheme() == "https").then(|| Self {
                source,
                width: attribute("width").and_then(|width| pixels(&width)),
                height: attribute("height").and_then(|height| pixels(&height)),
            });
        }
        None
    }

    /// The element. `title` is for screen readers.
    pub fn html(&self, title: &str) -> String {
        let mut html = String::from("<iframe src=\"");
        escape(&mut html, self.source.as_str());
        html.push_str("\" title=\"");
        escape(&mut html, title);
        html.push('"');
        if let Some(width) = self.width {
            // Writing into a string cannot fail.
            let _ = write!(html, " width=\"{width}\"");
        }
        let _ = write!(html, " height=\"{}\"", self.height.unwrap_or(DEFAULT_HEIGHT));
        let _ = write!(
            html,
            " sandbox=\"{SANDBOX}\" allow=\"fullscreen; picture-in-picture\" loading=\"lazy\" \
             referrerpolicy=\"strict-origin-when-cross-origin\"></iframe>",
        );
        html
    }
}

/// Sizes in percent are left to the page that shows the frame.
pub fn pixels(text: &str) -> Option<u32> {
    let text = text.trim();
    let number = text.strip_suffix("px").unwrap_or(text);
    number.parse().ok().filter(|pixels| (1..=MAX_SIZE).contains(pixels))
}

fn escape(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(c),
        }
    }
}
