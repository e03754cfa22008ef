//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::{ids::NodeId, organizations::members::MemberRole};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, ContentLevel},
};

use crate::{
    access::{
        ChangeRequestAccess, ReadableChangeRequestAccess, Visitor,
        authorize::{self, Authorized},
        grants::context_guard,
        levels,
        rows::{self, ChangeRequestRow},
    },
    areas::library::guard::space_of_site,
};

context_guard!(AuthoringGuard);

impl AuthoringGuard {
    /// A change request of a space that a preview shows.
    async fn previewed(
        &self,
        call: Call<'_>,
        visitor: Visitor,
        space: NodeId,
        change_request: &str,
    ) -> Result<ReadableChangeRequestAccess, ApiError> {
        let unknown = || ApiError::not_found("change request");
        let named = rows::matching_id_or_number(change_request).filter(|_| visitor.site.preview_of().is_some());
        let named = named.ok_or_else(unknown)?;
        let shown = space_of_site(&self.access, call, visitor, space).await?;
        let found = authorize::load_node_where::<ChangeRequestRow>(&self.access, &shown.caller, space, named).await?;
        Ok(ReadableChangeRequestAccess {
            caller: shown.caller,
            space,
            request: found.ok_or_else(unknown)?.row.request.id,
            by_visitor: true,
        })
    }
}

impl guard::AuthoringGuard for AuthoringGuard {
    type ChangeRequestAccess = ChangeRequestAccess;
    type ChangeRequestVisitorsAccess = ReadableChangeRequestAccess;
    type ChangeRequestMembersOnlyAccess = ChangeRequestAccess;
    type ChangeRequestReviewersAccess = ChangeRequestAccess;

    async fn change_request(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
        level: ContentLevel,
    ) -> Result<ChangeRequestAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let authorized = match rows::matching_id_or_number(change_request_id) {
            Some(named) => {
                authorize::load_node_where::<ChangeRequestRow>(&self.access, &caller, space_id, named).await?
            }
            None => None,
        };
        let level = levels::required_role(level);
        let authorized = authorize::require(authorized, &caller, level, None, "change request")?;
        let caller = caller.allowed_by(authorized.basis());
        let Authorized { row, member, level } = authorized;
        let ChangeRequestRow { space, request } = row;
        Ok(ChangeRequestAccess {
            caller,
            member,
            row: space,
            level,
            request,
        })
    }

    async fn change_request_visitors(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
    ) -> Result<ReadableChangeRequestAccess, ApiError> {
        if let Some(visitor) = self.access.visitor(call, "change request").await? {
            return self.previewed(call, visitor, space_id, change_request_id).await;
        }
        let level = ContentLevel::Read;
        let access = self.change_request(call, space_id, change_request_id, level).await?;
        Ok(ReadableChangeRequestAccess {
            caller: access.caller,
            space: access.row.node.id,
            request: access.request.id,
            by_visitor: false,
        })
    }

    async fn change_request_members_only(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
    ) -> Result<ChangeRequestAccess, ApiError> {
        let access = self
            .change_request(call, space_id, change_request_id, ContentLevel::Read)
            .await?;
        levels::refuse_guests(&access.member)?;
        Ok(access)
    }

    async fn change_request_reviewers(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
    ) -> Result<ChangeRequestAccess, ApiError> {
        let access = self
            .change_request(call, space_id, change_request_id, ContentLevel::Comment)
            .await?;
        let may = access.level >= MemberRole::Review
            || rows::is_review_requested(self.access.db.read(), access.request.id, access.caller.user_id).await?;
        if !may {
            return Err(ApiError::forbidden(
                "This needs the level review on the space, or a request for a review by the caller.",
            ));
        }
        Ok(access)
    }
}
