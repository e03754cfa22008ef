//! The comments of change requests: see [`crate::areas::authoring::comments`].

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
    app::App,
    areas::authoring::comments::{changing, commenters, id, listing, posting, reply_id},
};

impl ChangeRequestCommentsApi for App {
    async fn list_comments_in_change_request(
        &self,
        access: ChangeRequestAccess,
        query: ListCommentsInChangeRequestQuery,
    ) -> Result<CommentList, ApiError> {
        listing::comments(self, access.into(), query).await
    }

    async fn post_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        body: PostComment,
    ) -> Result<Comment, ApiError> {
        posting::post(self, access.into(), body).await
    }

    async fn get_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
        query: GetCommentInChangeRequestQuery,
    ) -> Result<Comment, ApiError> {
        listing::comment(self, &access.into(), id(&comment_id)?, query.format).await
    }

    async fn update_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
        body: UpdateComment,
    ) -> Result<Comment, ApiError> {
        changing::comment(self, access.into(), id(&comment_id)?, body.into()).await
    }

    async fn delete_comment_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
    ) -> Result<(), ApiError> {
        changing::delete(self, access.into(), &comment_id).await
    }

    async fn list_comment_replies_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
        query: ListCommentRepliesInChangeRequestQuery,
    ) -> Result<CommentReplyList, ApiError> {
        let ListCommentRepliesInChangeRequestQuery { page, limit, format } = query;
        listing::replies(self, access.into(), id(&comment_id)?, page, limit, format).await
    }

    async fn post_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
        query: PostCommentReplyInChangeRequestQuery,
        body: PostCommentReply,
    ) -> Result<CommentReply, ApiError> {
        posting::reply(self, access.into(), id(&comment_id)?, body, query.format).await
    }

    async fn get_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
        comment_reply_id: String,
        query: GetCommentReplyInChangeRequestQuery,
    ) -> Result<CommentReply, ApiError> {
        let (comment, reply) = (id(&comment_id)?, reply_id(&comment_reply_id)?);
        listing::reply(self, &access.into(), comment, reply, query.format).await
    }

    async fn update_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
        comment_reply_id: String,
        body: UpdateComment,
    ) -> Result<CommentReply, ApiError> {
        let (comment, reply) = (id(&comment_id)?, reply_id(&comment_reply_id)?);
        changing::reply(self, access.into(), comment, reply, body.into()).await
    }

    async fn delete_comment_reply_in_change_request(
        &self,
        access: ChangeRequestAccess,
        comment_id: String,
        comment_reply_id: String,
    ) -> Result<(), ApiError> {
        changing::delete_reply(self, access.into(), &comment_id, &comment_reply_id).await
    }

    async fn list_commenters_in_change_request(
        &self,
        access: ChangeRequestAccess,
        query: ListCommentersInChangeRequestQuery,
    ) -> Result<MemberList, ApiError> {
        commenters::list(self, access.into(), query.page, query.limit).await
    }
}
