//! What differs between two states of content, in terms of pages, files and shared contents.
//!
//! It takes time in proportion to what differs: of all other pages only those above a changed one are read, and those
//! beside it where several siblings have new places.

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

use openapi::models::RevisionSemanticChange;

use super::{
    objects::{Missing, Objects},
    pages::{Changes, File, Snapshot},
};

/// The first changes, `limit` at most, and how many more there are: pages in the order of the table of contents, then
/// files by their names, then shared contents by their titles. `download_url` says where a file is found.
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

    let total = pages.len() + files.len() + reusable.len();
    let more = total.saturating_sub(first.len());
    Ok((first, more))
}
