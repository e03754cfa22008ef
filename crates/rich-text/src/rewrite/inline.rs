//! The parts of a link as they stand in Markdown.

use std::ops::Range;

use comrak::nodes::NodeLink;

use crate::syntax::entities;

/// `[label](target "title")`
pub struct Parts {
    pub label: Range<usize>,
    /// With `<` and `>` if it has them.
    pub target: Range<usize>,
    pub end: usize,
}

/// Where the label of a link ends that has a target of its own and ends here. A title may contain what looks like the
/// beginning of a target; so many are looked at.
const ATTEMPTS: usize = 16;

/// The parts of a link that stands exactly here.
pub fn exactly(text: &str, at: &Range<usize>, link: &NodeLink) -> Option<Parts> {
    let whole = text.get(at.clone())?;
    let open = opening(whole)?;
    let mut searched = whole;
    for _ in 0..ATTEMPTS {
        let close = searched.rfind("](")?;
        let tail = Tail::read(whole.get(close + 2..)?, link);
        if let Some(tail) = tail.filter(|tail| close + 2 + tail.length == whole.len()) {
            return Some(Parts {
                label: at.start + open..at.start + close.max(open),
                target: at.start + close + 2 + tail.target.start..at.start + close + 2 + tail.target.end,
                end: at.end,
            });
        }
        searched = whole.get(..close)?;
    }
    None
}

/// The length of what opens a link or a picture.
pub fn opening(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [b'[', ..] => Some(1),
        [b'!', b'[', ..] => Some(2),
        _ => None,
    }
}

/// What follows `](`.
pub struct Tail {
    pub target: Range<usize>,
    pub length: usize,
}

impl Tail {
    /// Reads `target "title")` if it is what the parser found.
    pub fn read(text: &str, link: &NodeLink) -> Option<Self> {
        // Every character may be written as an entity.
        let most = |text: &str| text.len().saturating_mul(10) + 2;
        let start = space(text);
        let rest = text.get(start..)?;
        let length = target_length(rest, most(&link.url))?;
        let target = start..start + length;
        if !means(text.get(target.clone())?, &link.url) {
            return None;
        }
        let rest = text.get(target.end..)?;
        let mut end = target.end + space(rest);
        let title = text.get(end..).and_then(|rest| title_length(rest, most(&link.title)));
        // An empty title is as good as none.
        if title.map_or(0, |length| length.saturating_sub(2)) == 0 && !link.title.is_empty() {
            return None;
        }
        if let Some(title) = title {
            if end == target.end || (title > 2 && link.title.is_empty()) {
                return None;
            }
            end += title;
            end += space(text.get(end..)?);
        }
        text.get(end..)?.starts_with(')').then_some(Self {
            target,
            length: end + 1,
        })
    }
}

/// Whether a target as it is written is this one. Rare entities are only known to the parser.
fn means(written: &str, target: &str) -> bool {
    let bare = written.strip_prefix('<').and_then(|bare| bare.strip_suffix('>'));
    let bare = bare.unwrap_or(written);
    bare == target || entities::unescape(bare) == target || (bare.contains('&') && !target.is_empty())
}

/// The length of the space here; a line may end, and what containers want may begin the next one.
fn space(text: &str) -> usize {
    let mut in_prefix = false;
    let end = text.bytes().take(SPACE).position(|byte| {
        in_prefix |= byte == b'\n';
        !(matches!(byte, b' ' | b'\t' | b'\n') || (in_prefix && byte == b'>'))
    });
    end.unwrap_or(text.len().min(SPACE))
}

const SPACE: usize = 1000;

fn target_length(text: &str, most: usize) -> Option<usize> {
    if let Some(inner) = text.strip_prefix('<') {
        let end = unescaped(inner, most, |byte| matches!(byte, b'<' | b'>' | b'\n'))?;
        return inner.get(end..)?.starts_with('>').then_some(end + 2);
    }
    let mut open = 0_usize;
    let end = unescaped(text, most, |byte| match byte {
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
    Some(unescaped(text.get(1..)?, most, |byte| byte == close)? + 2)
}

/// The first place of such a byte that is not escaped, if it is not further away than this.
fn unescaped(text: &str, most: usize, mut is: impl FnMut(u8) -> bool) -> Option<usize> {
    let mut escaped = false;
    text.bytes().take(most.saturating_add(2)).position(|byte| {
        let found = !escaped && is(byte);
        escaped = byte == b'\\' && !escaped;
        found
    })
}
