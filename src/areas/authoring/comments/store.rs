//! Queries of comments and replies. Each is restricted to one list of comments.

use entity::{
    authoring::comments::{Column, CommentStatus, Entity, Model},
    ids::{CommentId, PageId, ReviewId, RevisionId, UserId},
    timestamp::Timestamp,
};
use openapi::models::SortOrder;
use platform::db::{Keyset, Page, Range, Ranges, ReadRows, positional};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select, Value};
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

/// The most authors whose comments are a range each. Comments by more of them are looked for among all comments.
const MAX_AUTHOR_RANGES: usize = 50;

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

    /// The comments of a list that match.
    pub fn apply(mut self, list: Uuid) -> MatchingComments {
        let Some(mut authors) = self.authors.take() else {
            return self.matching(list, &[None]);
        };
        authors.sort_unstable();
        authors.dedup();
        if authors.len() > MAX_AUTHOR_RANGES {
            let MatchingComments { rows, rest } = self.matching(list, &[None]);
            let rest = rest.add(Column::AuthorId.is_in(authors));
            return MatchingComments { rows, rest };
        }
        if authors.is_empty() {
            let none = Entity::find().filter(Column::AuthorId.is_in(authors));
            let (rows, rest) = (Range::from(none).into(), Condition::all());
            return MatchingComments { rows, rest };
        }
        let authors: Vec<_> = authors.into_iter().map(Some).collect();
        self.matching(list, &authors)
    }

    /// The matching comments of each of these authors, or of all if there is `None`, as ranges of the index that tells most of
    /// them.
    fn matching(&self, list: Uuid, authors: &[Option<UserId>]) -> MatchingComments {
        // An index holds each of these columns after the list, and no index two of them.
        let others = [
            self.page.map(|page| (Column::PageId, page.into())),
            self.status.map(|status| (Column::Status, status.into())),
        ];
        let mut others = others.into_iter().flatten();
        let has_author = authors.iter().any(Option::is_some);
        let of_index: Option<(Column, Value)> = if has_author { None } else { others.next() };
        let of_author = |author: &Option<UserId>| {
            let author = author.map(|author| (Column::AuthorId, author.into()));
            let values = [Some((Column::ListId, list.into())), author, of_index.clone()];
            Range::with_values(Entity::find(), values.into_iter().flatten().collect())
        };
        let has_value = |rest: Condition, (column, value): (Column, Value)| rest.add(column.eq(value));
        MatchingComments {
            rows: Ranges::new(authors.iter().map(of_author).collect()),
            rest: others.fold(Condition::all(), has_value),
        }
    }
}

/// Comments that match some filters.
pub struct MatchingComments {
    /// Ranges of an index.
    pub rows: Ranges<Entity>,
    /// The filters that no index of these ranges tells: a page of the list looks at a bounded number of rows.
    pub rest: Condition,
}

pub fn under(list: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::ListId.eq(list))
}

/// The comments of a list in the order of posting.
pub fn in_order(list: Uuid) -> Ranges<Entity> {
    Range::with_values(Entity::find(), vec![(Column::ListId, list.into())]).into()
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

/// The order of posting, or the reversed one: ids are time-ordered.
pub fn order_by_posting(order: SortOrder) -> Keyset {
    let columns = [(Entity, Column::Id)];
    match order {
        SortOrder::Asc => Keyset::ascending(columns),
        SortOrder::Desc => Keyset::descending(columns),
    }
}

pub async fn page(
    db: &impl ReadRows,
    found: &Ranges<Entity>,
    order: SortOrder,
    after: Option<CommentId>,
    limit: u64,
) -> Result<Page<CommentColumns, CommentId>, DbErr> {
    let order = order_by_posting(order);
    let run = |query| positional::all(db, query);
    // One row more than requested shows whether there is a next page.
    let rows = found.first(&order, after, limit.saturating_add(1));
    order.page(rows, None, limit, run, |row: &CommentColumns| row.id).await
}

/// The comments that were posted with these reviews.
pub async fn of_reviews(db: &impl ReadRows, reviews: Vec<ReviewId>) -> Result<Vec<CommentColumns>, DbErr> {
    positional::all(db, Entity::find().filter(Column::ReviewId.is_in(reviews))).await
}
