//! The glossary in the order of its words in one language.

use std::collections::HashMap;

use entity::{
    ids::{GlossaryEntryId, OrganizationId},
    languages::glossary_entries::{Column, Model},
};
use openapi::{
    enums::Enumeration,
    error::ApiError,
    list::Page,
    models::{COUNTED_TO, TranslationLanguage},
};
use platform::db;
use sea_orm::{ColumnTrait, QueryFilter};
use serde::Serialize;

use super::store;
use crate::kernel::{Kernel, lists::List};

/// A page ends with the entry that makes it longer.
const MAX_PAGE_LENGTH: i64 = 1_000_000;

/// Entries without a word come last, and entries with the same word in the order of their ids.
type WordKey = (bool, String, GlossaryEntryId);

/// A page of the glossary. The order of words is not that of any column, so all words in the language are read, of which there are
/// few, but only the entries of the page. Two queries.
pub async fn list<S: Serialize>(
    kernel: &Kernel,
    list: List<'_, S>,
    organization: OrganizationId,
    language: TranslationLanguage,
) -> Result<Page<Model>, ApiError> {
    let after: Option<WordKey> = list.after()?;
    let words = store::words(kernel.db.read(), organization, language.as_str()).await?;
    let count = u64::try_from(words.len())?;
    let entries = words.into_iter().map(|(id, word, length)| {
        let key: WordKey = (word.is_none(), word.unwrap_or_default().to_lowercase(), id);
        (key, length)
    });
    let is_after = |(key, _): &(WordKey, i32)| after.as_ref().is_none_or(|after| key > after);
    let mut entries: Vec<(WordKey, i32)> = entries.filter(is_after).collect();
    entries.sort_unstable();
    let all = entries.len();
    let mut room = MAX_PAGE_LENGTH;
    let fitting = entries
        .into_iter()
        .take(usize::try_from(list.limit)?)
        .take_while(|(_, length)| {
            let fits = room > 0;
            room -= i64::from(*length);
            fits
        });
    let mut keys: Vec<WordKey> = fitting.map(|(key, _)| key).collect();
    let has_more = keys.len() < all;
    let ids: Vec<GlossaryEntryId> = keys.iter().map(|(_, _, id)| *id).collect();
    let found = store::of(organization).filter(Column::Id.is_in(ids.iter().copied()));
    let found = found.all(kernel.db.read()).await?;
    let mut found: HashMap<GlossaryEntryId, Model> = found.into_iter().map(|row| (row.id, row)).collect();
    let page = db::Page {
        // An entry that was deleted in between is left out.
        items: ids.iter().filter_map(|id| found.remove(id)).collect(),
        next: keys.pop().filter(|_| has_more),
    };
    list.answer(page, Some(count).filter(|count| *count <= COUNTED_TO), |row| row)
}
