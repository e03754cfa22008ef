//! Comments on the content of spaces and change requests, the replies to them, and reactions.
//!
//! The comments of a space and those of a change request work alike: both areas of the contract come here, each with a
//! [`Scope`].

pub mod body;
pub mod changing;
pub mod commenters;
mod engagement;
pub mod listing;
pub mod posting;
mod reacting;
mod scope;
mod store;
mod targets;
mod view;

use entity::{ids::CommentId, nodes};
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

use crate::{
    access::SpaceAccess,
    app::{App, audit::Target},
};

pub use scope::{Place, Scope};
pub use targets::Target as On;

impl CommentsApi for App {
    async fn list_comments_in_space(
        &self,
        access: SpaceAccess,
        query: ListCommentsInSpaceQuery,
    ) -> Result<CommentList, ApiError> {
        listing::comments(self, access.into(), query).await
    }

    async fn post_comment_in_space(&self, access: SpaceAccess, body: PostComment) -> Result<Comment, ApiError> {
        posting::post(self, access.into(), body).await
    }

    async fn get_comment_in_space(
        &self,
        access: SpaceAccess,
        comment_id: String,
        query: GetCommentInSpaceQuery,
    ) -> Result<Comment, ApiError> {
        listing::comment(self, &access.into(), id(&comment_id)?, query.format).await
    }

    async fn update_comment_in_space(
        &self,
        access: SpaceAccess,
        comment_id: String,
        body: UpdateComment,
    ) -> Result<Comment, ApiError> {
        changing::comment(self, access.into(), id(&comment_id)?, body.into()).await
    }

    async fn delete_comment_in_space(&self, access: SpaceAccess, comment_id: String) -> Result<(), ApiError> {
        changing::delete(self, access.into(), &comment_id).await
    }

    async fn list_comment_replies_in_space(
        &self,
        access: SpaceAccess,
        comment_id: String,
        query: ListCommentRepliesInSpaceQuery,
    ) -> Result<CommentReplyList, ApiError> {
        let ListCommentRepliesInSpaceQuery { page, limit, format } = query;
        listing::replies(self, access.into(), id(&comment_id)?, page, limit, format).await
    }

    async fn post_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: String,
        body: PostCommentReply,
    ) -> Result<CommentReply, ApiError> {
        let format = CommentFormat::Markdown;
        posting::reply(self, access.into(), id(&comment_id)?, body, format).await
    }

    async fn get_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: String,
        comment_reply_id: String,
        query: GetCommentReplyInSpaceQuery,
    ) -> Result<CommentReply, ApiError> {
        let (comment, reply) = (id(&comment_id)?, reply_id(&comment_reply_id)?);
        listing::reply(self, &access.into(), comment, reply, query.format).await
    }

    async fn update_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: String,
        comment_reply_id: String,
        body: UpdateCommentReply,
    ) -> Result<CommentReply, ApiError> {
        let (comment, reply) = (id(&comment_id)?, reply_id(&comment_reply_id)?);
        changing::reply(self, access.into(), comment, reply, body.into()).await
    }

    async fn delete_comment_reply_in_space(
        &self,
        access: SpaceAccess,
        comment_id: String,
        comment_reply_id: String,
    ) -> Result<(), ApiError> {
        changing::delete_reply(self, access.into(), &comment_id, &comment_reply_id).await
    }

    async fn list_commenters_in_space(
        &self,
        access: SpaceAccess,
        query: ListCommentersInSpaceQuery,
    ) -> Result<MemberList, ApiError> {
        commenters::list(self, access.into(), query.page, query.limit).await
    }
}

/// The comment that a path names.
pub fn id(text: &str) -> Result<CommentId, ApiError> {
    text.parse().map_err(|_| unknown())
}

/// The reply that a path names.
pub fn reply_id(text: &str) -> Result<CommentId, ApiError> {
    text.parse().map_err(|_| unknown_reply())
}

fn unknown() -> ApiError {
    ApiError::not_found("comment")
}

fn unknown_reply() -> ApiError {
    ApiError::not_found("reply")
}

fn target(space: &nodes::Model, comment: CommentId) -> Target {
    Target::in_organization(space.organization_id, "comment", comment)
}

fn reply_target(space: &nodes::Model, reply: CommentId) -> Target {
    Target::in_organization(space.organization_id, "comment-reply", reply)
}
