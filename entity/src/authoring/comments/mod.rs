//! Comments on the content of spaces and change requests, and the replies to them.

pub mod commenters;
pub mod counts;
pub mod reaction_counts;
pub mod reactions;
pub mod repliers;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ChangeRequestId, CommentId, NodeId, PageId, ReviewId, RevisionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "comments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CommentId,
    pub space_id: NodeId,
    /// `None`: the content of the space.
    #[sea_orm(indexed)]
    pub change_request_id: Option<ChangeRequestId>,
    /// The review that it was posted with.
    #[sea_orm(indexed)]
    pub review_id: Option<ReviewId>,
    /// The comment that a reply belongs to.
    #[sea_orm(indexed)]
    pub parent_id: Option<CommentId>,
    /// The list of the comment, never null: the comment of a reply, else the change request, else the space.
    pub list_id: Uuid,
    pub author_id: UserId,
    /// Markdown.
    #[sea_orm(column_type = "Text")]
    pub body: String,
    pub posted_at: Timestamp,
    pub edited_at: Option<Timestamp>,
    /// The content that it was posted on.
    pub revision_id: RevisionId,
    pub page_id: Option<PageId>,
    /// The key of a block of the page.
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub node: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub cell_record: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub cell_definition: Option<String>,
    /// Replies are open.
    pub status: CommentStatus,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<UserId>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
    #[sea_orm(belongs_to, from = "change_request_id", to = "id", on_delete = "Cascade")]
    pub change_request: BelongsTo<Option<crate::authoring::change_requests::Entity>>,
    #[sea_orm(belongs_to, from = "review_id", to = "id", on_delete = "Cascade")]
    pub review: BelongsTo<Option<crate::authoring::change_requests::reviews::Entity>>,
    #[sea_orm(
        self_ref,
        relation_enum = "Parent",
        from = "parent_id",
        to = "id",
        on_delete = "Cascade"
    )]
    pub parent: BelongsTo<Option<Entity>>,
    #[sea_orm(belongs_to, from = "author_id", to = "id", on_delete = "Cascade")]
    pub author: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum CommentStatus {
    #[sea_orm(string_value = "open")]
    Open,
    #[sea_orm(string_value = "resolved")]
    Resolved,
}
