//! Queries of comments and replies. Each is restricted to one list of comments.

use entity::{
    comments::{Column, CommentStatus, Entity, Model},
    ids::{CommentId, PageId, ReviewId, RevisionId, UserId},
    timestamp::Timestamp,
};
use openapi::models::SortOrder;
use platform::db::{Keyset, Page, Range, ReadRows, positional};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use super::scope::CommentedContent;

platform::partial_row! {
    /// The columns of a comment or a reply that answers show.
    #[sea_orm(entity = "Entity")]
    pub struct CommentColumns {
        pub id: CommentId,
        pub review_id: Option<ReviewId>,
        pub author_id: UserId,
        pub body: String,
        pub posted_at: Timestamp,
        pub edited_at: Option<Timestamp>,
        pub revision_id: RevisionId,
        pub page_id: Option<PageId>,
        pub node: Option<String>,
        pub cell_record: Option<String>,
        pub cell_definition: Option<String>,
        pub status: CommentStatus,
        pub resolved_at: Option<Timestamp>,
        pub resolved_by: Option<UserId>,
    }
}

impl From<Model> for CommentColumns {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            review_id: row.review_id,
            author_id: row.author_id,
            body: row.body,
            posted_at: row.posted_at,
            edited_at: row.edited_at,
            revision_id: row.revision_id,
            page_id: row.page_id,
            node: row.node,
            cell_record: row.cell_record,
            cell_definition: row.cell_definition,
            status: row.status,
            resolved_at: row.resolved_at,
            resolved_by: row.resolved_by,
        }
    }
}

/// The filters of a list of comments.
pub struct CommentFilters {
    pub status: Option<CommentStatus>,
    pub page: Option<PageId>,
    pub authors: Option<Vec<UserId>>,
}

impl CommentFilters {
    /// The status of the comments whose number is kept: of all, or of those with one status. `None` with other filters.
    pub fn kept_count(&self) -> Option<Option<CommentStatus>> {
        (self.page.is_none() && self.authors.is_none()).then_some(self.status)
    }

    /// The comments of a list that match, as a range of the index that tells most of them.
    pub fn apply(self, list: Uuid) -> Range<Entity> {
        let of_list = (Column::ListId, list.into());
        match (self.authors.as_deref(), self.page, self.status) {
            (None, None, None) => in_order(list),
            (None, None, Some(status)) => {
                Range::with_values(Entity::find(), vec![of_list, (Column::Status, status.into())])
            }
            (None, Some(page), _) => {
                let rows = self.with_status(Entity::find());
                Range::with_values(rows, vec![of_list, (Column::PageId, page.into())])
            }
            (Some([author]), ..) => {
                let rows = self.with_status(self.with_page(Entity::find()));
                Range::with_values(rows, vec![of_list, (Column::AuthorId, (*author).into())])
            }
            (Some(authors), ..) => {
                let by_them = under(list).filter(Column::AuthorId.is_in(authors.iter().copied()));
                self.with_status(self.with_page(by_them)).into()
            }
        }
    }

    fn with_page(&self, found: Select<Entity>) -> Select<Entity> {
        match self.page {
            Some(page) => found.filter(Column::PageId.eq(page)),
            None => found,
        }
    }

    fn with_status(&self, found: Select<Entity>) -> Select<Entity> {
        match self.status {
            Some(status) => found.filter(Column::Status.eq(status)),
            None => found,
        }
    }
}

pub fn under(list: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::ListId.eq(list))
}

/// The comments of a list in the order of posting.
pub fn in_order(list: Uuid) -> Range<Entity> {
    Range::with_values(Entity::find(), vec![(Column::ListId, list.into())])
}

/// Restricts a query of comments and replies to one content.
pub fn within(found: Select<Entity>, place: &CommentedContent) -> Select<Entity> {
    let found = found.filter(Column::SpaceId.eq(place.space));
    match place.change_request {
        Some(request) => found.filter(Column::ChangeRequestId.eq(request)),
        None => found.filter(Column::ChangeRequestId.is_null()),
    }
}

pub async fn find(
    db: &impl ConnectionTrait,
    place: &CommentedContent,
    comment: CommentId,
) -> Result<Option<Model>, DbErr> {
    under(place.list()).filter(Column::Id.eq(comment)).one(db).await
}

pub async fn find_reply(
    db: &impl ConnectionTrait,
    place: &CommentedContent,
    comment: CommentId,
    reply: CommentId,
) -> Result<Option<Model>, DbErr> {
    let replies = within(under(*comment.as_uuid()), place);
    replies.filter(Column::Id.eq(reply)).one(db).await
}

/// In the order of posting, or reversed: ids are time-ordered.
pub async fn page(
    db: &impl ReadRows,
    found: &Range<Entity>,
    order: SortOrder,
    after: Option<CommentId>,
    limit: u64,
) -> Result<Page<CommentColumns, CommentId>, DbErr> {
    let columns = [(Entity, Column::Id)];
    let order = match order {
        SortOrder::Asc => Keyset::ascending(columns),
        SortOrder::Desc => Keyset::descending(columns),
    };
    let run = |query| positional::all(db, query);
    let rows = found.after(&order, after);
    order.page(rows, None, limit, run, |row: &CommentColumns| row.id).await
}

/// The comments that were posted with these reviews.
pub async fn of_reviews(db: &impl ReadRows, reviews: Vec<ReviewId>) -> Result<Vec<CommentColumns>, DbErr> {
    positional::all(db, Entity::find().filter(Column::ReviewId.is_in(reviews))).await
}
