//! Paths in the place of ids.

use openapi::models::ContentRef;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rich_text::{IdPathResolver, LinkChange, LinkResolver, ReferenceRole, rewrite_links};

use super::Paths;
use crate::areas::authoring::page_links::{anchor, included_content, may_have_targets, page_of};

/// The characters that a path cannot have in the target of a link.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'%')
    .add(b'#')
    .add(b'?')
    .add(b'<')
    .add(b'>')
    .add(b'"')
    .add(b'\\')
    .add(b'(')
    .add(b')');

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

/// A path as the target of a link.
fn encoded(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}

/// The path of a file as the target of a link in another one.
pub fn relative_path(from: &str, to: &str) -> String {
    let folders: Vec<&str> = from.split('/').rev().skip(1).collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = folders.iter().rev().zip(to.iter().rev().skip(1).rev());
    let shared = shared.take_while(|(one, other)| one == other).count();
    let up = "../".repeat(folders.len() - shared);
    let down = encoded(&to.get(shared..).unwrap_or_default().join("/"));
    match up.is_empty() && down.split('/').next().is_some_and(|first| first.contains(':')) {
        // A colon in the first name would end a scheme.
        true => format!("./{down}"),
        false => up + &down,
    }
}
