//! Ordering of siblings.

use entity::{
    ids::{NodeId, OrganizationId},
    library::nodes::{Column, Entity, Model, NodeKind},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, Iterable, QueryFilter, QueryOrder, QuerySelect, Select,
    Statement, sea_query::Order,
};

/// The distance between neighbours after a renumbering, and before a new last node: enough to halve it 32 times.
const STRIDE: i64 = 1 << 32;

/// The children of a parent, or of the top level.
#[derive(Clone, Copy)]
pub struct Siblings {
    pub organization: OrganizationId,
    pub parent: Option<NodeId>,
    /// The node to insert or move: it is not a sibling of itself.
    pub moving: NodeId,
}

/// A place in the order: at the end, or directly before or after a sibling.
#[derive(Clone, Copy)]
pub enum InsertAt {
    End,
    Before(NodeId),
    After(NodeId),
}

/// The range between the positions of two neighbours. `None`: no neighbour on that side.
struct Gap {
    from: Option<i64>,
    to: Option<i64>,
}

impl Gap {
    fn middle(&self) -> Option<i64> {
        match (self.from, self.to) {
            (None, None) => Some(0),
            (Some(from), None) => from.checked_add(STRIDE),
            (None, Some(to)) => to.checked_sub(STRIDE),
            (Some(from), Some(to)) => {
                let middle = from.midpoint(to);
                (from < middle && middle < to).then_some(middle)
            }
        }
    }

    fn holds(&self, position: i64) -> bool {
        self.from.is_none_or(|from| from < position) && self.to.is_none_or(|to| position < to)
    }
}

impl Siblings {
    fn select(&self) -> Select<Entity> {
        self.with_deleted().filter(Column::DeletedAt.is_null())
    }

    fn with_deleted(&self) -> Select<Entity> {
        let query = Entity::find().filter(Column::OrganizationId.eq(self.organization));
        let query = match self.parent {
            Some(parent) => query.filter(Column::ParentId.eq(parent)),
            None => query.filter(Column::ParentId.is_null()),
        };
        query.filter(Column::Id.ne(self.moving))
    }

    /// The position for a place. `present` is the node as it is now, if it is moved.
    pub async fn position(
        &self,
        db: &impl ConnectionTrait,
        at: InsertAt,
        present: Option<&Model>,
    ) -> Result<Slot, DbErr> {
        if let Some(present) = present.filter(|node| node.parent_id == self.parent)
            && let Some(gap) = self.gap(db, at, self.select()).await?
            && gap.holds(present.position)
        {
            return Ok(Slot::Unchanged);
        }
        // Deleted siblings keep their positions, because they may be restored.
        let Some(gap) = self.gap(db, at, self.with_deleted()).await? else {
            return Ok(Slot::NotASibling);
        };
        if let Some(position) = gap.middle() {
            return Ok(Slot::Free(position));
        }
        self.renumber(db).await?;
        let gap = self.gap(db, at, self.with_deleted()).await?;
        let position = gap.and_then(|gap| gap.middle());
        position
            .map(Slot::Free)
            .ok_or_else(|| DbErr::Custom("no free position between two nodes after renumbering".to_owned()))
    }

    /// The sibling directly after another one.
    pub async fn next_sibling(&self, db: &impl ConnectionTrait, node: NodeId) -> Result<Option<NodeId>, DbErr> {
        let Some(node) = self.select().filter(Column::Id.eq(node)).one(db).await? else {
            return Ok(None);
        };
        self.select()
            .filter(Column::Position.gt(node.position))
            .select_only()
            .column(Column::Id)
            .order_by_asc(Column::Position)
            .limit(1)
            .into_tuple()
            .one(db)
            .await
    }

    /// The gap between two of the siblings that `bounds` selects. `None`: the neighbour is not a sibling.
    async fn gap(&self, db: &impl ConnectionTrait, at: InsertAt, bounds: Select<Entity>) -> Result<Option<Gap>, DbErr> {
        let neighbour = match at {
            InsertAt::End => {
                let from = self.first_position(db, bounds, Order::Desc).await?;
                return Ok(Some(Gap { from, to: None }));
            }
            InsertAt::Before(node) | InsertAt::After(node) => node,
        };
        let found = self.select().filter(Column::Id.eq(neighbour)).one(db).await?;
        let Some(position) = found.map(|node| node.position) else {
            return Ok(None);
        };
        Ok(Some(match at {
            InsertAt::Before(_) => {
                let before = bounds.filter(Column::Position.lt(position));
                let from = self.first_position(db, before, Order::Desc).await?;
                Gap {
                    from,
                    to: Some(position),
                }
            }
            InsertAt::After(_) | InsertAt::End => {
                let after = bounds.filter(Column::Position.gt(position));
                let to = self.first_position(db, after, Order::Asc).await?;
                Gap {
                    from: Some(position),
                    to,
                }
            }
        }))
    }

    /// The first position of a query in this order.
    async fn first_position(
        &self,
        db: &impl ConnectionTrait,
        query: Select<Entity>,
        order: Order,
    ) -> Result<Option<i64>, DbErr> {
        let query = query
            .select_only()
            .column(Column::Position)
            .order_by(Column::Position, order.clone())
            .limit(1);
        if self.parent.is_some() {
            return query.into_tuple().one(db).await;
        }
        // At the top the nodes of each kind are a range of an index, and on PostgreSQL all together are none.
        let mut found: Option<i64> = None;
        for kind in NodeKind::iter() {
            let of_kind = query.clone().filter(Column::Kind.eq(kind));
            let position: Option<i64> = of_kind.into_tuple().one(db).await?;
            found = match order {
                Order::Asc => found.into_iter().chain(position).min(),
                _ => found.into_iter().chain(position).max(),
            };
        }
        Ok(found)
    }

    /// Gives the children positions with the full distance again, in their present order.
    async fn renumber(&self, db: &impl ConnectionTrait) -> Result<(), DbErr> {
        let parent = if self.parent.is_some() {
            "parent_id = $3"
        } else {
            "parent_id IS NULL"
        };
        let sql = format!(
            "UPDATE nodes SET position = numbered.number * $1 FROM (
                SELECT id, row_number() OVER (ORDER BY position, id) AS number FROM nodes
                WHERE organization_id = $2 AND {parent}) AS numbered
            WHERE nodes.id = numbered.id"
        );
        let mut values = vec![STRIDE.into(), self.organization.into()];
        values.extend(self.parent.map(Into::into));
        db.execute_raw(Statement::from_sql_and_values(db.get_database_backend(), sql, values))
            .await?;
        Ok(())
    }
}

/// The result of a search for a position.
pub enum Slot {
    Free(i64),
    /// The node is at this place already.
    Unchanged,
    /// The neighbour has another parent, or does not exist.
    NotASibling,
}
