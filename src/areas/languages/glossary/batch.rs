//! Changes of a glossary that are made together.

use std::collections::{BTreeMap, HashMap};

use entity::{
    ids::{GlossaryEntryId, OrganizationId},
    languages::glossary_entries::Model,
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::{GlossaryOperation, InsertGlossaryEntry, UpdateGlossaryEntry},
};
use platform::db::Tx;
use serde_json::Value;

use super::store;

use crate::kernel::localized::unknown_languages;

/// The most entries of an organization.
const MAX_ENTRIES: usize = 5_000;

/// Refuses words in languages that do not exist.
pub fn check(operations: Vec<GlossaryOperation>) -> Result<Vec<GlossaryOperation>, ApiError> {
    let mut details = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        let translations = match operation {
            GlossaryOperation::InsertGlossaryEntry(new) => &new.translations,
            GlossaryOperation::UpdateGlossaryEntry(changed) => &changed.translations,
            GlossaryOperation::DeleteGlossaryEntry(_) => continue,
        };
        let pointer = format!("/body/operations/{index}/translations");
        details.extend(unknown_languages(translations.keys(), &pointer));
    }
    if details.is_empty() {
        return Ok(operations);
    }
    Err(ApiError::invalid(details))
}

/// The entries that operations are about, as they are after the operations made so far.
pub struct Batch {
    organization: OrganizationId,
    size: usize,
    entries: HashMap<GlossaryEntryId, Entry>,
}

struct Entry {
    /// `None`: deleted.
    row: Option<Model>,
    is_stored: bool,
}

impl Batch {
    pub async fn load(
        tx: &Tx,
        organization: OrganizationId,
        operations: &[GlossaryOperation],
    ) -> Result<Self, ApiError> {
        let named = operations.iter().filter_map(|operation| match operation {
            GlossaryOperation::InsertGlossaryEntry(_) => None,
            GlossaryOperation::UpdateGlossaryEntry(changed) => Some(changed.id),
            GlossaryOperation::DeleteGlossaryEntry(gone) => Some(gone.id),
        });
        let named: Vec<GlossaryEntryId> = named.collect();
        let found = store::find_all(tx, organization, &named).await?;
        let entries = found.into_iter().map(|row| {
            let (id, row) = (row.id, Some(row));
            (id, Entry { row, is_stored: true })
        });
        Ok(Self {
            organization,
            size: store::size(tx, organization).await?,
            entries: entries.collect(),
        })
    }

    /// Makes one operation. `id` is that of a new entry.
    pub fn make(
        &mut self,
        index: usize,
        operation: GlossaryOperation,
        id: GlossaryEntryId,
        now: Timestamp,
    ) -> Result<(), ApiError> {
        match operation {
            GlossaryOperation::InsertGlossaryEntry(InsertGlossaryEntry { translations, .. }) => {
                if self.size >= MAX_ENTRIES {
                    let message = format!("A glossary has at most {MAX_ENTRIES} entries.");
                    return Err(ApiError::new(ErrorType::TooManyGlossaryEntries, message));
                }
                self.size += 1;
                let row = Model {
                    id,
                    organization_id: self.organization,
                    translations: in_order(translations)?,
                    created_at: now,
                    updated_at: now,
                };
                let (row, is_stored) = (Some(row), false);
                self.entries.insert(id, Entry { row, is_stored });
            }
            GlossaryOperation::UpdateGlossaryEntry(UpdateGlossaryEntry { id, translations, .. }) => {
                let entry = self.entries.get_mut(&id).and_then(|entry| entry.row.as_mut());
                let row = entry.ok_or_else(|| unknown(index))?;
                row.translations = in_order(translations)?;
                row.updated_at = now;
            }
            GlossaryOperation::DeleteGlossaryEntry(gone) => {
                let entry = self.entries.get_mut(&gone.id);
                entry.and_then(|entry| entry.row.take()).ok_or_else(|| unknown(index))?;
                self.size -= 1;
            }
        }
        Ok(())
    }

    pub async fn store(self, tx: &Tx) -> Result<(), ApiError> {
        let gone = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.row.is_none() && entry.is_stored);
        let gone: Vec<GlossaryEntryId> = gone.map(|(id, _)| *id).collect();
        store::remove(tx, self.organization, &gone).await?;
        let mut kept: Vec<Model> = self.entries.into_values().filter_map(|entry| entry.row).collect();
        kept.sort_by_key(|row| row.id);
        store::put(tx, &kept).await?;
        Ok(())
    }
}

/// The languages in a fixed order.
fn in_order(translations: impl IntoIterator<Item = (String, String)>) -> Result<Value, ApiError> {
    let translations: BTreeMap<String, String> = translations.into_iter().collect();
    Ok(serde_json::to_value(translations)?)
}

fn unknown(index: usize) -> ApiError {
    ApiError::invalid_member(
        format!("/body/operations/{index}/id"),
        ErrorRule::Unknown,
        "The glossary has no entry with this id.",
    )
}
