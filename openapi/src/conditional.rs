//! Entity tags, and the conditions that requests make with them (RFC 9110, sections 8.8.3 and 13.1).

use std::fmt;

use poem::http::HeaderValue;

/// Names one state of an object, the same bytes for everybody who may read it: a strong entity tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntityTag(String);

impl EntityTag {
    /// `name` is what stands between the quotes; what may not stand there is left out.
    pub fn new(name: impl fmt::Display) -> Self {
        let mut name = name.to_string();
        name.retain(|c| c.is_ascii_graphic() && c != '"');
        Self(name)
    }

    /// Returns whether the caller has kept this state, according to `If-None-Match`.
    pub fn is_kept(&self, if_none_match: Option<&str>) -> bool {
        tags(if_none_match.unwrap_or_default()).any(|tag| match tag {
            Tag::Any => true,
            Tag::Strong(name) | Tag::Weak(name) => name == self.0,
        })
    }

    /// As it is written in `ETag`.
    pub fn header(&self) -> HeaderValue {
        let quoted = HeaderValue::try_from(format!("\"{}\"", self.0));
        quoted.unwrap_or(HeaderValue::from_static("\"\""))
    }
}

/// Returns whether `If-Match` lets a request pass; `is_present` says whether a name between quotes stands for the present state.
/// A weak tag never does.
pub fn permits(if_match: Option<&str>, is_present: impl Fn(&str) -> bool) -> bool {
    let Some(wanted) = if_match else {
        return true;
    };
    tags(wanted).any(|tag| match tag {
        Tag::Any => true,
        Tag::Strong(name) => is_present(name),
        Tag::Weak(_) => false,
    })
}

#[derive(Debug, PartialEq)]
enum Tag<'a> {
    /// `*`
    Any,
    Strong(&'a str),
    /// `W/"…"`
    Weak(&'a str),
}

/// The tags of a list, up to the first thing that is none.
fn tags(list: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut rest = list;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.trim_end() == "*" {
            rest = "";
            return Some(Tag::Any);
        }
        let (weak, quoted) = match rest.strip_prefix("W/") {
            Some(quoted) => (true, quoted),
            None => (false, rest),
        };
        // A tag may hold a comma, but no quote.
        let (name, after) = quoted.strip_prefix('"')?.split_once('"')?;
        rest = after;
        Some(if weak { Tag::Weak(name) } else { Tag::Strong(name) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_taken_apart() {
        let read = |list| tags(list).collect::<Vec<_>>();
        assert_eq!(read("\"a\""), [Tag::Strong("a")]);
        assert_eq!(
            read("\"a\",W/\"b\" ,\t\"c,d\", \"\""),
            [Tag::Strong("a"), Tag::Weak("b"), Tag::Strong("c,d"), Tag::Strong("")]
        );
        assert_eq!(read(" * "), [Tag::Any]);
        assert_eq!(read(", ,\"a\",,"), [Tag::Strong("a")]);
        for none in ["", " ", "a", "\"a", "w/\"a\"", "W/", "**", "*, \"a\""] {
            assert_eq!(read(none), [], "{none}");
        }
        assert_eq!(read("\"a\", b, \"c\""), [Tag::Strong("a")]);
    }

    #[test]
    fn reads_compare_weakly() {
        let tag = EntityTag::new("rev.pages");
        for kept in ["\"rev.pages\"", "W/\"rev.pages\"", "\"x\", \"rev.pages\"", "*"] {
            assert!(tag.is_kept(Some(kept)), "{kept}");
        }
        for other in ["", "\"rev\"", "rev.pages", "\"REV.pages\"", "\"x\""] {
            assert!(!tag.is_kept(Some(other)), "{other}");
        }
        assert!(!tag.is_kept(None));
    }

    #[test]
    fn writes_compare_strongly() {
        let present = |name: &str| name.split('.').next() == Some("rev");
        for passes in [
            None,
            Some("*"),
            Some("\"rev.pages\""),
            Some("\"old.x\", \"rev.y\""),
            Some("\"rev\""),
        ] {
            assert!(permits(passes, present), "{passes:?}");
        }
        for fails in ["", "\"old.pages\"", "W/\"rev.pages\"", "rev.pages"] {
            assert!(!permits(Some(fails), present), "{fails}");
        }
    }

    #[test]
    fn a_tag_is_always_a_header() {
        assert_eq!(EntityTag::new("a.b").header(), "\"a.b\"");
        assert_eq!(EntityTag::new("a\"\r\n ü").header(), "\"a\"");
    }
}
