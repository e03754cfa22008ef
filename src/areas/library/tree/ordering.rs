//! Where a node stands among the others of its parent.

use entity::{
    ids::{NodeId, OrganizationId},
    nodes::{Column, Entity, Model},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, Statement,
    sea_query::Order,
};

/// The room that a renumbering, or a new last node, leaves: enough to halve it 32 times.
const ROOM: i64 = 1 << 32;

/// The children of a parent, or of the top level.
#[derive(Clone, Copy)]
pub struct Siblings {
    pub organization: OrganizationId,
    pub parent: Option<NodeId>,
    /// The node that looks for a place: it does not count as its own neighbour.
    pub moving: NodeId,
}

/// The place right before, or right after, a sibling.
#[derive(Clone, Copy)]
pub enum Place {
    End,
    Before(NodeId),
    After(NodeId),
}

/// Two positions with the place between them; none is the end of the row.
struct Gap {
    from: Option<i64>,
    to: Option<i64>,
}

impl Gap {
    fn middle(&self) -> Option<i64> {
        match (self.from, self.to) {
            (None, None) => Some(0),
            (Some(from), None) => from.checked_add(ROOM),
            (None, Some(to)) => to.checked_sub(ROOM),
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
        let query = Entity::find().filter(Column::OrganizationId.eq(self.organization));
        let query = match self.parent {
            Some(parent) => query.filter(Column::ParentId.eq(parent)),
            None => query.filter(Column::ParentId.is_null()),
        };
        query
            .filter(Column::Id.ne(self.moving))
            .filter(Column::DeletedAt.is_null())
    }

    /// The position of a place; none if the node named stands somewhere else, or stands there already.
    pub async fn position(&self, db: &impl ConnectionTrait, place: Place, now: Option<&Model>) -> Result<Found, DbErr> {
        let Some(gap) = self.gap(db, place).await? else {
            return Ok(Found::NoNeighbour);
        };
        let here = now.filter(|node| node.parent_id == self.parent);
        if here.is_some_and(|node| gap.holds(node.position)) {
            return Ok(Found::Here);
        }
        if let Some(position) = gap.middle() {
            return Ok(Found::Position(position));
        }
        self.renumber(db).await?;
        let gap = self.gap(db, place).await?;
        let position = gap.and_then(|gap| gap.middle());
        position
            .map(Found::Position)
            .ok_or_else(|| DbErr::Custom("no room between two nodes".to_owned()))
    }

    /// What follows a sibling directly.
    pub async fn following(&self, db: &impl ConnectionTrait, node: NodeId) -> Result<Option<NodeId>, DbErr> {
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

    async fn gap(&self, db: &impl ConnectionTrait, place: Place) -> Result<Option<Gap>, DbErr> {
        let neighbour = match place {
            Place::End => {
                let from = self.edge(db, self.select(), Order::Desc).await?;
                return Ok(Some(Gap { from, to: None }));
            }
            Place::Before(node) | Place::After(node) => node,
        };
        let found = self.select().filter(Column::Id.eq(neighbour)).one(db).await?;
        let Some(at) = found.map(|node| node.position) else {
            return Ok(None);
        };
        Ok(Some(match place {
            Place::Before(_) => {
                let before = self.select().filter(Column::Position.lt(at));
                let from = self.edge(db, before, Order::Desc).await?;
                Gap { from, to: Some(at) }
            }
            Place::After(_) | Place::End => {
                let after = self.select().filter(Column::Position.gt(at));
                let to = self.edge(db, after, Order::Asc).await?;
                Gap { from: Some(at), to }
            }
        }))
    }

    /// The first position of a query in this order.
    async fn edge(&self, db: &impl ConnectionTrait, query: Select<Entity>, order: Order) -> Result<Option<i64>, DbErr> {
        query
            .select_only()
            .column(Column::Position)
            .order_by(Column::Position, order)
            .limit(1)
            .into_tuple()
            .one(db)
            .await
    }

    /// Spreads the children out again, in the order that they have.
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
        let mut values = vec![ROOM.into(), self.organization.into()];
        values.extend(self.parent.map(Into::into));
        db.execute_raw(Statement::from_sql_and_values(db.get_database_backend(), sql, values))
            .await?;
        Ok(())
    }
}

/// What a look for a place found.
pub enum Found {
    Position(i64),
    /// The node stands there already.
    Here,
    /// The neighbour stands somewhere else.
    NoNeighbour,
}
