//! Comments on the content of spaces and change requests, the replies to them, and reactions.
//!
//! Comments of spaces and comments of change requests work alike: both areas of the contract use this module, each with
//! a [`CommentScope`].

mod anchor;
pub mod body;
pub mod change_request_comments;
pub mod commenters;
pub mod create;
pub mod delete;
mod engagement;
mod participants;
pub mod queries;
mod reactions;
mod scope;
pub mod store;
pub mod update;
mod view;

use entity::{ids::CommentId, library::nodes};
use openapi::{
    error::ApiError,
    models::{
        Comment, CommentFormat, CommentList, CommentReply, CommentReplyList, MemberList, PostComment, PostCommentReply,
        UpdateComment, UpdateCommentReply,
    },
    operations::comments::{
        CommentsApi, GetCommentInSpaceQuery, GetCommentReplyInSpaceQuery, ListCommentRepliesInSpaceQuery,
        ListCommentersInSpaceQuery, ListCommentsInSpaceQuery,
    },
};

use crate::{access::SpaceAccess, areas::authoring::Authoring, kernel::audit::AuditTarget};

pub use anchor::CommentAnchor;
pub use scope::{CommentScope, CommentedContent};

impl CommentsApi for Authoring {
    async fn list_comments_in_space(
        &self,
        access: SpaceAccess,
        query: ListCommentsInSpaceQuery,
    ) -> Result<CommentList, ApiError> {
        queries::list_comments(&self.kernel, access.into(), query).await
    }

    async fn post_comment_in_space(&self, access: SpaceAccess, body: PostComment) -> Result<Comment, ApiError> {
        create::create_comment(self, access.into(), body).await
    }

    async fn get_comment_in_space(
        &self,
        access: SpaceAccess,
        comment_id: CommentId,
        query: GetCommentInSpaceQuery,
    ) -> Result<Comment, ApiError> {
        queries::get_comment(&self.kernel, &access.into(), comment_id, query.format).await
    }

    async fn update_comment_in_space(
        &self,
        access: SpaceAccess,
        comment_id: CommentId,
        body: UpdateComment,
    ) -> Result<Comment, ApiError> {
        update::update_comment(self, access.into(), comment_id, body.try_into()?).await
    }

    async fn delete_comment_in_space(&self, access: SpaceAccess, comment_id: CommentId) -> Result<(), ApiError> {
        delete::delete_comment(self, access.into(), comment_id).await
    }

    async fn list_comment_replies_in_space(
        &self,
        access: SpaceAccess,
        comment_id: CommentId,
        query: ListCommentRepliesInSpaceQuery,
    ) -> Result<CommentReplyList, ApiError> {
        let ListCommentRepliesInSpaceQuery { page, limit, format } = query;
        queries::list_replies(&self.kernel, access.into(), comment_id, page, limit, format).await
    }

    async fn post_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: CommentId,
        body: PostCommentReply,
    ) -> Result<CommentReply, ApiError> {
        let format = CommentFormat::Markdown;
        create::create_reply(self, access.into(), comment_id, body, format).await
    }

    async fn get_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: CommentId,
        comment_reply_id: CommentId,
        query: GetCommentReplyInSpaceQuery,
    ) -> Result<CommentReply, ApiError> {
        queries::get_reply(&self.kernel, &access.into(), comment_id, comment_reply_id, query.format).await
    }

    async fn update_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: CommentId,
        comment_reply_id: CommentId,
        body: UpdateCommentReply,
    ) -> Result<CommentReply, ApiError> {
        update::update_reply(self, access.into(), comment_id, comment_reply_id, body.try_into()?).await
    }

    async fn delete_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: CommentId,
        comment_reply_id: CommentId,
    ) -> Result<(), ApiError> {
        delete::delete_reply(self, access.into(), comment_id, comment_reply_id).await
    }

    async fn list_commenters_in_space(
        &self,
        access: SpaceAccess,
        query: ListCommentersInSpaceQuery,
    ) -> Result<MemberList, ApiError> {
        commenters::list(&self.kernel, access.into(), query.page, query.limit).await
    }
}

fn comment_not_found() -> ApiError {
    ApiError::not_found("comment")
}

fn reply_not_found() -> ApiError {
    ApiError::not_found("reply")
}

fn comment_target(space: &nodes::Model, comment: CommentId) -> AuditTarget {
    AuditTarget::in_organization(space.organization_id, "comment", comment)
}

fn reply_target(space: &nodes::Model, reply: CommentId) -> AuditTarget {
    AuditTarget::in_organization(space.organization_id, "comment-reply", reply)
}
