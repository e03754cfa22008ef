//! Comments and replies on the wire.

use std::collections::HashMap;

use entity::{
    comments::CommentStatus as Stored,
    ids::{CommentId, UserId},
};
use openapi::models::{
    Comment, CommentPlace, CommentPlaceNode, CommentPlacePage, CommentReply, CommentReplyUrls, CommentStatus,
    CommentText, CommentUrls, EmojiReaction, EmojiReactionUsersItem, Replier, TableCellTarget, User,
};

use crate::{
    app::{App, urls::Urls, wire::time},
    areas::authoring::comments::engagement::{self, Reacted, Reaction, Replies},
};

use super::{
    scope::{Place, Rights, Scope},
    store::Shown,
};

/// How comments of a place look to somebody. Who is not among the people is not there any more, and what they wrote is
/// left out.
pub struct View<'a> {
    urls: &'a Urls,
    place: Place,
    rights: Rights,
    people: HashMap<UserId, User>,
}

impl<'a> View<'a> {
    pub fn new(app: &'a App, scope: &Scope, people: HashMap<UserId, User>) -> Self {
        Self {
            urls: &app.urls,
            place: scope.place,
            rights: scope.rights,
            people,
        }
    }

    pub fn comment(
        &self,
        comment: Shown,
        body: CommentText,
        replies: Replies,
        reactions: Vec<Reaction>,
    ) -> Option<Comment> {
        Some(Comment {
            object: Default::default(),
            id: comment.id.to_string(),
            permissions: self.rights.on(comment.author_id),
            posted_by: self.user(comment.author_id)?,
            posted_at: time(comment.posted_at),
            edited_at: comment.edited_at.map(time),
            reactions: self.reactions(reactions),
            replies: replies.count,
            repliers: self.repliers(replies.repliers),
            body,
            urls: CommentUrls {
                location: self.location(comment.id),
            },
            status: match comment.status {
                Stored::Open => CommentStatus::Open,
                Stored::Resolved => CommentStatus::Resolved,
            },
            resolved_at: comment.resolved_at.map(time),
            resolved_by: comment.resolved_by.and_then(|user| self.user(user)),
            target: self.target(comment),
        })
    }

    pub fn reply(
        &self,
        to: CommentId,
        reply: Shown,
        body: CommentText,
        reactions: Vec<Reaction>,
    ) -> Option<CommentReply> {
        Some(CommentReply {
            object: Default::default(),
            id: reply.id.to_string(),
            permissions: self.rights.on(reply.author_id),
            posted_by: self.user(reply.author_id)?,
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

    fn target(&self, comment: Shown) -> CommentPlace {
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

    fn user(&self, user: UserId) -> Option<User> {
        self.people.get(&user).cloned()
    }

    fn repliers(&self, repliers: Vec<engagement::Replier>) -> Vec<Replier> {
        let one = |replier: engagement::Replier| {
            Some(Replier {
                updated_at: time(replier.updated_at),
                count: replier.count,
                user: self.user(replier.user)?,
            })
        };
        repliers.into_iter().filter_map(one).collect()
    }

    fn reactions(&self, reactions: Vec<Reaction>) -> Vec<EmojiReaction> {
        let one = |reaction: Reaction| {
            let mut users = reaction.users.into_iter().peekable();
            EmojiReaction {
                // As the first of them sent it.
                emoji: users.peek().map(|first| first.written.clone()).unwrap_or_default(),
                count: reaction.count,
                users: users.filter_map(|reacted| self.reacted(reacted)).collect(),
            }
        };
        reactions.into_iter().map(one).collect()
    }

    fn reacted(&self, reacted: Reacted) -> Option<EmojiReactionUsersItem> {
        Some(EmojiReactionUsersItem {
            user: self.user(reacted.user)?,
            reacted_at: time(reacted.at),
        })
    }
}
