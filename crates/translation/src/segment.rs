//! Segments: the texts that are translated one by one.

use openapi::models::Document;
use rich_text::{DocumentLimits, IdPathResolver};
use serde_json::{Value, json};

use crate::tagged::{Tagged, TagsDiffer, escape, unescape};

/// The longest segment that is sent, in bytes: engines have limits on one text.
pub const MAX_BYTES: usize = 10_000;

/// A translation has at most so many times the bytes of its segment, and some more: one word may become a sentence.
const MAX_GROWTH: usize = 10;
const SHORT_BYTES: usize = 1_000;

/// A text that is translated by itself.
#[derive(Clone, Debug)]
pub struct Segment {
    content: SegmentContent,
    /// The words with tags for everything else.
    text: String,
}

#[derive(Clone, Debug)]
enum SegmentContent {
    /// A title or a description.
    Plain,
    Inlines(Tagged),
}

impl Segment {
    pub fn plain(text: &str) -> Self {
        Self {
            content: SegmentContent::Plain,
            text: escape(text),
        }
    }

    pub(crate) fn inlines(nodes: &[Value]) -> Self {
        let tagged = Tagged::of(nodes);
        Self {
            text: tagged.text.clone(),
            content: SegmentContent::Inlines(tagged),
        }
    }

    /// The text as engines get it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the segment has anything to translate.
    pub fn has_words(&self) -> bool {
        words_only(&self.text).chars().any(char::is_alphabetic)
    }

    /// Returns whether engines take a segment of this length.
    pub fn is_sendable(&self) -> bool {
        self.text.len() <= MAX_BYTES
    }

    /// The number of words. Scripts without spaces count by characters.
    pub fn words(&self) -> usize {
        count_words(&words_only(&self.text))
    }

    /// Returns whether a translation can be put in place of the segment.
    pub fn accepts(&self, translation: &str) -> bool {
        if translation.len() > MAX_GROWTH * self.text.len() + SHORT_BYTES {
            return false;
        }
        match &self.content {
            SegmentContent::Plain => self.plain_translation(translation).is_some(),
            SegmentContent::Inlines(_) => self.translated_nodes(translation).is_ok_and(is_expressible),
        }
    }

    /// The words of a translation of a plain segment. `None`: the translation has none, or has tags.
    pub fn plain_translation(&self, translation: &str) -> Option<String> {
        if translation.contains(['<', '>']) {
            return None;
        }
        let text = unescape(translation);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The nodes of a translation of inline content.
    pub(crate) fn translated_nodes(&self, translation: &str) -> Result<Vec<Value>, TagsDiffer> {
        let SegmentContent::Inlines(tagged) = &self.content else {
            return Err(TagsDiffer);
        };
        if !words_only(translation).chars().any(|c| !c.is_whitespace()) {
            return Err(TagsDiffer);
        }
        let core = self.text.trim();
        let (before, after) = self.text.split_once(core).unwrap_or_default();
        tagged.decode(&format!("{before}{}{after}", translation.trim()))
    }
}

/// Returns whether the nodes, as a paragraph, have a form in Markdown.
fn is_expressible(nodes: Vec<Value>) -> bool {
    let paragraph = json!({ "object": "block", "type": "paragraph", "nodes": nodes });
    let document = json!({ "object": "document", "data": {}, "nodes": [paragraph] });
    let document = serde_json::from_value::<Document>(document);
    document
        .is_ok_and(|document| rich_text::render_with(&document, &DocumentLimits::default(), &IdPathResolver).is_ok())
}

/// Returns the text without tags, and with the characters that entities stand for.
pub fn words_only(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        words.push_str(before);
        match tag.split_once('>') {
            Some((_, after)) => {
                // Words on both sides of an image are two words; those around marks may be parts of one.
                if tag.starts_with('x') {
                    words.push(' ');
                }
                rest = after;
            }
            None => rest = "",
        }
    }
    words.push_str(rest);
    unescape(&words)
}

/// Counts words; each ideograph counts as one.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for c in text.chars() {
        if is_ideograph(c) {
            count += 1;
            in_word = false;
        } else if c.is_alphanumeric() {
            count += usize::from(!in_word);
            in_word = true;
        } else if !matches!(c, '\'' | '’' | '-' | '_' | '.') {
            in_word = false;
        }
    }
    count
}

/// Scripts that are written without spaces.
pub fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}
