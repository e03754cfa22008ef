//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::{ids::NodeId, organizations::members::MemberRole};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, ContentLevel},
};

use crate::access::{
    ChangeRequestAccess, ReadableChangeRequestAccess,
    authorize::{self, Authorized},
    grants::context_guard,
    levels,
    rows::{self, ChangeRequestRow},
};

context_guard!(AuthoringGuard);

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
            return self
                .access
                .visited_change_request(call, visitor, space_id, change_request_id)
                .await;
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
