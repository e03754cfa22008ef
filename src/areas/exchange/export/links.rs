//! Paths in the place of ids.

use openapi::models::ContentRef;
use percent_encoding::{AsciiSet, utf8_percent_encode};
use rich_text::{IdPathResolver, LinkChange, LinkResolver, ReferenceRole, rewrite_links};

use super::Paths;
use crate::areas::authoring::page_links::{ESCAPED, anchor, included_content, may_have_targets, page_of, way};

/// The characters that a path cannot have in the target of a link, which may be in quotes.
const QUOTED: &AsciiSet = &ESCAPED.add(b'"');

/// A stored text with the relative paths of what it refers to. What has no path keeps its id.
pub fn relative(stored: &str, from: &str, paths: &Paths) -> String {
    if !may_have_targets(stored) {
        return stored.to_owned();
    }
    let mut change = |target: &str, role| match target_path(target, role, paths) {
        Some(path) => LinkChange::Replace(relative_path(from, path) + anchor(target)),
        None => LinkChange::Keep,
    };
    rewrite_links(stored, &mut change).unwrap_or_else(|_| stored.to_owned())
}

/// The relative path of a file by its stored target.
pub fn relative_file(target: &str, from: &str, paths: &Paths) -> Option<String> {
    let path = target_path(target, ReferenceRole::Media, paths)?;
    Some(relative_path(from, path))
}

fn target_path<'p>(target: &str, role: ReferenceRole, paths: &'p Paths) -> Option<&'p str> {
    let reference = IdPathResolver.parse_target(role, target);
    if let Some(content) = included_content(&reference, role) {
        return paths.content(content);
    }
    if let Some((None, page)) = page_of(&reference) {
        return paths.page(page);
    }
    match &reference {
        ContentRef::ContentRefFile(it) if it.space.is_none() => paths.file(it.file.parse().ok()?),
        _ => None,
    }
}

/// The path of a file as the target of a link in another one.
pub fn relative_path(from: &str, to: &str) -> String {
    let (up, down) = way(from, to);
    let down = utf8_percent_encode(&down, QUOTED);
    let path = format!("{up}{down}");
    match path.split('/').next().is_some_and(|first| first.contains(':')) {
        // A colon in the first name would end a scheme.
        true => format!("./{path}"),
        false => path,
    }
}
