//! Semantic changes: the differences between two states of content as events of pages, files and shared contents.
//!
//! Takes time in proportion to the differences: of unchanged pages only ancestors of changed pages are read, and siblings
//! if several of them have new positions.

mod attributes;
mod event;
mod files;
mod moves;
mod pages;
mod reusable_contents;
mod sequence;
mod states;
#[cfg(test)]
mod tests;
mod variables;

use openapi::models::RevisionSemanticChange;

use super::{
    objects::{Missing, Objects},
    pages::{Changes, File, Snapshot},
};

/// Returns the first `limit` changes and the number of further ones: pages in the order of the table of contents, then
/// files by name, then shared contents by title, then the variables. `download_url` returns the URL of a file.
pub fn changes(
    objects: &Objects,
    before: &Snapshot,
    after: &Snapshot,
    limit: usize,
    download_url: &dyn Fn(&File) -> String,
) -> Result<(Vec<RevisionSemanticChange>, usize), Missing> {
    let all = Changes::between(objects, before, after)?;
    let states = states::States::of(objects, before, after);
    let pages = pages::events(&states, &all.pages)?;
    let files = event::by_name(&all.files, |file| &file.name);
    let reusable = event::by_name(&all.reusable_contents, |content| &content.title);

    let mut first = pages::views(&states, pages.iter().take(limit))?;
    let left = limit.saturating_sub(first.len());
    first.extend(files.iter().take(left).map(|event| files::view(event, download_url)));
    let left = limit.saturating_sub(first.len());
    first.extend(reusable.iter().take(left).map(reusable_contents::view));
    let left = limit.saturating_sub(first.len());
    let variables = variables::event(&all.variables);
    let total = pages.len() + files.len() + reusable.len() + usize::from(variables.is_some());
    first.extend(variables.into_iter().take(left));

    let more = total.saturating_sub(first.len());
    Ok((first, more))
}
