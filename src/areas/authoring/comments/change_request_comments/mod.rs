//! The comments of change requests: see [`crate::areas::authoring::comments`].

use entity::ids::CommentId;
use openapi::{
    error::ApiError,
    models::{
        Comment, CommentList, CommentReply, CommentReplyList, MemberList, PostComment, PostCommentReply, UpdateComment,
    },
    operations::change_request_comments::{
        ChangeRequestCommentsApi, GetCommentInChangeRequestQuery, GetCommentReplyInChangeRequestQuery,
        ListCommentRepliesInChangeRequestQuery, ListCommentersInChangeRequestQuery, ListCommentsInChangeRequestQuery,
        PostCommentReplyInChangeRequestQuery,
    },
};

use crate::{
    access::ChangeRequestAccess,
    areas::authoring::{
        Authoring,
        comments::{commenters, create, delete, queries, update},
    },
};

impl ChangeRequestCommentsApi for Authoring {
    async fn list_comments_in_change_request(
        &self,
        access: ChangeRequestAccess,
        query: ListCommentsInChangeRequestQuery,
    ) -> Result<CommentList, ApiError> {
        queries::list_comments(&self.kernel, access.into(), query).await
    }

    async fn post_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        body: PostComment,
    ) -> Result<Comment, ApiError> {
        create::create_comment(self, access.into(), body).await
    }

    async fn get_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
        query: GetCommentInChangeRequestQuery,
    ) -> Result<Comment, ApiError> {
        queries::get_comment(&self.kernel, &access.into(), comment_id, query.format).await
    }

    async fn update_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
        body: UpdateComment,
    ) -> Result<Comment, ApiError> {
        update::update_comment(self, access.into(), comment_id, body.try_into()?).await
    }

    async fn delete_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
    ) -> Result<(), ApiError> {
        delete::delete_comment(self, access.into(), comment_id).await
    }

    async fn list_comment_replies_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
        query: ListCommentRepliesInChangeRequestQuery,
    ) -> Result<CommentReplyList, ApiError> {
        let ListCommentRepliesInChangeRequestQuery { page, limit, format } = query;
        queries::list_replies(&self.kernel, access.into(), comment_id, page, limit, format).await
    }

    async fn post_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
        query: PostCommentReplyInChangeRequestQuery,
        body: PostCommentReply,
    ) -> Result<CommentReply, ApiError> {
        create::create_reply(self, access.into(), comment_id, body, query.format).await
    }

    async fn get_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
        comment_reply_id: CommentId,
        query: GetCommentReplyInChangeRequestQuery,
    ) -> Result<CommentReply, ApiError> {
        queries::get_reply(&self.kernel, &access.into(), comment_id, comment_reply_id, query.format).await
    }

    async fn update_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
        comment_reply_id: CommentId,
        body: UpdateComment,
    ) -> Result<CommentReply, ApiError> {
        update::update_reply(self, access.into(), comment_id, comment_reply_id, body.try_into()?).await
    }

    async fn delete_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: CommentId,
        comment_reply_id: CommentId,
    ) -> Result<(), ApiError> {
        delete::delete_reply(self, access.into(), comment_id, comment_reply_id).await
    }

    async fn list_commenters_in_change_request(
        &self,
        access: ChangeRequestAccess,
        query: ListCommentersInChangeRequestQuery,
    ) -> Result<MemberList, ApiError> {
        commenters::list(&self.kernel, access.into(), query.page, query.limit).await
    }
}
