//! Where comments are, and what somebody may do with them.

use entity::{
    change_requests,
    ids::{ChangeRequestId, NodeId, RevisionId, UserId},
    members::MemberRole,
    nodes,
};
use openapi::{error::ApiError, models::CommentPermissions};
use uuid::Uuid;

use crate::access::{Caller, ChangeRequestAccess, SpaceAccess};

/// The comments of a space or of a change request, for a caller who may read them.
pub struct Scope {
    pub caller: Caller,
    pub node: nodes::Model,
    pub place: Place,
    pub rights: Rights,
}

/// What is commented on.
#[derive(Clone, Copy)]
pub struct Place {
    pub space: NodeId,
    /// None is the content of the space itself.
    pub change_request: Option<ChangeRequestId>,
    /// The content at present.
    pub revision: RevisionId,
}

impl Place {
    pub fn of_request(request: &change_requests::Model) -> Self {
        Self {
            space: request.space_id,
            change_request: Some(request.id),
            revision: request.revision_id,
        }
    }

    /// What its comments are listed under.
    pub fn list(&self) -> Uuid {
        match &self.change_request {
            Some(request) => *request.as_uuid(),
            None => *self.space.as_uuid(),
        }
    }
}

impl From<SpaceAccess> for Scope {
    fn from(access: SpaceAccess) -> Self {
        Self {
            place: Place {
                space: access.row.node.id,
                change_request: None,
                revision: access.row.space.revision_id,
            },
            rights: Rights {
                user: access.caller.user_id,
                level: access.level,
            },
            caller: access.caller,
            node: access.row.node,
        }
    }
}

impl From<ChangeRequestAccess> for Scope {
    fn from(access: ChangeRequestAccess) -> Self {
        Self {
            place: Place::of_request(&access.request),
            rights: Rights {
                user: access.caller.user_id,
                level: access.level,
            },
            caller: access.caller,
            node: access.row.node,
        }
    }
}

/// What somebody with a level may do with the comments and replies of others and with their own: the one place that
/// decides it, besides the levels that the contract asks for.
#[derive(Clone, Copy)]
pub struct Rights {
    pub user: UserId,
    pub level: MemberRole,
}

impl Rights {
    pub fn require_text_of(self, author: UserId) -> Result<(), ApiError> {
        allow(self.may_change_text(author), "Only the author may change the text.")
    }

    pub fn require_settling(self, author: UserId) -> Result<(), ApiError> {
        let message = "This needs the author of the comment, or the level edit on the space.";
        allow(author == self.user || self.level >= MemberRole::Edit, message)
    }

    pub fn require_deletion(self, author: UserId) -> Result<(), ApiError> {
        let message = "This needs the author, or the level admin on the space.";
        allow(self.may_delete(author), message)
    }

    pub fn on(self, author: UserId) -> CommentPermissions {
        CommentPermissions {
            view: true,
            edit: self.may_change_text(author),
            reply: Some(self.may_comment()),
            delete: self.may_delete(author),
        }
    }

    fn may_comment(self) -> bool {
        self.level >= MemberRole::Comment
    }

    fn may_change_text(self, author: UserId) -> bool {
        self.may_comment() && author == self.user
    }

    fn may_delete(self, author: UserId) -> bool {
        self.may_change_text(author) || self.level >= MemberRole::Admin
    }
}

fn allow(may: bool, otherwise: &'static str) -> Result<(), ApiError> {
    if may {
        Ok(())
    } else {
        Err(ApiError::forbidden(otherwise))
    }
}
