//! OpenAPI specifications, and the versions that processing makes of them.

mod changes;
pub mod documents;
mod new_source;
mod problems;
mod process_job;
mod processing;
mod refresh_job;
mod store;
mod view;
mod visitors;

use entity::{
    ids::{OpenapiSpecVersionId, OrganizationId},
    specifications::openapi_specs::{ActiveModel, Column, Model, versions},
};
use openapi::{
    answer::{Conditional, Created, Upserted},
    error::{ApiError, ErrorType},
    models::{
        CreateOpenApiSpec, OpenApiSpec, OpenApiSpecChanges, OpenApiSpecContent, OpenApiSpecList, OpenApiSpecRawContent,
        OpenApiSpecVersion, OpenApiSpecVersionList, PutOpenApiSpec, UpdateOpenApiSpec,
    },
    operations::openapi_specs::{
        GetLatestOpenApiSpecVersionContentHeaders, GetLatestOpenApiSpecVersionContentRawHeaders,
        GetOpenApiSpecVersionChangesHeaders, GetOpenApiSpecVersionChangesQuery,
        GetOpenApiSpecVersionContentByIdHeaders, ListOpenApiSpecVersionsQuery, ListOpenApiSpecsQuery, OpenapiSpecsApi,
    },
};
use platform::db::{Keyset, Tx, rows};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, Select};
use serde_json::json;

use self::view::Views;
pub use self::{new_source::NewSource, process_job::ProcessSpec, refresh_job::RefreshSpecs};

use crate::{
    access::OrganizationAccess,
    areas::{
        organizations::organizations,
        publishing::sites,
        specifications::{Specifications, guard::SpecificationReaderAccess},
    },
    kernel::{
        audit::{AuditTarget, Changed},
        lists::List,
        wire::ToStored,
    },
};

impl OpenapiSpecsApi for Specifications {
    async fn list_open_api_specs(
        &self,
        access: OrganizationAccess,
        query: ListOpenApiSpecsQuery,
    ) -> Result<OpenApiSpecList, ApiError> {
        let list = List::new(
            &self.kernel,
            ("openapi-specs", access.organization),
            query.page,
            query.limit,
        );
        let (views, of) = (Views::of(&self.kernel, &access), store::of(access.organization));
        let order = Keyset::descending([Column::Id]);
        let db = self.kernel.db.read();
        let load = |found, after, limit| {
            order.page(
                found,
                after,
                limit,
                |query: Select<_>| query.all(db),
                |row: &Model| row.id,
            )
        };
        let items = async |rows: Vec<Model>| rows.into_iter().map(|row| views.spec(row)).collect();
        Ok(list.load(of, load, items).await?.into())
    }

    async fn create_open_api_spec(
        &self,
        access: OrganizationAccess,
        body: CreateOpenApiSpec,
    ) -> Result<Created<OpenApiSpec>, ApiError> {
        let CreateOpenApiSpec { slug, source } = body;
        let organization = access.organization;
        let source = NewSource::store(&self.kernel, source).await?;
        let work = move |tx: Tx| async move {
            organizations::store::lock(&tx, organization).await?;
            if store::find(&tx, organization, &slug).await?.is_some() {
                let message = "`slug` is in use by another OpenAPI specification of the organization.";
                return Err(ApiError::new(ErrorType::SlugTaken, message));
            }
            let row = source.insert(&tx, organization, slug).await?;
            Changed::of(target(&row), row).with(source.payload())
        };
        let row = self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Views::of(&self.kernel, &access).created(row)
    }

    async fn get_open_api_spec_by_slug(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
    ) -> Result<OpenApiSpec, ApiError> {
        let row = self.spec(access.organization, &spec_slug).await?;
        Views::of(&self.kernel, &access).spec(row)
    }

    async fn create_or_update_open_api_spec_by_slug(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
        body: PutOpenApiSpec,
    ) -> Result<Upserted<OpenApiSpec>, ApiError> {
        let organization = access.organization;
        let source = NewSource::store(&self.kernel, body.source).await?;
        let work = move |tx: Tx| async move {
            // Two requests may create the specification at the same time.
            organizations::store::lock(&tx, organization).await?;
            let existing = store::lock(&tx, organization, &spec_slug).await?;
            let is_new = existing.is_none();
            let row = match existing {
                Some(row) => source.replace(&tx, row).await?,
                None => source.insert(&tx, organization, spec_slug).await?,
            };
            Changed::of(target(&row), (row, is_new)).with(source.payload())
        };
        let (row, is_new) = self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        let views = Views::of(&self.kernel, &access);
        Ok(match is_new {
            true => Upserted::New(views.created(row)?),
            false => Upserted::Existing(views.spec(row)?),
        })
    }

    async fn delete_open_api_spec_by_slug(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
    ) -> Result<(), ApiError> {
        let organization = access.organization;
        let (job, now) = (self.kernel.ids.next(), self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let Some(row) = store::lock(&tx, organization, &spec_slug).await? else {
                return Ok(Changed::nothing(()));
            };
            let removed = rows::remove(&tx, store::of(organization), row.id).await?;
            store::enqueue_index(&tx, job, &row, now).await?;
            sites::store::note_change(&tx, organization).await?;
            Ok(Changed::if_some(removed.as_ref().map(target)))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn update_open_api_spec_by_slug(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
        body: UpdateOpenApiSpec,
    ) -> Result<OpenApiSpec, ApiError> {
        let (organization, now) = (access.organization, self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let row = store::lock(&tx, organization, &spec_slug).await?;
            let mut row = ActiveModel::from(row.ok_or_else(unknown)?);
            row.visibility = Set(body.visibility.to_stored());
            row.updated_at = Set(now);
            let row = row.update(&tx).await?;
            Changed::of(target(&row), row).with(json!({ "change": &body }))
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Views::of(&self.kernel, &access).spec(row)
    }

    async fn list_open_api_spec_versions(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
        query: ListOpenApiSpecVersionsQuery,
    ) -> Result<OpenApiSpecVersionList, ApiError> {
        let spec = self.spec(access.organization, &spec_slug).await?;
        let list = List::new(
            &self.kernel,
            ("openapi-spec-versions", spec.id),
            query.page,
            query.limit,
        );
        let views = Views::of(&self.kernel, &access);
        let view = |row| views.version(&spec.slug, row);
        let page = list.newest_first(store::versions_of(spec.id), |row| row.id, view);
        Ok(page.await?.into())
    }

    async fn get_latest_open_api_spec_version(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
    ) -> Result<OpenApiSpecVersion, ApiError> {
        let row = self.version(access.organization, &spec_slug, None).await?;
        Ok(Views::of(&self.kernel, &access).version(&spec_slug, row))
    }

    async fn get_latest_open_api_spec_version_content(
        &self,
        access: SpecificationReaderAccess,
        spec_slug: String,
        headers: GetLatestOpenApiSpecVersionContentHeaders,
    ) -> Result<Conditional<OpenApiSpecContent>, ApiError> {
        let (version, spec) = self.version_and_spec(access.organization, &spec_slug, None).await?;
        if let Some(site) = &access.site
            && !visitors::is_shown(self, site, &spec).await?
        {
            return Err(ApiError::not_found("version"));
        }
        documents::content(&self.kernel, (&version, &spec), headers.if_none_match.as_deref()).await
    }

    async fn get_latest_open_api_spec_version_content_raw(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
        headers: GetLatestOpenApiSpecVersionContentRawHeaders,
    ) -> Result<Conditional<OpenApiSpecRawContent>, ApiError> {
        let row = self.version(access.organization, &spec_slug, None).await?;
        documents::source(&self.kernel, &row, headers.if_none_match.as_deref()).await
    }

    async fn get_open_api_spec_version_by_id(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
        version_id: OpenapiSpecVersionId,
    ) -> Result<OpenApiSpecVersion, ApiError> {
        let row = self.version(access.organization, &spec_slug, Some(version_id)).await?;
        Ok(Views::of(&self.kernel, &access).version(&spec_slug, row))
    }

    async fn get_open_api_spec_version_content_by_id(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
        version_id: OpenapiSpecVersionId,
        headers: GetOpenApiSpecVersionContentByIdHeaders,
    ) -> Result<Conditional<OpenApiSpecContent>, ApiError> {
        let found = self.version_and_spec(access.organization, &spec_slug, Some(version_id));
        let (version, spec) = found.await?;
        documents::content(&self.kernel, (&version, &spec), headers.if_none_match.as_deref()).await
    }

    async fn get_open_api_spec_version_changes(
        &self,
        access: OrganizationAccess,
        spec_slug: String,
        version_id: OpenapiSpecVersionId,
        query: GetOpenApiSpecVersionChangesQuery,
        headers: GetOpenApiSpecVersionChangesHeaders,
    ) -> Result<Conditional<OpenApiSpecChanges>, ApiError> {
        let row = self.version(access.organization, &spec_slug, Some(version_id)).await?;
        let before = match query.since {
            Some(since) => Some(self.version(access.organization, &spec_slug, Some(since)).await?),
            None => store::version_before(self.kernel.db.read(), &row).await?,
        };
        changes::between(&self.kernel, before.as_ref(), &row, headers.if_none_match.as_deref()).await
    }
}

impl Specifications {
    async fn spec(&self, organization: OrganizationId, slug: &str) -> Result<Model, ApiError> {
        let found = store::find(self.kernel.db.read(), organization, slug).await?;
        found.ok_or_else(unknown)
    }

    /// A version of a specification. Without an id, the latest one.
    async fn version(
        &self,
        organization: OrganizationId,
        slug: &str,
        id: Option<OpenapiSpecVersionId>,
    ) -> Result<versions::Model, ApiError> {
        let found = store::version(self.kernel.db.read(), organization, slug, id).await?;
        found.ok_or_else(|| ApiError::not_found("version"))
    }

    async fn version_and_spec(
        &self,
        organization: OrganizationId,
        slug: &str,
        id: Option<OpenapiSpecVersionId>,
    ) -> Result<(versions::Model, Model), ApiError> {
        let found = store::version_and_spec(self.kernel.db.read(), organization, slug, id).await?;
        found.ok_or_else(|| ApiError::not_found("version"))
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("OpenAPI specification")
}

pub fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "openapi-spec", row.id).labelled(&row.slug)
}
