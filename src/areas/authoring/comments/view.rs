//! Wire types of comments and replies.

use std::collections::HashMap;

use entity::{
    authoring::comments::CommentStatus as Stored,
    ids::{CommentId, UserId},
};
use openapi::models::{
    Comment, CommentPlace, CommentPlaceNode, CommentPlacePage, CommentReply, CommentReplyUrls, CommentStatus,
    CommentText, CommentUrls, EmojiReaction, EmojiReactionUsersItem, Replier, TableCellTarget, User,
};

use super::{
    scope::{CommentRights, CommentScope, CommentedContent},
    store::CommentColumns,
};
use crate::{
    areas::authoring::comments::engagement::{self, ReactionSummary, ReactionUser, ReplySummary},
    kernel::{
        Kernel,
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    Stored as CommentStatus { Open, Resolved }
}

/// Converts comments to wire types for one caller. Comments and replies by users who are not in `people` were deleted
/// with the user and are left out.
pub struct CommentView<'a> {
    urls: &'a Urls,
    place: CommentedContent,
    rights: CommentRights,
    people: HashMap<UserId, User>,
}

impl<'a> CommentView<'a> {
    pub fn new(kernel: &'a Kernel, scope: &CommentScope, people: HashMap<UserId, User>) -> Self {
        Self {
            urls: &kernel.urls,
            place: scope.place,
            rights: scope.rights,
            people,
        }
    }

    pub fn comment(
        &self,
        comment: CommentColumns,
        body: CommentText,
        replies: ReplySummary,
        reactions: Vec<ReactionSummary>,
    ) -> Option<Comment> {
        Some(Comment {
            object: Default::default(),
            id: comment.id.to_string(),
            permissions: self.rights.permissions(comment.author_id),
            posted_by: self.find_user(comment.author_id)?,
            posted_at: time(comment.posted_at),
            edited_at: comment.edited_at.map(time),
            reactions: self.reactions(reactions),
            replies: replies.count,
            repliers: self.repliers(replies.repliers),
            body,
            urls: CommentUrls {
                location: self.location(comment.id),
            },
            status: comment.status.to_wire(),
            resolved_at: comment.resolved_at.map(time),
            resolved_by: comment.resolved_by.and_then(|user| self.find_user(user)),
            target: self.target(comment),
        })
    }

    pub fn reply(
        &self,
        to: CommentId,
        reply: CommentColumns,
        body: CommentText,
        reactions: Vec<ReactionSummary>,
    ) -> Option<CommentReply> {
        Some(CommentReply {
            object: Default::default(),
            id: reply.id.to_string(),
            permissions: self.rights.permissions(reply.author_id),
            posted_by: self.find_user(reply.author_id)?,
            posted_at: time(reply.posted_at),
            edited_at: reply.edited_at.map(time),
            reactions: self.reactions(reactions),
            body,
            urls: CommentReplyUrls {
                location: format!("{}/replies/{}", self.location(to), reply.id),
            },
        })
    }

    fn location(&self, comment: CommentId) -> String {
        self.urls.comment(self.place.space, self.place.change_request, comment)
    }

    fn target(&self, comment: CommentColumns) -> CommentPlace {
        let cell = comment.cell_record.zip(comment.cell_definition);
        CommentPlace {
            node: comment.node.map(|id| CommentPlaceNode { id }),
            table_cell: cell.map(|(record, definition)| TableCellTarget { record, definition }),
            change_request: self.place.change_request.map(|id| id.to_string()),
            review: comment.review_id.map(|id| id.to_string()),
            page: comment.page_id.map(|id| CommentPlacePage { id: id.to_string() }),
            space: self.place.space.to_string(),
            revision: comment.revision_id.to_string(),
        }
    }

    fn find_user(&self, user: UserId) -> Option<User> {
        self.people.get(&user).cloned()
    }

    fn repliers(&self, repliers: Vec<engagement::ReplierSummary>) -> Vec<Replier> {
        let view = |replier: engagement::ReplierSummary| {
            Some(Replier {
                updated_at: time(replier.updated_at),
                count: replier.count,
                user: self.find_user(replier.user)?,
            })
        };
        repliers.into_iter().filter_map(view).collect()
    }

    fn reactions(&self, reactions: Vec<ReactionSummary>) -> Vec<EmojiReaction> {
        let view = |reaction: ReactionSummary| {
            let mut users = reaction.users.into_iter().peekable();
            EmojiReaction {
                // As the first user sent it.
                emoji: users.peek().map(|first| first.written.clone()).unwrap_or_default(),
                count: reaction.count,
                users: users.filter_map(|reacted| self.reacted(reacted)).collect(),
            }
        };
        reactions.into_iter().map(view).collect()
    }

    fn reacted(&self, reacted: ReactionUser) -> Option<EmojiReactionUsersItem> {
        Some(EmojiReactionUsersItem {
            user: self.find_user(reacted.user)?,
            reacted_at: time(reacted.at),
        })
    }
}
