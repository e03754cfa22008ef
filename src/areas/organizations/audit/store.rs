//! Events in the database; the organization, or the user whom the events concern, is always part of the query.

use entity::{
    audit_events::{ActorType, Column, Entity, Model},
    ids::{AuditEventId, OrganizationId, UserId},
    timestamp::Timestamp,
};
use platform::db::{Keyset, Page, ReadRows, positional, rows};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

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
    pub fn query(&self, organization: OrganizationId) -> Select<Entity> {
        let mut query = of(organization);
        if let Some(from) = self.from {
            query = query.filter(Column::OccurredAt.gte(from));
        }
        if let Some(to) = self.to {
            query = query.filter(Column::OccurredAt.lt(to));
        }
        let texts = [
            (Column::Action, self.action),
            (Column::ActorId, self.actor),
            (Column::TargetId, self.target),
        ];
        let given = texts.into_iter().filter_map(|(column, text)| Some((column, text?)));
        given.fold(query, |query, (column, text)| query.filter(column.eq(text)))
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

type Key = (Timestamp, AuditEventId);

pub async fn page(
    db: &impl ReadRows,
    found: Select<Entity>,
    after: Option<Key>,
    limit: u64,
) -> Result<Page<EventColumns, Key>, DbErr> {
    let order = Keyset::descending([Column::OccurredAt, Column::Id]);
    let key = |row: &EventColumns| (row.occurred_at, row.id);
    order
        .page(found, after, limit, |query| positional::all(db, query), key)
        .await
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
