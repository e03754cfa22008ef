//! The glossary of an organization: its words in several languages.

mod batch;
mod by_words;
pub mod store;

use entity::{ids::GlossaryEntryId, languages::glossary_entries::Model};
use openapi::{
    error::ApiError,
    models::{GlossaryEntry, GlossaryEntryList, GlossaryEntryUrls, GlossaryOperation, UpdateGlossary},
    operations::glossary::{GlossaryApi, ListGlossaryEntriesQuery},
};
use platform::db::{Tx, rows};
use serde_json::json;

use self::{batch::Batch, store::of};

use crate::{
    access::OrganizationAccess,
    areas::languages::Languages,
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        lists::List,
        wire::time,
    },
};

impl GlossaryApi for Languages {
    async fn list_glossary_entries(
        &self,
        access: OrganizationAccess,
        query: ListGlossaryEntriesQuery,
    ) -> Result<GlossaryEntryList, ApiError> {
        let scope = ("glossary", access.organization, query.order_by);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        let page = match query.order_by {
            Some(language) => by_words::list(&self.kernel, list, access.organization, language).await?,
            None => {
                let list = list.newest_first(of(access.organization), |row| row.id, |row| row);
                list.await?
            }
        };
        let items: Result<Vec<GlossaryEntry>, ApiError> =
            page.items.into_iter().map(|row| view(&self.kernel, row)).collect();
        let page = openapi::list::Page {
            items: items?,
            count: page.count,
            next: page.next,
        };
        Ok(page.into())
    }

    async fn update_glossary_entries(&self, access: OrganizationAccess, body: UpdateGlossary) -> Result<(), ApiError> {
        let operations = batch::check(body.operations)?;
        if operations.is_empty() {
            return Ok(());
        }
        let (organization, now) = (access.organization, self.kernel.clock.now());
        let new: Vec<GlossaryEntryId> = operations.iter().map(|_| self.kernel.ids.next()).collect();
        let count =
            |kind: fn(&GlossaryOperation) -> bool| operations.iter().filter(|operation| kind(operation)).count();
        let payload = json!({
            "inserted": count(|operation| matches!(operation, GlossaryOperation::InsertGlossaryEntry(_))),
            "updated": count(|operation| matches!(operation, GlossaryOperation::UpdateGlossaryEntry(_))),
            "deleted": count(|operation| matches!(operation, GlossaryOperation::DeleteGlossaryEntry(_))),
        });
        let work = move |tx: Tx| async move {
            store::lock(&tx, organization).await?;
            let mut batch = Batch::load(&tx, organization, &operations).await?;
            for (index, (operation, id)) in operations.into_iter().zip(new).enumerate() {
                batch.make(index, operation, id, now)?;
            }
            batch.store(&tx).await?;
            Changed::of(AuditTarget::in_organization(organization, "glossary", organization), ()).with(payload)
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn get_glossary_entry(
        &self,
        access: OrganizationAccess,
        glossary_entry_id: GlossaryEntryId,
    ) -> Result<GlossaryEntry, ApiError> {
        let found = rows::find(self.kernel.db.read(), of(access.organization), glossary_entry_id).await?;
        view(
            &self.kernel,
            found.ok_or_else(|| ApiError::not_found("glossary entry"))?,
        )
    }
}

fn view(kernel: &Kernel, row: Model) -> Result<GlossaryEntry, ApiError> {
    Ok(GlossaryEntry {
        object: Default::default(),
        id: row.id.to_string(),
        translations: serde_json::from_value(row.translations)?,
        created_at: time(row.created_at),
        updated_at: time(row.updated_at),
        urls: GlossaryEntryUrls {
            location: kernel.urls.glossary_entry(row.organization_id, row.id),
        },
    })
}
