//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::{identity::users, ids::UserId};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, OwnershipLevel},
};
use sea_orm::EntityTrait;

use crate::access::{
    Caller, ReadableUserAccess, UserAccess, Visitor,
    grants::context_guard,
    people::{active_member, sharing_organization},
};

context_guard!(IdentityGuard);

impl IdentityGuard {
    /// A member of the organization of a site, for its visitor.
    async fn member_of_site(&self, visitor: Visitor, user: UserId) -> Result<ReadableUserAccess, ApiError> {
        let Visitor { caller, site } = visitor;
        let found = active_member(self.access.db.read(), site.organization(), user).await?;
        Ok(ReadableUserAccess {
            caller,
            user: found.ok_or_else(|| ApiError::not_found("user"))?,
            by_visitor: true,
        })
    }
}

impl guard::IdentityGuard for IdentityGuard {
    type CallerAccess = Caller;
    type UserAccess = UserAccess;
    type UserVisitorsAccess = ReadableUserAccess;

    async fn caller(&self, call: Call<'_>) -> Result<Caller, ApiError> {
        self.access.authenticate(call).await
    }

    async fn user(&self, call: Call<'_>, user_id: UserId, level: OwnershipLevel) -> Result<UserAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let unknown = || ApiError::not_found("user");
        let is_self = user_id == caller.user_id;
        if !is_self
            && sharing_organization(self.access.db.read(), &caller.identity, vec![user_id])
                .await?
                .is_empty()
        {
            return Err(unknown());
        }
        if level == OwnershipLevel::Own && !is_self {
            return Err(ApiError::forbidden("This needs to be the user's own account."));
        }
        let user = users::Entity::find_by_id(user_id).one(self.access.db.read()).await?;
        Ok(UserAccess {
            caller,
            user: user.ok_or_else(unknown)?,
        })
    }

    async fn user_visitors(&self, call: Call<'_>, user_id: UserId) -> Result<ReadableUserAccess, ApiError> {
        if let Some(visitor) = self.access.visitor(call, "user").await? {
            return self.member_of_site(visitor, user_id).await;
        }
        let access = self.user(call, user_id, OwnershipLevel::View).await?;
        Ok(ReadableUserAccess {
            caller: access.caller,
            user: access.user,
            by_visitor: false,
        })
    }
}
