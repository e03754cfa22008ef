//! Lists of spaces or collections: the page, the count, and the levels on the page, in three queries, or four if the page ends
//! the list.

use entity::{
    ids::{NodeId, OrganizationId},
    library::nodes::{Column, Entity, NodeKind},
    organizations::members::MemberRole,
};
use openapi::{
    error::ApiError,
    list,
    models::{COUNTED_TO, SCANNED_TO, SortOrder},
};
use platform::db::{Keyset, Page, Scan, positional};
use sea_orm::{QueryTrait, Select, TryGetableMany, sea_query::IntoValueTuple};
use serde::{Serialize, de::DeserializeOwned};

use super::store;

use crate::{
    access::{
        node_levels::{self, Member, visible},
        rows::NodeRow,
        space_counts,
    },
    kernel::{Kernel, lists::List},
};

/// The nodes of which a list has those that its viewers see.
pub struct Nodes {
    found: Select<Entity>,
    /// The organization if these are all its spaces, whose number is kept.
    all_spaces_of: Option<OrganizationId>,
}

impl Nodes {
    pub fn all_spaces(organization: OrganizationId) -> Self {
        Self {
            found: store::not_deleted(organization, NodeKind::Space),
            all_spaces_of: Some(organization),
        }
    }

    pub fn these(found: Select<Entity>) -> Self {
        Self {
            found,
            all_spaces_of: None,
        }
    }
}

#[derive(Clone, Copy)]
pub enum Order {
    Created(SortOrder),
    /// Of the children of one parent.
    Position,
}

/// A list of nodes that all `viewers` see, each with the level that the first of them has on it.
pub async fn list<R: NodeRow, S: Serialize>(
    kernel: &Kernel,
    list: List<'_, S>,
    nodes: Nodes,
    order: Order,
    viewers: [&Member; 2],
) -> Result<list::Page<(R, Option<MemberRole>)>, ApiError> {
    let id = (Entity, Column::Id);
    match order {
        Order::Created(order) => {
            let order = match order {
                SortOrder::Asc => Keyset::ascending([id]),
                SortOrder::Desc => Keyset::descending([id]),
            };
            by_key(kernel, list, (nodes, order), viewers, |row: &R| row.node().id).await
        }
        Order::Position => {
            let order = Keyset::ascending([(Entity, Column::Position), id]);
            let key = |row: &R| -> (i64, NodeId) { (row.node().position, row.node().id) };
            by_key(kernel, list, (nodes, order), viewers, key).await
        }
    }
}

async fn by_key<R: NodeRow, S: Serialize, K>(
    kernel: &Kernel,
    list: List<'_, S>,
    (nodes, order): (Nodes, Keyset),
    viewers: [&Member; 2],
    key: impl Fn(&R) -> K,
) -> Result<list::Page<(R, Option<MemberRole>)>, ApiError>
where
    K: Serialize + DeserializeOwned + IntoValueTuple + TryGetableMany + Clone + Send,
{
    let db = kernel.db.read();
    let Nodes { found, all_spaces_of } = nodes;
    let run = async |query: Select<Entity>| positional::rows::<R>(db, query.as_query()).await;
    let (page, count): (Page<R, K>, Option<u64>) = if viewers.iter().all(|viewer| viewer.is_admin()) {
        let page = order
            .page(R::of(found.clone()), list.after()?, list.limit, run, key)
            .await?;
        let count = match all_spaces_of {
            None => list.count(found, &page).await?,
            Some(organization) => {
                let kept = async || space_counts::count_all_spaces(db, organization).await.map(Some);
                let count = list.count_with(&page, kept).await?;
                count.filter(|count| *count <= COUNTED_TO)
            }
        };
        (page, count)
    } else {
        let filter = |nodes| R::of(viewers.iter().fold(nodes, |nodes, viewer| visible(nodes, viewer)));
        list.load_scan(&Scan::new(found, order, filter, SCANNED_TO), run, key)
            .await?
    };
    let ids = page.items.iter().map(|row| row.node().id).collect();
    let [member, _] = viewers;
    let levels = node_levels::levels(db, member, ids).await?;
    list.answer(page, count, |row: R| {
        let level = levels.on(row.node());
        (row, level)
    })
}
