//! The audit log: events of changes.

mod store;
mod view;

use entity::{
    audit_events::Model,
    ids::{AuditEventId, UserId},
};
use openapi::{
    error::ApiError,
    models::{AuditActionList, AuditEventDetails, AuditEventList},
    operations::audit::{AuditApi, ListOrganizationAuditEventsQuery},
};
use sea_orm::DbErr;
use uuid::Uuid;

use crate::{
    access::OrganizationAccess,
    app::{App, audit_actions, lists::List},
};

use store::AuditFilters;

/// Events that belong to no organization, the newest first; those by a user or about them, or all. For the command line.
pub async fn outside_organizations(app: &App, user: Option<UserId>, limit: u64) -> Result<Vec<Model>, DbErr> {
    store::outside_organizations(app.db.read(), user, limit).await
}

impl AuditApi for App {
    async fn list_organization_audit_events(
        &self,
        access: OrganizationAccess,
        query: ListOrganizationAuditEventsQuery,
    ) -> Result<AuditEventList, ApiError> {
        let ListOrganizationAuditEventsQuery {
            page,
            limit,
            from,
            to,
            action,
            actor,
            target,
        } = query;
        let (from, to) = (from.map(|from| from.0.into()), to.map(|to| to.0.into()));
        let scope = ("audit-events", access.organization, from, to, &action, &actor, &target);
        let list = List::new(self, scope, page, limit);
        let filters = AuditFilters {
            from,
            to,
            action: action.as_deref(),
            actor: actor.as_deref(),
            target: target.as_deref(),
        };
        let (db, found) = (self.db.read(), filters.query(access.organization));
        let page = store::page(db, found.clone(), list.after()?, list.limit).await?;
        let count = list.count(found, &page).await?;
        Ok(list.answer(page, count, |row| view::event(&self.urls, row))?.into())
    }

    async fn get_organization_audit_event(
        &self,
        access: OrganizationAccess,
        audit_event_id: String,
    ) -> Result<AuditEventDetails, ApiError> {
        let unknown = || ApiError::not_found("audit event");
        let id = Uuid::try_parse(&audit_event_id).map_err(|_| unknown())?;
        let found = store::find(self.db.read(), access.organization, AuditEventId::from(id)).await;
        view::details(&self.urls, found?.ok_or_else(unknown)?)
    }

    async fn list_organization_audit_event_actions(&self, _: OrganizationAccess) -> Result<AuditActionList, ApiError> {
        Ok(AuditActionList {
            items: audit_actions::all(),
        })
    }
}
