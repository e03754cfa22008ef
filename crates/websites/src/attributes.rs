//! Attributes of elements, and what tokens leave to their reader.

use std::borrow::Cow;

use html5gum::{StartTag, State, Tokenizer};

pub fn attribute<'t>(tag: &'t StartTag<()>, name: &str) -> Option<Cow<'t, str>> {
    let value = tag.attributes.get(name.as_bytes())?;
    Some(String::from_utf8_lossy(value))
}

pub fn name_of(name: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(name)
}

/// Reads the contents of elements that have only text.
pub fn follow<R: html5gum::Reader>(tokens: &mut Tokenizer<R>, name: &str) {
    match name {
        "title" | "textarea" => tokens.set_state(State::RcData),
        "script" => tokens.set_state(State::ScriptData),
        "style" | "noscript" | "xmp" | "iframe" | "noembed" | "noframes" => tokens.set_state(State::RawText),
        _ => {}
    }
}
