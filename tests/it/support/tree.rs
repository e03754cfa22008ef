//! The stored tree, against what its parents say.

use std::collections::{BTreeSet, HashMap, HashSet};

use entity::{
    ids::NodeId,
    library::{
        nodes::{self, DefaultLevel, NodeKind, ancestors},
        permissions,
    },
};
use platform::db::Db;
use sea_orm::EntityTrait;

use super::recount::spaces_are_counted;

/// Panics unless everything that is kept beside the parents follows from them.
pub async fn tree_is_right(db: &Db, when: &str) {
    spaces_are_counted(db, when).await;
    // One transaction, so that nothing changes between two of the queries.
    let work = |tx| async move {
        Ok::<_, sea_orm::DbErr>((
            nodes::Entity::find().all(&tx).await?,
            ancestors::Entity::find().all(&tx).await?,
            permissions::Entity::find().all(&tx).await?,
        ))
    };
    let (rows, ancestors, permissions) = db.write(work).await.unwrap();
    let by_id: HashMap<NodeId, &nodes::Model> = rows.iter().map(|row| (row.id, row)).collect();
    let mut expected = BTreeSet::new();
    for row in &rows {
        let path = path(row, &by_id, when);
        for (depth, above) in path.iter().enumerate() {
            expected.insert((row.id, above.id, i32::try_from(depth).unwrap()));
            assert_eq!(above.organization_id, row.organization_id, "{} {when}", row.title);
            assert!(depth == 0 || above.kind == NodeKind::Collection, "{} {when}", row.title);
            let deleted_below_living = row.deleted_at.is_some() || above.deleted_at.is_none();
            assert!(deleted_below_living, "{} is below something deleted {when}", row.title);
        }
        let asked = path.iter().map(|node| node.default_level);
        let level = asked.clone().find(|level| *level != Some(DefaultLevel::Inherit));
        let level = level.unwrap_or(Some(DefaultLevel::Inherit));
        assert_eq!(row.effective_default, level, "{} {when}", row.title);
    }
    let stored: BTreeSet<_> = ancestors
        .iter()
        .map(|row| (row.node_id, row.ancestor_id, row.depth))
        .collect();
    assert_eq!(stored, expected, "ancestors {when}");
    let living = rows.iter().filter(|row| row.deleted_at.is_none());
    let mut places = HashSet::new();
    for row in living {
        let place = (row.organization_id, row.parent_id, row.position);
        assert!(places.insert(place), "two nodes stand at one place {when}");
    }
    for permission in permissions {
        assert_eq!(
            by_id[&permission.node_id].organization_id, permission.organization_id,
            "{when}"
        );
    }
}

/// A node and what lies above it, up to the top.
fn path<'a>(row: &'a nodes::Model, by_id: &HashMap<NodeId, &'a nodes::Model>, when: &str) -> Vec<&'a nodes::Model> {
    let mut path = vec![row];
    while let Some(parent) = path[path.len() - 1].parent_id {
        path.push(by_id[&parent]);
        assert!(path.len() <= by_id.len(), "{} lies in itself {when}", row.title);
    }
    path
}
