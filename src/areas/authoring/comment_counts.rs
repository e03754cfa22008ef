//! Numbers of the comments of each list, kept as [`super::count_parts`] says.

use std::collections::HashMap;

use entity::{
    authoring::comments::{
        self, CommentStatus,
        counts::{Column, Entity, Model},
    },
    ids::NodeId,
};
use platform::db::{QueryTemplate, ReadRows, Tx, count, positional};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, Func, SelectStatement},
};
use uuid::Uuid;

use super::count_parts;

/// The numbers of comments of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommentCounts {
    pub comments: u64,
    pub open: u64,
}

impl CommentCounts {
    /// The number of comments with this status, or of all.
    pub fn with_status(self, status: Option<CommentStatus>) -> u64 {
        match status {
            None => self.comments,
            Some(CommentStatus::Open) => self.open,
            Some(CommentStatus::Resolved) => self.comments.saturating_sub(self.open),
        }
    }
}

platform::computed_row! {
    /// The sums of the parts of a list.
    struct CountsRow from CountsExpressions {
        list: Uuid,
        comments: i64,
        open: i64,
    }
}

impl CountsRow {
    fn counts(&self) -> CommentCounts {
        CommentCounts {
            comments: count(self.comments),
            open: count(self.open),
        }
    }
}

/// The numbers of these lists, without those that never had a comment. One query.
pub async fn load(db: &impl ReadRows, lists: Vec<Uuid>) -> Result<HashMap<Uuid, CommentCounts>, DbErr> {
    if lists.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<CountsRow> = positional::rows(db, &sums_of(lists)).await?;
    Ok(rows.into_iter().map(|row| (row.list, row.counts())).collect())
}

/// The numbers of one list.
pub async fn load_one(db: &impl ReadRows, list: Uuid) -> Result<CommentCounts, DbErr> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let query = TEMPLATE.statement(db.get_database_backend(), [list], |[list]| sums_of(vec![list]));
    let row: Option<CountsRow> = positional::row(db, query).await?;
    Ok(row.map_or(CommentCounts::default(), |row| row.counts()))
}

/// The names of columns of [`sums_of`].
pub const LIST: &str = "list";
pub const COMMENTS: &str = "comments";

/// The numbers of these lists.
pub fn sums_of(lists: Vec<Uuid>) -> SelectStatement {
    let sums = CountsExpressions {
        list: Expr::col(Column::ListId),
        comments: Func::sum(Expr::col(Column::Comments)).into(),
        open: Func::sum(Expr::col(Column::Open)).into(),
    };
    sums.select()
        .from(Entity)
        .and_where(Expr::col(Column::ListId).is_in(lists))
        .group_by_col(Column::ListId)
        .take()
}

/// A change of the numbers of a list.
pub struct CountChange {
    list: Uuid,
    space: NodeId,
    comments: i32,
    open: i32,
}

impl CountChange {
    pub fn added(comment: &comments::Model) -> Self {
        Self::of(comment, 1, i32::from(comment.status == CommentStatus::Open))
    }

    pub fn removed(comment: &comments::Model) -> Self {
        Self::of(comment, -1, -i32::from(comment.status == CommentStatus::Open))
    }

    pub fn resolved(comment: &comments::Model, resolved: bool) -> Self {
        Self::of(comment, 0, if resolved { -1 } else { 1 })
    }

    fn of(comment: &comments::Model, comments: i32, open: i32) -> Self {
        Self {
            list: comment.list_id,
            space: comment.space_id,
            comments,
            open,
        }
    }

    /// Writes the change in the transaction that changes the comment. `part` is a new id.
    pub async fn write(self, tx: &Tx, part: Uuid) -> Result<(), DbErr> {
        let part_id = count_parts::part_of_change(tx, part);
        count_parts::add(tx, vec![self.into_part(part_id)]).await
    }

    fn into_part(self, part_id: Uuid) -> Model {
        Model {
            list_id: self.list,
            part_id,
            space_id: self.space,
            comments: self.comments,
            open: self.open,
        }
    }
}

/// Deletes the numbers of a list whose comments are deleted with it.
pub async fn remove(db: &impl ConnectionTrait, list: Uuid) -> Result<(), DbErr> {
    Entity::delete_many().filter(Column::ListId.eq(list)).exec(db).await?;
    Ok(())
}
