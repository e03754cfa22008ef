//! The order of pages: that in which they were found, each below the page of the directory above it.

use std::collections::HashMap;

/// The table of contents of the files of pages.
pub fn of(files: &[&str]) -> String {
    let keys: Vec<&str> = files.iter().map(|file| key(file)).collect();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        known.entry(key).or_insert(at);
    }
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        let above = std::iter::successors(key.rsplit_once('/'), |(above, _)| above.rsplit_once('/'));
        let parent = above
            .map(|(above, _)| above)
            .find_map(|above| known.get(above).copied());
        children.entry(parent).or_default().push(at);
    }
    let mut text = String::from("# Table of contents\n\n");
    let mut open: Vec<(usize, usize)> = Vec::new();
    let add = |parent: Option<usize>, depth: usize, open: &mut Vec<(usize, usize)>| {
        let below = children.get(&parent).into_iter().flatten();
        open.extend(below.rev().map(|at| (*at, depth)));
    };
    add(None, 0, &mut open);
    while let Some((at, depth)) = open.pop() {
        let Some(file) = files.get(at) else { continue };
        let title = keys
            .get(at)
            .and_then(|key| key.rsplit('/').next())
            .filter(|title| !title.is_empty());
        text.push_str(&format!(
            "{}* [{}]({file})\n",
            "  ".repeat(depth),
            title.unwrap_or("Home")
        ));
        add(Some(at), depth + 1, &mut open);
    }
    text
}

/// The path of a page without what makes it a file.
fn key(file: &str) -> &str {
    let path = file.strip_suffix(".md").unwrap_or(file);
    match path.strip_suffix("README") {
        Some(directory) if directory.is_empty() || directory.ends_with('/') => directory.trim_end_matches('/'),
        _ => path,
    }
}
