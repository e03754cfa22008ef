//! Entries that create, change, delete and publish redirects together.

use entity::{
    ids::{SiteId, SiteRedirectId},
    publishing::sites::redirects::Model,
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{
        SiteRedirectDeleted, SiteRedirectDestinationInput as NewDestination, SiteRedirectIntent as Intent,
        SiteRedirectUpsert, SiteRedirectUpsertError, SiteRedirectUpsertResult as UpsertResult,
        SiteRedirectUpsertStatus as Status, SiteRedirectUpserted,
    },
    values::Maybe,
};
use platform::db::fold;

use super::{
    matching::normal_form,
    table::{Refusal, Table},
    targets::Targets,
};

/// Makes the entries of a request in a table.
pub struct Upserts<'a> {
    pub table: &'a mut Table,
    pub targets: &'a Targets,
    pub site: SiteId,
    pub now: Timestamp,
}

/// What became of an entry.
enum Outcome {
    Redirect(Status, SiteRedirectId),
    Deleted,
    Refused(String),
}

impl Upserts<'_> {
    /// Makes an entry. `id` is that of a new redirect.
    pub fn make(&mut self, mut entry: SiteRedirectUpsert, id: SiteRedirectId) -> Result<UpsertResult, ApiError> {
        let source = entry.source;
        entry.source = normal_form(&source);
        let (draft, is_about_draft) = (entry.intent == Intent::Draft, entry.intent != Intent::Live);
        let outcome = match entry.intent {
            Intent::Publish => self.publish(&entry),
            Intent::Live | Intent::Draft => self.upsert(entry, draft, id)?,
        };
        Ok(match outcome {
            Outcome::Redirect(status, id) => UpsertResult::SiteRedirectUpserted(SiteRedirectUpserted {
                status,
                source,
                draft,
                id: id.to_string(),
            }),
            Outcome::Deleted => UpsertResult::SiteRedirectDeleted(SiteRedirectDeleted {
                status: Default::default(),
                source,
                draft,
            }),
            Outcome::Refused(error) => UpsertResult::SiteRedirectUpsertError(SiteRedirectUpsertError {
                status: Default::default(),
                source,
                draft: is_about_draft,
                error,
            }),
        })
    }

    fn publish(&mut self, entry: &SiteRedirectUpsert) -> Outcome {
        if entry.destination != Maybe::Absent || entry.capture_wildcard || entry.permanent.is_some() {
            return Outcome::Refused("An entry with the intent `publish` has a source alone.".to_owned());
        }
        let Some(draft) = self.table.find(true, &entry.source).cloned() else {
            return Outcome::Refused("The site has no draft with this source.".to_owned());
        };
        let published = Model {
            draft: false,
            updated_at: self.now,
            ..draft
        };
        self.put(published, Status::Published)
    }

    fn upsert(&mut self, entry: SiteRedirectUpsert, draft: bool, id: SiteRedirectId) -> Result<Outcome, ApiError> {
        let old = self.table.find(draft, &entry.source).cloned();
        let sent: NewDestination = match entry.destination {
            Maybe::Value(sent) => sent,
            Maybe::Null => {
                old.into_iter().for_each(|old| self.table.remove(old.id));
                return Ok(Outcome::Deleted);
            }
            Maybe::Absent => return Ok(Outcome::Refused("`destination` is missing.".to_owned())),
        };
        let destination = match self.targets.check(sent, "") {
            Ok(destination) => serde_json::to_value(destination)?,
            Err(detail) => return Ok(Outcome::Refused(detail.message)),
        };
        let status = if old.is_some() {
            Status::Updated
        } else {
            Status::Created
        };
        let row = Model {
            id: old.as_ref().map_or(id, |old| old.id),
            site_id: self.site,
            draft,
            source_folded: fold(&entry.source),
            source: entry.source,
            destination,
            capture_wildcard: entry.capture_wildcard,
            permanent: entry
                .permanent
                .or(old.as_ref().map(|old| old.permanent))
                .unwrap_or(false),
            created_at: old.as_ref().map_or(self.now, |old| old.created_at),
            updated_at: self.now,
        };
        Ok(self.put(row, status))
    }

    fn put(&mut self, row: Model, status: Status) -> Outcome {
        let id = row.id;
        match self.table.put(row, self.targets) {
            Ok(()) => Outcome::Redirect(status, id),
            Err(refusal) => Outcome::Refused(Refusal::message(refusal)),
        }
    }
}
