//! Paths of files, and what pages are called after them.

use percent_encoding::percent_decode_str;

/// Characters of a title, as in the contract.
const MAX_TITLE: usize = 255;

/// The directory of a path; empty for what lies at the top.
pub fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The name without its extension.
pub fn stem(path: &str) -> &str {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

pub fn is_markdown(path: &str) -> bool {
    let extension = file_name(path).rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        ["md", "markdown"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Whether a file of Markdown stands for its directory.
pub fn is_readme(path: &str) -> bool {
    let stem = stem(path);
    is_markdown(path) && (stem.eq_ignore_ascii_case("readme") || stem.eq_ignore_ascii_case("index"))
}

/// What the slug of the page of a file is made of.
pub fn for_slug(path: &str) -> &str {
    let directory = directory(path);
    if is_readme(path) && !directory.is_empty() {
        file_name(directory)
    } else {
        stem(path)
    }
}

/// A title for what has none: `getting-started` is called "Getting started".
pub fn spoken(path: &str) -> String {
    spoken_name(for_slug(path))
}

/// The same of the name of a directory.
pub fn spoken_name(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut characters = words.trim().chars();
    let first: String = characters
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    first + characters.as_str()
}

/// A title as it can be stored: on one line, and not too long.
pub fn title(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(MAX_TITLE).collect();
    cut.trim_end().to_owned()
}

/// Whether this title says all that a heading says.
pub fn is_whole(heading: &str, of: &str) -> bool {
    heading.chars().count() <= MAX_TITLE && title(heading) == of
}

/// What a target within the directory says.
pub struct Local {
    /// Below the directory; empty is the directory itself.
    pub path: String,
    pub anchor: Option<String>,
}

/// Reads a target that stands in a text of this directory; none if it leads out of what is imported. One that begins
/// with a slash begins at the top.
pub fn local(directory: &str, target: &str) -> Option<Local> {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    let path = path.split('?').next().unwrap_or_default();
    let decode = |text: &str| percent_decode_str(text).decode_utf8().map(|text| text.into_owned());
    let path = decode(path).ok()?;
    let directory = if path.starts_with('/') { "" } else { directory };
    Some(Local {
        path: crate::areas::authoring::editor::joined(directory, &path)?,
        anchor: anchor
            .and_then(|anchor| decode(anchor).ok())
            .filter(|anchor| !anchor.is_empty()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_stay_in_the_directory() {
        let of = |directory, target| local(directory, target).map(|local| (local.path, local.anchor));
        let to = |path: &str| Some((path.to_owned(), None));
        assert_eq!(of("a/b", "c.md"), to("a/b/c.md"));
        assert_eq!(of("a/b", "../c%20d.md?x"), to("a/c d.md"));
        assert_eq!(of("a/b", "/c.md#"), to("c.md"));
        assert_eq!(of("a", "../b/"), to("b"));
        assert_eq!(of("a", ".."), to(""));
        assert_eq!(
            of("a", "b.md#%C3%BC"),
            Some(("a/b.md".to_owned(), Some("ü".to_owned())))
        );
        for out in [
            "../../b.md",
            "/../etc/passwd",
            "%2e%2e/%2e%2e/etc/passwd",
            "..%2f..%2fb.md",
            "%ff.md",
        ] {
            assert_eq!(of("a", out), None, "{out}");
        }
    }

    #[test]
    fn files_without_a_title_have_one() {
        for (path, title, slug) in [
            ("a/getting-started.md", "Getting started", "getting-started"),
            ("a/how_to/README.md", "How to", "how_to"),
            ("readme.MD", "Readme", "readme"),
            ("a.b.md", "A.b", "a.b"),
            (".md", ".md", ".md"),
        ] {
            assert_eq!((spoken(path).as_str(), for_slug(path)), (title, slug), "{path}");
        }
        assert_eq!(title(" a\u{1b}[31m\n b "), "a [31m b");
        assert_eq!(title(&"ü".repeat(300)).chars().count(), 255);
    }
}
