//! The email domains of organizations. A domain has an effect once it is proven: an active admin has a verified address in
//! it, a DNS record names the organization, or an operator says so. The address of an admin does not prove the domain of a public
//! mailbox provider, where anybody may get one.

use std::collections::{HashMap, HashSet};

use entity::{
    ids::OrganizationId,
    members::{self, MemberRole},
    organizations::{
        self, Model,
        email_domains::{ActiveModel, Column, Entity, Model as Row},
    },
    timestamp::Timestamp,
    users,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, sea_query::Expr,
};

use super::mailbox_providers::is_public;
use crate::app::App;

/// The greatest number of organizations in the answer for an email domain.
const MAX_PER_DOMAIN: u64 = 1000;

/// Stores the domains of an organization in place of the ones before. A domain that was proven stays proven.
pub async fn replace(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    domains: Vec<String>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let of_organization = Entity::find().filter(Column::OrganizationId.eq(organization));
    let before = of_organization.all(db).await?.into_iter();
    let before: HashMap<String, (Option<Timestamp>, bool)> =
        before.map(|row| (row.domain, (row.verified_at, row.owned))).collect();
    Entity::delete_many()
        .filter(Column::OrganizationId.eq(organization))
        .exec(db)
        .await?;
    if domains.is_empty() {
        return Ok(());
    }
    let proven = domains_of_admins(db, organization, &domains).await?;
    let rows = domains.into_iter().zip(0..).map(|(domain, position)| {
        let (known, owned) = before.get(&domain).copied().unwrap_or_default();
        let verified = known.or_else(|| proven.contains(&domain).then_some(now));
        let asked = (!owned).then_some(now);
        ActiveModel {
            organization_id: Set(organization),
            verified_at: Set(verified),
            owned: Set(owned),
            asked_at: Set(asked),
            next_check_at: Set(asked),
            domain: Set(domain),
            position: Set(position),
        }
    });
    Entity::insert_many(rows).exec_without_returning(db).await?;
    Ok(())
}

/// The domains among these in which an active admin of the organization has a verified address, without those of public mailbox
/// providers.
async fn domains_of_admins(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    domains: &[String],
) -> Result<HashSet<String>, DbErr> {
    let in_domains = domains.iter().fold(Condition::any(), |any, domain| {
        any.add(users::Column::Email.ends_with(format!("@{domain}")))
    });
    let emails: Vec<String> = members::Entity::find()
        .select_only()
        .column(users::Column::Email)
        .inner_join(users::Entity)
        .filter(members::Column::OrganizationId.eq(organization))
        .filter(members::Column::Role.eq(MemberRole::Admin))
        .filter(members::Column::Disabled.eq(false))
        .filter(users::Column::EmailVerified.eq(true))
        .filter(users::Column::SuspendedAt.is_null())
        .filter(in_domains)
        .into_tuple()
        .all(db)
        .await?;
    let domains = emails.iter().filter_map(|email| email.rsplit_once('@'));
    let domains = domains.map(|(_, domain)| domain).filter(|domain| !is_public(domain));
    Ok(domains.map(str::to_owned).collect())
}

/// Marks a domain of an organization as proven. Returns whether the organization has the domain.
pub async fn verify(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    domain: String,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let verified = Entity::update_many()
        .col_expr(Column::VerifiedAt, Expr::value(now))
        .col_expr(Column::Owned, Expr::value(true))
        .col_expr(Column::AskedAt, Expr::value(None::<Timestamp>))
        .col_expr(Column::NextCheckAt, Expr::value(None::<Timestamp>))
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Domain.eq(domain))
        .exec(db)
        .await?;
    Ok(verified.rows_affected > 0)
}

/// The domains whose DNS records are to be looked up now, the longest due first.
pub async fn due(db: &impl ConnectionTrait, now: Timestamp, limit: u64) -> Result<Vec<Row>, DbErr> {
    Entity::find()
        .filter(Column::NextCheckAt.lte(now))
        .order_by_asc(Column::NextCheckAt)
        .limit(limit)
        .all(db)
        .await
}

/// Sets the time of the next lookup, unless the domain has been proven or set again meanwhile.
pub async fn check_again_at(app: &App, domain: Row, next: Option<Timestamp>) -> Result<(), DbErr> {
    app.db
        .write(move |tx| async move {
            Entity::update_many()
                .col_expr(Column::NextCheckAt, Expr::value(next))
                .filter(Column::OrganizationId.eq(domain.organization_id))
                .filter(Column::Domain.eq(domain.domain))
                .filter(Column::NextCheckAt.eq(domain.next_check_at))
                .exec(&tx)
                .await?;
            Ok::<_, DbErr>(())
        })
        .await
}

/// The email domains of organizations, each in the order that was set, proven or not.
pub async fn of(
    db: &impl ConnectionTrait,
    organizations: &[OrganizationId],
) -> Result<HashMap<OrganizationId, Vec<String>>, DbErr> {
    let mut domains: HashMap<OrganizationId, Vec<String>> = HashMap::new();
    if organizations.is_empty() {
        return Ok(domains);
    }
    let query = Entity::find().filter(Column::OrganizationId.is_in(organizations.iter().copied()));
    for row in query.order_by_asc(Column::Position).all(db).await? {
        domains.entry(row.organization_id).or_default().push(row.domain);
    }
    Ok(domains)
}

/// Returns whether users with an email address in the domain may join; the domain is in lower case.
pub async fn allows(db: &impl ConnectionTrait, organization: OrganizationId, domain: String) -> Result<bool, DbErr> {
    let found = Entity::find_by_id((organization, domain)).one(db).await?;
    Ok(found.is_some_and(|row| row.owned || row.verified_at.is_some() && !is_public(&row.domain)))
}

/// Returns whether the organization owns the domain, which is in lower case: whether it may speak for the people in it.
pub async fn owns(db: &impl ConnectionTrait, organization: OrganizationId, domain: String) -> Result<bool, DbErr> {
    let found = Entity::find_by_id((organization, domain)).one(db).await?;
    Ok(found.is_some_and(|row| row.owned))
}

/// The organizations that own the domain, which is in lower case.
pub async fn owners(db: &impl ConnectionTrait, domain: &str) -> Result<Vec<OrganizationId>, DbErr> {
    let query = Entity::find()
        .select_only()
        .column(Column::OrganizationId)
        .filter(Column::Domain.eq(domain))
        .filter(Column::Owned.eq(true))
        .order_by_asc(Column::OrganizationId);
    query.limit(MAX_PER_DOMAIN).into_tuple().all(db).await
}

/// The organizations that users with an email address in the domain may join.
pub async fn allowing(db: &impl ConnectionTrait, domain: &str) -> Result<Vec<Model>, DbErr> {
    let proven = if is_public(domain) {
        Column::Owned.eq(true)
    } else {
        Column::VerifiedAt.is_not_null()
    };
    let query = Entity::find()
        .find_also_related(organizations::Entity)
        .filter(Column::Domain.eq(domain))
        .filter(proven)
        .order_by_asc(Column::OrganizationId)
        .limit(MAX_PER_DOMAIN);
    Ok(query.all(db).await?.into_iter().filter_map(|(_, row)| row).collect())
}
