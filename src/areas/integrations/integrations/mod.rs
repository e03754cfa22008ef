//! Integrations: their manifests and scripts, and the development mode.

pub mod content_security_policy;
mod development_mode;
mod images;
pub mod manifest;
mod publish;
pub mod secrets;
pub mod signing;
pub mod store;
pub mod view;

use entity::integrations::{ActiveModel, Entity, Model};
use openapi::{
    error::ApiError,
    models::{Integration, IntegrationDevelopmentMode, IntegrationList, PublishIntegration, SCANNED_TO},
    operations::integrations::{IntegrationsApi, ListIntegrationsQuery, ListOrganizationIntegrationsQuery},
};
use platform::db::{Page, Ranges, Scan, Tx, rows};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, Select};
use serde::Serialize;
use serde_json::json;

pub use self::images::Image;
use self::store::{IntegrationFilters, target};

use crate::{
    access::{Caller, OrganizationAccess, levels::Member},
    areas::{
        integrations::{
            Integrations,
            integration_access::{DeletableIntegrationAccess, IntegrationAccess, IntegrationPublisherAccess},
            outbox::{self, DeletedRecipient},
        },
        organizations::organizations,
    },
    kernel::{
        Kernel,
        audit::{Changed, SystemAction},
        lists::List,
    },
};

impl IntegrationsApi for Integrations {
    async fn list_integrations(
        &self,
        caller: Caller,
        query: ListIntegrationsQuery,
    ) -> Result<IntegrationList, ApiError> {
        let filters = IntegrationFilters {
            search: query.search,
            category: query.category,
            block_domain: query.block_domain,
            blocks: query.blocks,
            content_sources: query.content_sources,
            owner: query.owner,
            scope: query.scope,
            target: query.target,
        };
        let list = List::new(&self.kernel, ("integrations", &filters), query.page, query.limit);
        self.page_of_integrations(&caller, list, store::public().into(), &filters)
            .await
    }

    async fn get_integration_by_name(&self, access: IntegrationAccess) -> Result<Integration, ApiError> {
        self.show_integration(access.row, access.owner).await
    }

    async fn publish_integration(
        &self,
        access: IntegrationPublisherAccess,
        integration_name: String,
        body: PublishIntegration,
    ) -> Result<Integration, ApiError> {
        let row = publish::publish(self, &access, integration_name, body).await?;
        self.show_integration(row, Some(access.member)).await
    }

    async fn unpublish_integration(&self, access: DeletableIntegrationAccess) -> Result<(), ApiError> {
        let Some(row) = access.row else {
            return Ok(());
        };
        let kernel = self.kernel.clone();
        let work = move |tx: Tx| async move {
            let Some(removed) = rows::remove(&tx, store::of(row.organization_id), row.id).await? else {
                return Ok(Changed::nothing(()));
            };
            let deleted = DeletedRecipient::Integration(removed.id);
            outbox::remove_later(&tx, &kernel.ids, deleted, kernel.clock.now()).await?;
            Ok(Changed::of(target(&removed), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn set_integration_development_mode(
        &self,
        access: IntegrationAccess,
        body: IntegrationDevelopmentMode,
    ) -> Result<(), ApiError> {
        development_mode::start(&self.kernel, &access, body).await
    }

    async fn disable_integration_development_mode(&self, access: IntegrationAccess) -> Result<(), ApiError> {
        development_mode::end(&self.kernel, &access).await
    }

    async fn list_organization_integrations(
        &self,
        access: OrganizationAccess,
        query: ListOrganizationIntegrationsQuery,
    ) -> Result<IntegrationList, ApiError> {
        let filters = IntegrationFilters {
            search: query.search,
            category: query.category,
            block_domain: query.block_domain,
            blocks: query.blocks,
            content_sources: query.content_sources,
            owner: query.owner,
            scope: query.scope,
            target: query.target,
        };
        let scope = ("organization-integrations", access.organization, &filters);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        let available = store::available_to(access.organization);
        self.page_of_integrations(&access.caller, list, available, &filters)
            .await
    }
}

impl Integrations {
    async fn page_of_integrations<S: Serialize>(
        &self,
        caller: &Caller,
        list: List<'_, S>,
        integrations: Ranges<Entity>,
        filters: &IntegrationFilters,
    ) -> Result<IntegrationList, ApiError> {
        let db = self.kernel.db.read();
        let filter = |integrations: Select<Entity>| filters.apply(integrations);
        let scan = Scan::new(integrations, store::order(), filter, SCANNED_TO);
        let run = |page: Select<Entity>| page.all(db);
        let (page, count) = list.load_scan(&scan, run, |row: &Model| row.id).await?;
        let items = view::views(&self.kernel, caller, page.items).await?;
        let page = Page { items, next: page.next };
        Ok(list.answer(page, count, |item| item)?.into())
    }

    /// The wire form of one integration, for a member of the organization that owns it or, with `None`, for anybody else.
    async fn show_integration(&self, row: Model, member: Option<Member>) -> Result<Integration, ApiError> {
        let owner = match member {
            Some(member) => organizations::load_for(&self.kernel, &member).await?,
            None => organizations::load_for_others(&self.kernel, row.organization_id).await?,
        };
        view::view(&self.kernel, row, owner)
    }
}

/// Says that the operator has verified an integration, or does not say so any more.
pub async fn set_verified(kernel: &Kernel, name: &str, verified: bool) -> Result<(), ApiError> {
    let name = name.to_owned();
    let work = move |tx: Tx| async move {
        let row = store::lock_by_name(&tx, &name).await?;
        let row = row.ok_or_else(|| ApiError::not_found("integration"))?;
        let mut changed = ActiveModel::from(row);
        changed.verified = Set(verified);
        let row = changed.update(&tx).await?;
        Changed::of(target(&row), ()).with(json!({ "verified": verified }))
    };
    kernel.write(SystemAction::VerifyIntegration, work).await
}

/// An icon or a preview image of an integration, with its bytes in the store. `None`: the integration does not have it.
pub async fn find_image(kernel: &Kernel, integration: &str, image: &str) -> Result<Option<Image>, ApiError> {
    let Some((hash, content_type)) = images::parse_name(image) else {
        return Ok(None);
    };
    let found = store::image(kernel.db.read(), integration, hash).await?;
    Ok(found.map(|blob| Image { blob, content_type }))
}
