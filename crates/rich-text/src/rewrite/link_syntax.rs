//! The syntax of inline links.

use std::ops::Range;

use comrak::nodes::NodeLink;

use crate::syntax::entities;

/// `[label](target "title")`
pub struct LinkParts {
    pub label: Range<usize>,
    /// Includes `<` and `>`, if any.
    pub target: Range<usize>,
    pub end: usize,
}

/// Maximum number of `](` to try from the end: a title may contain the same characters.
const MAX_ATTEMPTS: usize = 16;

/// Parses the link that takes up exactly this range.
pub fn parse_exact(text: &str, at: &Range<usize>, link: &NodeLink) -> Option<LinkParts> {
    let whole = text.get(at.clone())?;
    let open = opening_length(whole)?;
    let mut searched = whole;
    for _ in 0..MAX_ATTEMPTS {
        let close = searched.rfind("](")?;
        let tail = LinkTail::parse(whole.get(close + 2..)?, link);
        if let Some(tail) = tail.filter(|tail| close + 2 + tail.length == whole.len()) {
            return Some(LinkParts {
                label: at.start + open..at.start + close.max(open),
                target: at.start + close + 2 + tail.target.start..at.start + close + 2 + tail.target.end,
                end: at.end,
            });
        }
        searched = whole.get(..close)?;
    }
    None
}

/// Returns the length of `[` or `![`.
pub fn opening_length(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [b'[', ..] => Some(1),
        [b'!', b'[', ..] => Some(2),
        _ => None,
    }
}

/// The rest of a link after `](`.
pub struct LinkTail {
    pub target: Range<usize>,
    pub length: usize,
}

impl LinkTail {
    /// Parses `target "title")`. Returns `None` if the link differs from the one that the parser found.
    pub fn parse(text: &str, link: &NodeLink) -> Option<Self> {
        // Every character may be an entity of up to ten characters.
        let most = |text: &str| text.len().saturating_mul(10) + 2;
        let start = space_length(text);
        let rest = text.get(start..)?;
        let length = target_length(rest, most(&link.url))?;
        let target = start..start + length;
        if !equals_target(text.get(target.clone())?, &link.url) {
            return None;
        }
        let rest = text.get(target.end..)?;
        let mut end = target.end + space_length(rest);
        let title = text.get(end..).and_then(|rest| title_length(rest, most(&link.title)));
        // An empty title equals a missing one.
        if title.map_or(0, |length| length.saturating_sub(2)) == 0 && !link.title.is_empty() {
            return None;
        }
        if let Some(title) = title {
            if end == target.end || (title > 2 && link.title.is_empty()) {
                return None;
            }
            end += title;
            end += space_length(text.get(end..)?);
        }
        text.get(end..)?.starts_with(')').then_some(Self {
            target,
            length: end + 1,
        })
    }
}

/// Returns whether a target in the source equals the parsed one. Only the parser knows the rare entities.
fn equals_target(written: &str, target: &str) -> bool {
    let bare = written.strip_prefix('<').and_then(|bare| bare.strip_suffix('>'));
    let bare = bare.unwrap_or(written);
    bare == target || entities::unescape(bare) == target || (bare.contains('&') && !target.is_empty())
}

/// Returns the length of the white space; after a line end this includes the prefixes of containers.
fn space_length(text: &str) -> usize {
    let mut in_prefix = false;
    let end = text.bytes().take(MAX_SPACE).position(|byte| {
        in_prefix |= byte == b'\n';
        !(matches!(byte, b' ' | b'\t' | b'\n') || (in_prefix && byte == b'>'))
    });
    end.unwrap_or(text.len().min(MAX_SPACE))
}

const MAX_SPACE: usize = 1000;

fn target_length(text: &str, most: usize) -> Option<usize> {
    if let Some(inner) = text.strip_prefix('<') {
        let end = find_unescaped(inner, most, |byte| matches!(byte, b'<' | b'>' | b'\n'))?;
        return inner.get(end..)?.starts_with('>').then_some(end + 2);
    }
    let mut open = 0_usize;
    let end = find_unescaped(text, most, |byte| match byte {
        b'(' => {
            open += 1;
            false
        }
        b')' => {
            let ends = open == 0;
            open = open.saturating_sub(1);
            ends
        }
        byte => byte.is_ascii_whitespace() || byte.is_ascii_control(),
    });
    end.filter(|_| open == 0)
}

fn title_length(text: &str, most: usize) -> Option<usize> {
    let close = match text.bytes().next()? {
        b'(' => b')',
        quote @ (b'"' | b'\'') => quote,
        _ => return None,
    };
    Some(find_unescaped(text.get(1..)?, most, |byte| byte == close)? + 2)
}

/// Returns the offset of the first matching byte that is not escaped, within `most` bytes.
fn find_unescaped(text: &str, most: usize, mut is: impl FnMut(u8) -> bool) -> Option<usize> {
    let mut escaped = false;
    text.bytes().take(most.saturating_add(2)).position(|byte| {
        let matches = !escaped && is(byte);
        escaped = byte == b'\\' && !escaped;
        matches
    })
}
