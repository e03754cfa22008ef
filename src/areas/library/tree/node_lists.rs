//! Lists of spaces or collections: the page, the count, and the levels on the page, in three queries.

use entity::{
    ids::NodeId,
    members::MemberRole,
    nodes::{Column, Entity},
};
use openapi::{error::ApiError, list, models::SortOrder};
use platform::db::{Keyset, Page, positional};
use sea_orm::{QueryTrait, Select};
use serde::Serialize;

use crate::{
    access::{
        node_levels::{self, Member},
        rows::NodeRow,
    },
    app::{App, lists::List},
};

#[derive(Clone, Copy)]
pub enum Order {
    Created(SortOrder),
    /// Of the children of one parent.
    Position,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Key {
    Created(NodeId),
    Position(i64, NodeId),
}

/// A list of the nodes that a query over nodes finds, each with the level that `member` has on it.
pub async fn list<R: NodeRow, S: Serialize>(
    app: &App,
    list: List<'_, S>,
    found: Select<Entity>,
    order: Order,
    member: &Member,
) -> Result<list::Page<(R, Option<MemberRole>)>, ApiError> {
    let db = app.db.read();
    let page = page::<R, S>(app, &list, found.clone(), order).await?;
    let count = list.count(found, &page).await?;
    let ids = page.items.iter().map(|row| row.node().id).collect();
    let levels = node_levels::levels(db, member, ids).await?;
    list.answer(page, count, |row: R| {
        let level = levels.on(row.node());
        (row, level)
    })
}

async fn page<R: NodeRow, S: Serialize>(
    app: &App,
    list: &List<'_, S>,
    found: Select<Entity>,
    order: Order,
) -> Result<Page<R, Key>, ApiError> {
    let db = app.db.read();
    let rows = R::of(found);
    let run = async |query: Select<Entity>| positional::rows::<R>(db, query.as_query()).await;
    let id = (Entity, Column::Id);
    match order {
        Order::Created(order) => {
            let order = match order {
                SortOrder::Asc => Keyset::ascending([id]),
                SortOrder::Desc => Keyset::descending([id]),
            };
            let page = order.page(rows, list.after()?, list.limit, run, |row: &R| row.node().id);
            let page = page.await?;
            Ok(Page {
                items: page.items,
                next: page.next.map(Key::Created),
            })
        }
        Order::Position => {
            let order = Keyset::ascending([(Entity, Column::Position), id]);
            let key = |row: &R| (row.node().position, row.node().id);
            let page = order.page(rows, list.after()?, list.limit, run, key);
            let page = page.await?;
            Ok(Page {
                items: page.items,
                next: page.next.map(|(position, id)| Key::Position(position, id)),
            })
        }
    }
}
