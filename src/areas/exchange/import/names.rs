//! Paths of files, and the titles and slugs derived from them.

pub use content::summary::normalize_title;
use content::summary::visible;
use openapi::models::texts::PAGE_TITLE;
use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

/// Returns a path in the form in which paths are compared: composed (NFC), as macOS decomposes names, and without the
/// invisible characters that come with copied text.
pub fn comparable(path: &str) -> String {
    visible(path).nfc().collect()
}

/// Returns the path that an author means, who may begin it with `./` or `/`, in comparable form.
pub fn of_author(path: &str) -> String {
    comparable(path.trim_start_matches("./").trim_matches('/'))
}

/// Returns the directory of a path; empty at the top.
pub fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the file name without its extension.
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

/// Returns whether a Markdown file is the page of its directory.
pub fn is_readme(path: &str) -> bool {
    let stem = stem(path);
    is_markdown(path) && (stem.eq_ignore_ascii_case("readme") || stem.eq_ignore_ascii_case("index"))
}

/// Returns the text from which the slug of a file's page is made.
pub fn for_slug(path: &str) -> &str {
    let directory = directory(path);
    if is_readme(path) && !directory.is_empty() {
        file_name(directory)
    } else {
        stem(path)
    }
}

/// Derives a title from a path: `getting-started` becomes "Getting started". Empty if nothing of it can be in a title.
pub fn title_from_path(path: &str) -> String {
    title_from_name(for_slug(path))
}

/// Derives a title from the name of a directory.
pub fn title_from_name(name: &str) -> String {
    let words = normalize_title(&name.replace(['-', '_'], " "));
    let mut characters = words.chars();
    let first: String = characters
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    // Some characters become two in upper case.
    normalize_title(&(first + characters.as_str()))
}

/// Returns whether a title is the whole heading.
pub fn is_whole(heading: &str, of: &str) -> bool {
    PAGE_TITLE.max.is_none_or(|max| heading.chars().count() <= max) && normalize_title(heading) == of
}

/// A link target within the import.
pub struct LocalTarget {
    /// Relative to the root; empty for the root itself.
    pub path: String,
    pub anchor: Option<String>,
}

/// Parses a link target of a text in this directory. A leading slash is the root. `None`: the target leads out of the root.
pub fn parse_target(directory: &str, target: &str) -> Option<LocalTarget> {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    let path = path.split('?').next().unwrap_or_default();
    let decode = |text: &str| percent_decode_str(text).decode_utf8().map(|text| text.into_owned());
    let path = decode(path).ok()?;
    let directory = if path.starts_with('/') { "" } else { directory };
    Some(LocalTarget {
        path: comparable(&rich_text::joined(directory, &path)?),
        anchor: anchor
            .and_then(|anchor| decode(anchor).ok())
            .filter(|anchor| !anchor.is_empty()),
    })
}
