//! The rows that the guard loads: handlers get them with the proof of access.

use entity::{
    authoring::change_requests::{self, requested_reviewers},
    identity::users,
    ids::{ChangeRequestId, NodeId, OrganizationId, TeamId, UserId},
    library::{
        collections,
        nodes::{self, NodeKind},
        spaces,
    },
    organizations::{self, members},
};
use platform::db::{
    QueryTemplate, ReadRows,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, Iterable, JoinType, QueryFilter, QuerySelect,
    QueryTrait, Related, RelationDef, Select, SelectExt,
};
use uuid::Uuid;

/// A row of a node together with its row as a space or a collection.
pub trait NodeRow: FromColumns + Send + Sync {
    const KIND: NodeKind;

    /// Adds the joins and columns of the row to a query of nodes, in the order in which they are read.
    fn of(found: Select<nodes::Entity>) -> Select<nodes::Entity>;
    /// The query for the row of a node that is not deleted, and for the role of a user in its organization.
    fn with_role() -> &'static QueryTemplate<2>;
    /// The query for the row of a node of an organization that is not deleted.
    fn of_organization() -> &'static QueryTemplate<2>;
    fn node(&self) -> &nodes::Model;
}

/// A space or a collection of an organization with its node, unless it is deleted.
pub async fn find_row<R: NodeRow>(
    db: &impl ReadRows,
    organization: OrganizationId,
    node: NodeId,
) -> Result<Option<R>, DbErr> {
    let query = |[organization, node]: [Uuid; 2]| {
        let found = nodes::Entity::find_by_id(NodeId::from(node))
            .filter(nodes::Column::OrganizationId.eq(organization))
            .filter(nodes::Column::Kind.eq(R::KIND))
            .filter(nodes::Column::DeletedAt.is_null());
        R::of(found).into_query()
    };
    let parameters = [*organization.as_uuid(), *node.as_uuid()];
    let statement = R::of_organization().statement(db.get_database_backend(), parameters, query);
    positional::row(db, statement).await
}

/// A space: the node, and what it has as a space.
pub struct SpaceRow {
    pub node: nodes::Model,
    pub space: spaces::Model,
}

/// A collection: the node, and what it has as a collection.
pub struct CollectionRow {
    pub node: nodes::Model,
    pub collection: collections::Model,
}

/// Implements `NodeRow` for a node with its row in the table of its kind.
macro_rules! impl_node_row {
    ($row:ident, $kind:ident, $member:ident: $table:ident) => {
        impl FromColumns for $row {
            fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
                Ok(Self {
                    node: columns.read_model()?,
                    $member: columns.read_model()?,
                })
            }
        }

        impl NodeRow for $row {
            const KIND: NodeKind = NodeKind::$kind;

            fn of(found: Select<nodes::Entity>) -> Select<nodes::Entity> {
                let of_node = <$table::Entity as Related<nodes::Entity>>::to().rev();
                found
                    .join(JoinType::InnerJoin, of_node)
                    .columns($table::Column::iter())
            }

            fn with_role() -> &'static QueryTemplate<2> {
                static TEMPLATE: QueryTemplate<2> = QueryTemplate::new();
                &TEMPLATE
            }

            fn of_organization() -> &'static QueryTemplate<2> {
                static TEMPLATE: QueryTemplate<2> = QueryTemplate::new();
                &TEMPLATE
            }

            fn node(&self) -> &nodes::Model {
                &self.node
            }
        }
    };
}

impl_node_row!(SpaceRow, Space, space: spaces);
impl_node_row!(CollectionRow, Collection, collection: collections);

/// A change request with its space.
pub struct ChangeRequestRow {
    pub space: SpaceRow,
    pub request: change_requests::Model,
}

impl FromColumns for ChangeRequestRow {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            space: columns.read()?,
            request: columns.read_model()?,
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
        SpaceRow::of(found)
            .join(JoinType::InnerJoin, requests)
            .columns(change_requests::Column::iter())
    }

    fn with_role() -> &'static QueryTemplate<2> {
        static TEMPLATE: QueryTemplate<2> = QueryTemplate::new();
        &TEMPLATE
    }

    fn of_organization() -> &'static QueryTemplate<2> {
        static TEMPLATE: QueryTemplate<2> = QueryTemplate::new();
        &TEMPLATE
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

/// Returns whether a review of the change request by the user is requested.
pub async fn is_review_requested(
    db: &impl ConnectionTrait,
    request: ChangeRequestId,
    user: UserId,
) -> Result<bool, DbErr> {
    requested_reviewers::Entity::find_by_id((request, user))
        .exists(db)
        .await
}

/// The join of a query over members with their organizations.
pub fn organization_of_member() -> RelationDef {
    <members::Entity as Related<organizations::Entity>>::to()
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
