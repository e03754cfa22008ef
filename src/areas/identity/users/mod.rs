//! Users: names, email addresses and pictures.

pub mod store;
pub mod view;

use std::collections::HashMap;

use entity::{identity::users, ids::UserId};
use openapi::{
    error::ApiError,
    models::{UpdateUser, User, texts::DISPLAY_NAME},
    operations::users::UsersApi,
};
use serde_json::json;

use crate::{
    access::{Caller, ReadableUserAccess, UserAccess},
    areas::identity::Identity,
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed, SystemAction},
    },
};

impl UsersApi for Identity {
    async fn get_authenticated_user(&self, caller: Caller) -> Result<User, ApiError> {
        let user = store::find(self.kernel.db.read(), caller.user_id).await?;
        // Deleted since the token was looked up.
        let user = user.ok_or_else(|| ApiError::not_found("user"))?;
        Ok(view::user(&self.kernel.urls, user))
    }

    async fn get_user_by_id(&self, access: ReadableUserAccess) -> Result<User, ApiError> {
        let mut user = view::user(&self.kernel.urls, access.user);
        if access.by_visitor {
            user.email = None;
        }
        Ok(user)
    }

    async fn update_user_by_id(&self, access: UserAccess, body: UpdateUser) -> Result<User, ApiError> {
        let user = access.user.id;
        let payload = serde_json::to_value(&body)?;
        let work = move |tx| async move {
            let user = store::update(&tx, user, body).await?;
            Changed::of(target(&user), user).with(payload)
        };
        Ok(view::user(
            &self.kernel.urls,
            self.kernel.write(&access.caller, work).await?,
        ))
    }
}

/// The name of a user who has not chosen one and whose address has none that the contract allows.
const UNNAMED: &str = "Unnamed";

/// The name of a user who has not chosen one: the part of the address before the `@`.
pub fn name_from_address(email: &str) -> String {
    let local = email.rsplit_once('@').map_or(email, |(local, _)| local);
    DISPLAY_NAME.clean(local).unwrap_or_else(|| UNNAMED.to_owned())
}

/// Creates a user with a verified email address. A user who was only invited so far, and whose address nobody has proven,
/// becomes this user.
pub async fn create(identity: &Identity, email: &str, display_name: &str) -> Result<users::Model, ApiError> {
    let user = store::new(
        identity.kernel.ids.next(),
        identity.kernel.clock.now(),
        email,
        display_name,
    );
    let work = move |tx| async move {
        let user = match store::find_by_email(&tx, &user.email).await? {
            Some(invited) if !invited.email_verified => store::take_over(&tx, invited, user).await?,
            _ => {
                store::insert(&tx, &user).await?;
                user
            }
        };
        Ok(Changed::of(target(&user), user))
    };
    let user = identity.kernel.write(SystemAction::CreateUser, work).await?;
    identity.access.forget_tokens();
    Ok(user)
}

pub fn target(user: &users::Model) -> AuditTarget {
    AuditTarget::of_user(user.id, "user", user.id).labelled(&user.email)
}

pub async fn find_by_email(kernel: &Kernel, email: &str) -> Result<Option<users::Model>, ApiError> {
    Ok(store::find_by_email(kernel.db.read(), email).await?)
}

/// Every user, the earliest first; for the command line.
pub async fn list(kernel: &Kernel) -> Result<Vec<users::Model>, ApiError> {
    Ok(store::all(kernel.db.read()).await?)
}

/// Suspends a user, or ends the suspension.
pub async fn set_suspended(identity: &Identity, user: UserId, suspended: bool) -> Result<(), ApiError> {
    let at = suspended.then(|| identity.kernel.clock.now());
    let work = move |tx| async move {
        store::set_suspended(&tx, user, at).await?;
        Changed::of(AuditTarget::of_user(user, "user", user), ()).with(json!({ "suspended": suspended }))
    };
    let done = identity.kernel.write(SystemAction::SuspendUser, work).await;
    identity.access.forget_tokens();
    done
}

/// The wire forms of users, by their ids.
pub async fn views_of(kernel: &Kernel, ids: Vec<UserId>) -> Result<HashMap<UserId, User>, ApiError> {
    let rows = store::of_ids(kernel.db.read(), &ids).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, view::user(&kernel.urls, row)))
        .collect())
}
