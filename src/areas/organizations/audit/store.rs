//! Events in the database; the organization, or the user whom the events concern, is always part of the query.

use entity::{
    ids::{AuditEventId, OrganizationId, UserId},
    organizations::audit_events::{ActorType, Column, Entity, Model},
    timestamp::Timestamp,
};
use openapi::models::SCANNED_TO;
use platform::db::{Keyset, Page, ReadRows, Scan, positional, rows};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

platform::partial_row! {
    /// An event without its payload, which may be as large as the change was.
    #[sea_orm(entity = "Entity")]
    pub struct EventColumns {
        pub id: AuditEventId,
        pub organization_id: Option<OrganizationId>,
        pub occurred_at: Timestamp,
        pub action: String,
        pub actor_type: ActorType,
        pub actor_id: String,
        pub actor_label: Option<String>,
        pub target_type: String,
        pub target_id: String,
        pub target_label: Option<String>,
    }
}

impl From<Model> for EventColumns {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            organization_id: row.organization_id,
            occurred_at: row.occurred_at,
            action: row.action,
            actor_type: row.actor_type,
            actor_id: row.actor_id,
            actor_label: row.actor_label,
            target_type: row.target_type,
            target_id: row.target_id,
            target_label: row.target_label,
        }
    }
}

/// The filters of a list of events.
pub struct AuditFilters<'a> {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub action: Option<&'a str>,
    pub actor: Option<&'a str>,
    pub target: Option<&'a str>,
}

impl AuditFilters<'_> {
    /// The events of an organization that match, for a page after the event with the key `after`.
    pub fn apply(&self, organization: OrganizationId, after: Option<Key>) -> MatchingEvents {
        let mut rows = of(organization);
        if let Some(from) = self.from {
            rows = rows.filter(Column::OccurredAt.gte(from));
        }
        // A key says more than `to`. With both, SQLite begins at `to` and walks through the rows of all earlier pages.
        if let Some(to) = self.to.filter(|_| after.is_none()) {
            rows = rows.filter(Column::OccurredAt.lt(to));
        }
        // An index holds each of these columns after the organization, and no index two of them. A target has few events, an
        // action may have most of them.
        let texts = [
            (Column::TargetId, self.target),
            (Column::ActorId, self.actor),
            (Column::Action, self.action),
        ];
        let mut given = texts.into_iter().filter_map(|(column, text)| Some(column.eq(text?)));
        if let Some(of_index) = given.next() {
            rows = rows.filter(of_index);
        }
        MatchingEvents {
            rows,
            rest: given.fold(Condition::all(), Condition::add),
        }
    }
}

/// Events that match some filters.
pub struct MatchingEvents {
    /// A range of an index.
    pub rows: Select<Entity>,
    /// The filters that this index does not tell: a page of the list looks at a bounded number of rows.
    pub rest: Condition,
}

impl MatchingEvents {
    pub fn scan(&self) -> Scan<Entity, impl Fn(Select<Entity>) -> Select<Entity>> {
        let filter = |events: Select<Entity>| events.filter(self.rest.clone());
        Scan::new(self.rows.clone(), order(), filter, SCANNED_TO)
    }
}

impl From<Select<Entity>> for MatchingEvents {
    fn from(rows: Select<Entity>) -> Self {
        Self {
            rows,
            rest: Condition::all(),
        }
    }
}

fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// The events outside of organizations that concern a user.
pub fn of_user(user: UserId) -> Select<Entity> {
    Entity::find().filter(Column::UserId.eq(user))
}

/// The newest first; those that concern a user, or all.
pub async fn outside_organizations(
    db: &impl ConnectionTrait,
    user: Option<UserId>,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let all = || Entity::find().filter(Column::OrganizationId.is_null());
    user.map_or_else(all, of_user)
        .order_by_desc(Column::OccurredAt)
        .order_by_desc(Column::Id)
        .limit(limit)
        .all(db)
        .await
}

pub type Key = (Timestamp, AuditEventId);

/// The newest first.
pub fn order() -> Keyset {
    Keyset::descending([(Entity, Column::OccurredAt), (Entity, Column::Id)])
}

pub async fn page(
    db: &impl ReadRows,
    found: &MatchingEvents,
    after: Option<Key>,
    limit: u64,
) -> Result<Page<EventColumns, Key>, DbErr> {
    let run = |query: Select<Entity>| positional::all(db, query);
    let key = |row: &EventColumns| (row.occurred_at, row.id);
    if found.rest.is_empty() {
        return order().page(found.rows.clone(), after, limit, run, key).await;
    }
    let scan = found.scan();
    scan.page(db, after, limit, run, key).await
}

pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    event: AuditEventId,
) -> Result<Option<Model>, DbErr> {
    rows::find(db, of(organization), event).await
}

pub async fn find_of_user(
    db: &impl ConnectionTrait,
    user: UserId,
    event: AuditEventId,
) -> Result<Option<Model>, DbErr> {
    rows::find(db, of_user(user), event).await
}
