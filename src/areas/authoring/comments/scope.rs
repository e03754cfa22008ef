//! The commented content, and the rights of the caller.

use entity::{
    authoring::change_requests,
    ids::{ChangeRequestId, NodeId, RevisionId, UserId},
    library::nodes,
    organizations::members::MemberRole,
};
use openapi::{error::ApiError, models::CommentPermissions};
use uuid::Uuid;

use crate::access::{Caller, ChangeRequestAccess, SpaceAccess};

/// The comments of a space or a change request, for a caller who may read them.
pub struct CommentScope {
    pub caller: Caller,
    pub node: nodes::Model,
    pub place: CommentedContent,
    pub rights: CommentRights,
}

/// The content that is commented on.
#[derive(Clone, Copy)]
pub struct CommentedContent {
    pub space: NodeId,
    /// `None`: the content of the space itself.
    pub change_request: Option<ChangeRequestId>,
    /// The current revision.
    pub revision: RevisionId,
}

impl CommentedContent {
    pub fn of_request(request: &change_requests::Model) -> Self {
        Self {
            space: request.space_id,
            change_request: Some(request.id),
            revision: request.revision_id,
        }
    }

    /// The id of the list that its comments are in.
    pub fn list(&self) -> Uuid {
        match &self.change_request {
            Some(request) => *request.as_uuid(),
            None => *self.space.as_uuid(),
        }
    }
}

impl From<SpaceAccess> for CommentScope {
    fn from(access: SpaceAccess) -> Self {
        Self {
            place: CommentedContent {
                space: access.row.node.id,
                change_request: None,
                revision: access.row.space.revision_id,
            },
            rights: CommentRights {
                user: access.caller.user_id,
                level: access.level,
            },
            caller: access.caller,
            node: access.row.node,
        }
    }
}

impl From<ChangeRequestAccess> for CommentScope {
    fn from(access: ChangeRequestAccess) -> Self {
        Self {
            place: CommentedContent::of_request(&access.request),
            rights: CommentRights {
                user: access.caller.user_id,
                level: access.level,
            },
            caller: access.caller,
            node: access.row.node,
        }
    }
}

/// The rights of a user on comments and replies, from their level on the space and from who the author is. The contract
/// additionally requires a level for each operation.
#[derive(Clone, Copy)]
pub struct CommentRights {
    pub user: UserId,
    pub level: MemberRole,
}

impl CommentRights {
    pub fn require_edit(self, author: UserId) -> Result<(), ApiError> {
        allow(self.may_edit(author), "Only the author can change the text.")
    }

    pub fn require_resolve(self, author: UserId) -> Result<(), ApiError> {
        let message = "Resolving a comment requires its author, or the level edit on the space.";
        allow(author == self.user || self.level >= MemberRole::Edit, message)
    }

    pub fn require_delete(self, author: UserId) -> Result<(), ApiError> {
        let message = "Deleting requires the author, or the level admin on the space.";
        allow(self.may_delete(author), message)
    }

    pub fn permissions(self, author: UserId) -> CommentPermissions {
        CommentPermissions {
            view: true,
            edit: self.may_edit(author),
            reply: Some(self.may_comment()),
            delete: self.may_delete(author),
        }
    }

    fn may_comment(self) -> bool {
        self.level >= MemberRole::Comment
    }

    fn may_edit(self, author: UserId) -> bool {
        self.may_comment() && author == self.user
    }

    fn may_delete(self, author: UserId) -> bool {
        author == self.user || self.level >= MemberRole::Admin
    }
}

fn allow(may: bool, otherwise: &'static str) -> Result<(), ApiError> {
    if may {
        Ok(())
    } else {
        Err(ApiError::forbidden(otherwise))
    }
}
