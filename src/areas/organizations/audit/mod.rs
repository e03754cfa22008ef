//! The audit log: events of changes.

pub mod store;
mod view;

use entity::{
    ids::{AuditEventId, UserId},
    organizations::audit_events::Model,
};
use openapi::{
    error::ApiError,
    models::{AuditActionList, AuditEventDetails, AuditEventList},
    operations::audit::{AuditApi, ListOrganizationAuditEventsQuery, ListUserAuditEventsQuery},
};
use sea_orm::DbErr;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    access::{Caller, OrganizationAccess},
    areas::organizations::Organizations,
    kernel::{Kernel, audit_actions, lists::List},
};
use store::{AuditFilters, Key, MatchingEvents};

/// Events that belong to no organization, the newest first; those that concern a user, or all. For the command line.
pub async fn outside_organizations(kernel: &Kernel, user: Option<UserId>, limit: u64) -> Result<Vec<Model>, DbErr> {
    store::outside_organizations(kernel.db.read(), user, limit).await
}

impl AuditApi for Organizations {
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
        let list = List::new(&self.kernel, scope, page, limit);
        let filters = AuditFilters {
            from,
            to,
            action: action.as_deref(),
            actor: actor.as_deref(),
            target: target.as_deref(),
        };
        load(&self.kernel, list, |after| filters.apply(access.organization, after)).await
    }

    async fn get_organization_audit_event(
        &self,
        access: OrganizationAccess,
        audit_event_id: String,
    ) -> Result<AuditEventDetails, ApiError> {
        let found = store::find(self.kernel.db.read(), access.organization, parse(&audit_event_id)?).await?;
        view::details(&self.kernel.urls, found.ok_or_else(unknown)?)
    }

    async fn list_user_audit_events(
        &self,
        caller: Caller,
        query: ListUserAuditEventsQuery,
    ) -> Result<AuditEventList, ApiError> {
        let scope = ("audit-events of a user", caller.user_id);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        load(&self.kernel, list, |_| store::of_user(caller.user_id).into()).await
    }

    async fn get_user_audit_event(
        &self,
        caller: Caller,
        audit_event_id: String,
    ) -> Result<AuditEventDetails, ApiError> {
        let found = store::find_of_user(self.kernel.db.read(), caller.user_id, parse(&audit_event_id)?).await?;
        view::details(&self.kernel.urls, found.ok_or_else(unknown)?)
    }

    async fn list_organization_audit_event_actions(&self, _: OrganizationAccess) -> Result<AuditActionList, ApiError> {
        Ok(AuditActionList {
            items: audit_actions::all(),
        })
    }
}

/// A page of events, the newest first. `matching` returns the events of the list for a page after a key.
async fn load<S: Serialize>(
    kernel: &Kernel,
    list: List<'_, S>,
    matching: impl Fn(Option<Key>) -> MatchingEvents,
) -> Result<AuditEventList, ApiError> {
    let after = list.after::<Key>()?;
    let (all, found) = (matching(None), matching(after));
    let page = store::page(kernel.db.read(), &found, after, list.limit).await?;
    let count = if all.rest.is_empty() {
        list.count(all.rows, &page).await?
    } else {
        list.count_scan(&all.scan(), &page).await?
    };
    Ok(list.answer(page, count, |row| view::event(&kernel.urls, row))?.into())
}

/// Parses the id of an event, a UUID.
fn parse(id: &str) -> Result<AuditEventId, ApiError> {
    Uuid::try_parse(id).map(AuditEventId::from).map_err(|_| unknown())
}

fn unknown() -> ApiError {
    ApiError::not_found("audit event")
}
