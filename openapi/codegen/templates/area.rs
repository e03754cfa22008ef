//! {{Area_words}} of organizations.

use entity::{
    ids::{OrganizationId, {{One}}Id},
    {{context}}::{{area}}::{Column, Entity, Model},
};
use openapi::{
    error::ApiError,
    models::{Create{{One}}, {{One}}, {{One}}List},
    operations::{{area}}::{List{{Area}}Query, {{Area}}Api},
};
use platform::db::rows;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};

use crate::{
    access::OrganizationAccess,
    areas::{{context}}::{{Service}},
    kernel::{
        audit::{AuditTarget, Changed},
        lists::List,
        wire::time,
    },
};

impl {{Area}}Api for {{Service}} {
    async fn list_{{area}}(
        &self,
        access: OrganizationAccess,
        query: List{{Area}}Query,
    ) -> Result<{{One}}List, ApiError> {
        let list = List::new(&self.kernel, ("{{area_kebab}}", access.organization), query.page, query.limit);
        let page = list.newest_first(of(access.organization), |row| row.id, view).await?;
        Ok(page.into())
    }

    async fn create_{{one}}(
        &self,
        access: OrganizationAccess,
        body: Create{{One}},
    ) -> Result<{{One}}, ApiError> {
        let Create{{One}} { title } = body;
        let row = Model {
            id: self.kernel.ids.next(),
            organization_id: access.organization,
            title,
            created_at: self.kernel.clock.now(),
        };
        let work = move |tx| async move {
            rows::insert(&tx, &row).await?;
            Ok(Changed::of(target(&row), row))
        };
        Ok(view(self.kernel.write(&access.caller, work).await?))
    }

    async fn get_{{one}}(&self, access: OrganizationAccess, {{one}}_id: {{One}}Id) -> Result<{{One}}, ApiError> {
        let found = rows::find(self.kernel.db.read(), of(access.organization), {{one}}_id).await?;
        found.map(view).ok_or_else(|| ApiError::not_found("{{one_words}}"))
    }

    async fn delete_{{one}}(&self, access: OrganizationAccess, {{one}}_id: {{One}}Id) -> Result<(), ApiError> {
        let organization = access.organization;
        let work = move |tx| async move {
            let removed = rows::remove(&tx, of(organization), {{one}}_id).await?;
            Ok(Changed::if_some(removed.as_ref().map(target)))
        };
        self.kernel.write(&access.caller, work).await
    }
}

fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "{{one_kebab}}", row.id).labelled(&row.title)
}

fn view(row: Model) -> {{One}} {
    {{One}} {
        object: Default::default(),
        id: row.id.to_string(),
        title: row.title,
        created_at: time(row.created_at),
    }
}
