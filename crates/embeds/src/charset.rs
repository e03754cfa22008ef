//! The encoding of HTML, as browsers find it: byte order mark, header, `meta` element, UTF-8.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};
use html5gum::{Token, Tokenizer};

/// The bytes of a page in which browsers look for its encoding.
const PRESCANNED_BYTES: usize = 1024;

/// The text of a page. What does not belong to its encoding becomes replacement characters.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    let stated = || of_content_type(content_type?);
    let encoding = stated().or_else(|| of_meta(bytes)).unwrap_or(UTF_8);
    encoding.decode(bytes).0
}

fn of_content_type(value: &str) -> Option<&'static Encoding> {
    let (_, parameters) = value.split_once(';')?;
    let label = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

fn of_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..PRESCANNED_BYTES).unwrap_or(bytes);
    for Ok(token) in Tokenizer::new(start) {
        let Token::StartTag(tag) = token else { continue };
        if *tag.name != b"meta" {
            continue;
        }
        let attribute = |name: &[u8]| {
            tag.attributes
                .get(name)
                .map(|value| String::from_utf8_lossy(value).into_owned())
        };
        let found = match attribute(b"charset") {
            Some(label) => Encoding::for_label(label.as_bytes()),
            None => attribute(b"content").and_then(|content| of_content_type(&content)),
        };
        if let Some(encoding) = found {
            // The element could be read, so that the page is in an encoding that has ASCII.
            let has_no_ascii = encoding == UTF_16BE || encoding == UTF_16LE || encoding == X_USER_DEFINED;
            return Some(if has_no_ascii { UTF_8 } else { encoding });
        }
    }
    None
}
