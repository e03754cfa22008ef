//! Comments and replies on the wire.

use entity::{
    comments::{CommentStatus as Stored, Model},
    ids::CommentId,
};
use openapi::models::{
    Comment, CommentPlace, CommentPlaceNode, CommentPlacePage, CommentReply, CommentReplyUrls, CommentStatus,
    CommentText, CommentUrls, EmojiReaction, EmojiReactionUsersItem, Replier, TableCellTarget,
};

use crate::{app::App, urls::Urls, users::view::user, views::time};

use super::{
    around::{self, Reaction, Replies},
    scope::{Place, Rights, Scope},
    store::Row,
};

/// How comments of a place look to somebody.
pub struct View<'a> {
    urls: &'a Urls,
    place: Place,
    rights: Rights,
}

impl<'a> View<'a> {
    pub fn new(app: &'a App, scope: &Scope) -> Self {
        Self {
            urls: &app.urls,
            place: scope.place,
            rights: scope.rights,
        }
    }

    pub fn comment(&self, row: Row, body: CommentText, replies: Replies, reactions: Vec<Reaction>) -> Comment {
        let Row {
            comment,
            author,
            resolver,
        } = row;
        Comment {
            object: Default::default(),
            id: comment.id.to_string(),
            permissions: self.rights.on(author.id),
            posted_by: user(self.urls, author),
            posted_at: time(comment.posted_at),
            edited_at: comment.edited_at.map(time),
            reactions: self.reactions(reactions),
            replies: replies.count,
            repliers: replies
                .repliers
                .into_iter()
                .map(|replier| self.replier(replier))
                .collect(),
            body,
            urls: CommentUrls {
                location: self.location(comment.id),
            },
            status: match comment.status {
                Stored::Open => CommentStatus::Open,
                Stored::Resolved => CommentStatus::Resolved,
            },
            resolved_at: comment.resolved_at.map(time),
            resolved_by: resolver.map(|resolver| user(self.urls, resolver)),
            target: target(comment),
        }
    }

    pub fn reply(&self, to: CommentId, row: Row, body: CommentText, reactions: Vec<Reaction>) -> CommentReply {
        let Row { comment, author, .. } = row;
        CommentReply {
            object: Default::default(),
            id: comment.id.to_string(),
            permissions: self.rights.on(author.id),
            posted_by: user(self.urls, author),
            posted_at: time(comment.posted_at),
            edited_at: comment.edited_at.map(time),
            reactions: self.reactions(reactions),
            body,
            urls: CommentReplyUrls {
                location: format!("{}/replies/{}", self.location(to), comment.id),
            },
        }
    }

    fn location(&self, comment: CommentId) -> String {
        self.urls.comment(self.place.space, self.place.change_request, comment)
    }

    fn replier(&self, replier: around::Replier) -> Replier {
        Replier {
            updated_at: time(replier.updated_at),
            count: replier.count,
            user: user(self.urls, replier.user),
        }
    }

    fn reactions(&self, reactions: Vec<Reaction>) -> Vec<EmojiReaction> {
        let one = |reaction: Reaction| EmojiReaction {
            emoji: reaction.written,
            count: reaction.count,
            users: reaction
                .users
                .into_iter()
                .map(|(person, at)| EmojiReactionUsersItem {
                    user: user(self.urls, person),
                    reacted_at: time(at),
                })
                .collect(),
        };
        reactions.into_iter().map(one).collect()
    }
}

fn target(comment: Model) -> CommentPlace {
    let cell = comment.cell_record.zip(comment.cell_definition);
    CommentPlace {
        node: comment.node.map(|id| CommentPlaceNode { id }),
        table_cell: cell.map(|(record, definition)| TableCellTarget { record, definition }),
        change_request: comment.change_request_id.map(|id| id.to_string()),
        review: comment.review_id.map(|id| id.to_string()),
        page: comment.page_id.map(|id| CommentPlacePage { id: id.to_string() }),
        space: comment.space_id.to_string(),
        revision: comment.revision_id.to_string(),
    }
}
