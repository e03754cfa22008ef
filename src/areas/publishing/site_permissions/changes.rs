//! Changes of permissions on sites.

use entity::{ids::PermissionId, organizations::members::MemberRole, publishing::sites::permissions::Model};
use openapi::{
    error::ApiError,
    models::{GrantPermission, UpdatePermission},
};
use platform::db::Tx;
use serde_json::Value;

use super::store;

use crate::{
    areas::{
        library::permissions::{
            Subject,
            changes::{describe, subject, subjects},
            store::require_known,
        },
        publishing::{
            guard::SiteAccess,
            structure::site::{lock, target},
        },
    },
    kernel::{Kernel, audit::Changed, wire::ToStored},
};

/// Grants a level to all of the users, or to all of the teams; to nobody if one of them is unknown.
pub async fn invite(kernel: &Kernel, on: SiteAccess, body: GrantPermission) -> Result<(), ApiError> {
    let payload = serde_json::to_value(&body)?;
    let (subjects, role) = subjects(body);
    set(kernel, on, subjects, role, payload).await
}

/// Changes the level of one person or team; an absent role changes nothing.
pub async fn update(kernel: &Kernel, on: SiteAccess, of: Subject, body: UpdatePermission) -> Result<(), ApiError> {
    let payload = describe(of, &body)?;
    let UpdatePermission { role } = body;
    match role.into_change() {
        Some(role) => set(kernel, on, vec![of], role.map(ToStored::to_stored), payload).await,
        None => require_known(kernel.db.read(), on.member.organization, &[of]).await,
    }
}

/// Revokes the level of a user or team, if there is one.
pub async fn revoke(kernel: &Kernel, on: SiteAccess, of: Subject) -> Result<(), ApiError> {
    let (organization, site) = (on.member.organization, on.row.id);
    let payload = subject(of);
    let work = move |tx: Tx| async move {
        let site = lock(&tx, organization, site).await?;
        if store::delete(&tx, site.id, &[of]).await? {
            Changed::of(target(&site), ()).with(payload)
        } else {
            Ok(Changed::nothing(()))
        }
    };
    kernel.write(&on.caller, work).await
}

async fn set(
    kernel: &Kernel,
    on: SiteAccess,
    subjects: Vec<Subject>,
    role: Option<MemberRole>,
    payload: Value,
) -> Result<(), ApiError> {
    let (organization_id, site) = (on.member.organization, on.row.id);
    let ids: Vec<PermissionId> = subjects.iter().map(|_| kernel.ids.next()).collect();
    let created_at = kernel.clock.now();
    let work = move |tx: Tx| async move {
        let site = lock(&tx, organization_id, site).await?;
        require_known(&tx, organization_id, &subjects).await?;
        let before = store::granted_levels(&tx, site.id, &subjects).await?;
        let changed = |subject: &Subject| before.get(subject).copied() != role;
        if !subjects.iter().any(changed) {
            return Ok(Changed::nothing(()));
        }
        match role {
            None => drop(store::delete(&tx, site.id, &subjects).await?),
            Some(role) => {
                let new = subjects.into_iter().zip(ids).filter(|(subject, _)| changed(subject));
                let new = new.map(|(subject, id)| {
                    let (user_id, team_id) = subject.columns();
                    Model {
                        id,
                        organization_id,
                        site_id: site.id,
                        user_id,
                        team_id,
                        role,
                        created_at,
                    }
                });
                let new: Vec<Model> = new.collect();
                store::upsert(&tx, new).await?;
            }
        }
        Changed::of(target(&site), ()).with(payload)
    };
    kernel.write(&on.caller, work).await
}
