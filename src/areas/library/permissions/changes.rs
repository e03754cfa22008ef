//! Changes of permissions.

use std::collections::HashSet;

use entity::{ids::PermissionId, library::permissions, organizations::members::MemberRole};
use openapi::{
    error::ApiError,
    models::{GrantPermission, GrantToTeams, GrantToUsers, UpdatePermission},
};
use serde_json::{Value, json};

use super::{NodeAccess, Subject, store};
use crate::{
    areas::library::tree::{self, target},
    kernel::{Kernel, audit::Changed, wire::ToStored},
};

/// Grants a level to all of the users, or to all of the teams; to nobody if one of them is unknown.
pub async fn invite(kernel: &Kernel, on: NodeAccess, body: GrantPermission) -> Result<(), ApiError> {
    let payload = serde_json::to_value(&body)?;
    let (subjects, role) = subjects(body);
    set(kernel, on, subjects, role, payload).await
}

/// The subjects of an invitation, each once, and the level that they get. `None`: none any more.
pub fn subjects(body: GrantPermission) -> (Vec<Subject>, Option<MemberRole>) {
    let (mut subjects, role): (Vec<Subject>, _) = match body {
        GrantPermission::GrantToUsers(GrantToUsers { users, role }) => {
            (users.into_iter().map(Subject::User).collect(), role)
        }
        GrantPermission::GrantToTeams(GrantToTeams { teams, role }) => {
            (teams.into_iter().map(Subject::Team).collect(), role)
        }
    };
    let mut seen = HashSet::new();
    subjects.retain(|subject| seen.insert(*subject));
    (subjects, role.0.map(ToStored::to_stored))
}

/// Changes the level of one person or team; an absent role changes nothing.
pub async fn update(kernel: &Kernel, on: NodeAccess, of: Subject, body: UpdatePermission) -> Result<(), ApiError> {
    let payload = describe(of, &body)?;
    let UpdatePermission { role } = body;
    match role.into_change() {
        Some(role) => set(kernel, on, vec![of], role.map(ToStored::to_stored), payload).await,
        None => Ok(store::require_known(kernel.db.read(), on.node.organization_id, &[of]).await?),
    }
}

/// Revokes the level of a user or team. Returns whether there was a permission.
pub async fn revoke(kernel: &Kernel, on: NodeAccess, of: Subject) -> Result<bool, ApiError> {
    let NodeAccess { caller, node, .. } = on;
    let payload = subject(of);
    let work = move |tx| async move {
        let node = tree::reload(&tx, &node).await?;
        if store::delete(&tx, node.id, &[of]).await? {
            Changed::of(target(&node), true).with(payload)
        } else {
            Ok(Changed::nothing(false))
        }
    };
    kernel.write(&caller, work).await
}

async fn set(
    kernel: &Kernel,
    on: NodeAccess,
    subjects: Vec<Subject>,
    role: Option<MemberRole>,
    payload: Value,
) -> Result<(), ApiError> {
    let NodeAccess { caller, node, .. } = on;
    let ids: Vec<PermissionId> = subjects.iter().map(|_| kernel.ids.next()).collect();
    let now = kernel.clock.now();
    let work = move |tx| async move {
        let node = tree::reload(&tx, &node).await?;
        store::require_known(&tx, node.organization_id, &subjects).await?;
        let before = store::granted_levels(&tx, node.id, &subjects).await?;
        let changed = |subject: &Subject| before.get(subject).copied() != role;
        if !subjects.iter().any(changed) {
            return Ok(Changed::nothing(()));
        }
        match role {
            None => drop(store::delete(&tx, node.id, &subjects).await?),
            Some(role) => {
                let new = subjects.into_iter().zip(ids).filter(|(subject, _)| changed(subject));
                let new = new.map(|(subject, id)| store::new(id, &node, subject, role, now));
                let new: Vec<permissions::Model> = new.collect();
                tree::store::upsert_permissions(&tx, new).await?;
            }
        }
        Changed::of(target(&node), ()).with(payload)
    };
    kernel.write(&caller, work).await
}

/// Names the subject of a change in the payload of the event.
pub fn subject(of: Subject) -> Value {
    match of {
        Subject::User(user) => json!({ "user": user }),
        Subject::Team(team) => json!({ "team": team }),
    }
}

/// The payload of the event of a change.
pub fn describe(of: Subject, body: &UpdatePermission) -> Result<Value, ApiError> {
    let mut payload = subject(of);
    let body = serde_json::to_value(body)?;
    if let (Some(payload), Value::Object(body)) = (payload.as_object_mut(), body) {
        payload.extend(body);
    }
    Ok(payload)
}
