//! Templates: spaces that are marked as such, and those that come with the server.

pub mod built_in;
mod destination;
mod list;
mod mark;
mod source;
pub mod store;
mod values;
mod view;

use openapi::{
    error::ApiError,
    models::{Template, TemplateList},
    operations::templates::{ListTemplatesQuery, TemplatesApi},
};
use platform::db::rows;

pub use self::{destination::Destination, source::AppliedTemplate};

use crate::{
    access::{OrganizationAccess, SpaceAccess},
    areas::library::{Library, tree},
    kernel::audit::Changed,
};

impl TemplatesApi for Library {
    async fn list_templates(
        &self,
        access: OrganizationAccess,
        query: ListTemplatesQuery,
    ) -> Result<TemplateList, ApiError> {
        let ListTemplatesQuery { page, limit } = query;
        Ok(list::list(&self.kernel, &access.member(), page, limit).await?.into())
    }

    async fn mark_space_as_template(&self, access: SpaceAccess) -> Result<Template, ApiError> {
        let row = mark::mark(&self.contents, &access).await?;
        view::of_space(row, access.row.node.title, access.row.space.emoji)
    }

    async fn unmark_space_as_template(&self, access: SpaceAccess) -> Result<(), ApiError> {
        let node = access.row.node;
        let work = move |tx| async move {
            let node = tree::reload(&tx, &node).await?;
            let removed = rows::remove(&tx, store::of(node.organization_id), node.id).await?;
            Ok(Changed::if_some(removed.map(|_| tree::target(&node))))
        };
        self.kernel.write(&access.caller, work).await
    }
}
