//! The rows that the guard loads: handlers get them with the proof of access.

use entity::{
    change_requests, collections,
    ids::{ChangeRequestId, OrganizationId, TeamId, UserId},
    nodes::{self, NodeKind},
    spaces, users,
};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, FromQueryResult, JoinType, PartialModelTrait, QueryResult, QuerySelect,
    Related, RelationDef, Select,
};

/// A row of a node together with its row as a space or a collection.
pub trait NodeRow: FromQueryResult + Send + Sync {
    const KIND: NodeKind;

    /// Adds the joins and columns of the row to a query of nodes.
    fn of(found: Select<nodes::Entity>) -> Select<nodes::Entity>;
    fn node(&self) -> &nodes::Model;
}

/// A space: the node, and what it has as a space.
#[derive(FromQueryResult)]
pub struct SpaceRow {
    #[sea_orm(nested)]
    pub node: nodes::Model,
    #[sea_orm(nested)]
    pub space: spaces::Model,
}

impl NodeRow for SpaceRow {
    const KIND: NodeKind = NodeKind::Space;

    fn of(found: Select<nodes::Entity>) -> Select<nodes::Entity> {
        use spaces::Column;
        // The id is that of the node.
        let own = [
            Column::Emoji,
            Column::Icon,
            Column::Visibility,
            Column::EditMode,
            Column::Language,
            Column::MergeRules,
            Column::RevisionId,
            Column::ChangeRequests,
            Column::ChangeRequestsOpen,
            Column::ChangeRequestsDraft,
        ];
        let of_node = <spaces::Entity as Related<nodes::Entity>>::to().rev();
        found.join(JoinType::InnerJoin, of_node).columns(own)
    }

    fn node(&self) -> &nodes::Model {
        &self.node
    }
}

/// A collection: the node, and what it has as a collection.
#[derive(FromQueryResult)]
pub struct CollectionRow {
    #[sea_orm(nested)]
    pub node: nodes::Model,
    #[sea_orm(nested)]
    pub collection: collections::Model,
}

impl NodeRow for CollectionRow {
    const KIND: NodeKind = NodeKind::Collection;

    fn of(found: Select<nodes::Entity>) -> Select<nodes::Entity> {
        let of_node = <collections::Entity as Related<nodes::Entity>>::to().rev();
        // The id is that of the node.
        found
            .join(JoinType::InnerJoin, of_node)
            .column(collections::Column::Description)
    }

    fn node(&self) -> &nodes::Model {
        &self.node
    }
}

/// A change request with its space.
pub struct ChangeRequestRow {
    pub space: SpaceRow,
    pub request: change_requests::Model,
}

/// The space has columns of the same names.
const PREFIX: &str = "request_";

impl FromQueryResult for ChangeRequestRow {
    fn from_query_result(result: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        Ok(Self {
            space: SpaceRow::from_query_result(result, prefix)?,
            request: change_requests::Model::from_query_result(result, PREFIX)?,
        })
    }
}

impl NodeRow for ChangeRequestRow {
    const KIND: NodeKind = NodeKind::Space;

    fn of(found: Select<nodes::Entity>) -> Select<nodes::Entity> {
        let requests: RelationDef = nodes::Entity::belongs_to(change_requests::Entity)
            .from(nodes::Column::Id)
            .to(change_requests::Column::SpaceId)
            .into();
        let rows = SpaceRow::of(found).join(JoinType::InnerJoin, requests);
        change_requests::Model::select_cols_nested(rows, Some(PREFIX), None)
    }

    fn node(&self) -> &nodes::Model {
        self.space.node()
    }
}

/// The change request that a path names by its id, or by its number in the space. `None`: the text is neither.
pub fn matching_id_or_number(text: &str) -> Option<Condition> {
    let number = text.parse::<i32>().ok().filter(|number| number.to_string() == text);
    let which = match number {
        Some(number) => change_requests::Column::Number.eq(number),
        None => change_requests::Column::Id.eq(text.parse::<ChangeRequestId>().ok()?),
    };
    Some(Condition::all().add(which))
}

platform::partial_row! {
    /// The columns of a user that answers show.
    #[sea_orm(entity = "users::Entity")]
    pub struct UserColumns {
        pub id: UserId,
        pub email: String,
        pub display_name: String,
        pub photo_url: Option<String>,
    }
}

impl From<users::Model> for UserColumns {
    fn from(row: users::Model) -> Self {
        Self {
            id: row.id,
            email: row.email,
            display_name: row.display_name,
            photo_url: row.photo_url,
        }
    }
}

/// The id of a team with that of its organization.
#[derive(Clone, Copy)]
pub struct TeamRef {
    pub organization: OrganizationId,
    pub team: TeamId,
}
