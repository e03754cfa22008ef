//! The email domains of organizations. A domain has an effect once it is proven: the admin who sets it has a verified address in
//! it, a DNS record names the organization, or an operator says so. Addresses of other admins prove nothing, because nobody asks
//! people whether they want to be admins. The address of an admin does not prove the domain of a public mailbox provider either, where
//! anybody may get one.

use std::collections::HashMap;

use entity::{
    ids::{OrganizationId, UserId},
    organizations::{
        self, Model,
        email_domains::{ActiveModel, Column, Entity, Model as Row},
        members,
    },
    timestamp::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
    sea_query::{Expr, OnConflict},
};

use super::mailbox_providers::is_public;

use crate::{
    access::verified_domain,
    areas::identity::users::store as users_store,
    kernel::{Kernel, dns_proof},
};

/// The greatest number of organizations in the answer for an email domain.
const MAX_PER_DOMAIN: u64 = 1000;

/// Stores the domains of an organization in place of the ones before. A domain that was proven stays proven.
pub async fn replace(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    admin: UserId,
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
    let proven = domain_of(db, admin).await?;
    let rows = domains.into_iter().zip(0..).map(|(domain, position)| {
        let (known, owned) = before.get(&domain).copied().unwrap_or_default();
        let verified = known.or_else(|| (proven.as_ref() == Some(&domain)).then_some(now));
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
    // PostgreSQL then reports a concurrent insert as a serialization failure, which is retried, and not as a unique violation.
    let concurrent = OnConflict::columns([Column::OrganizationId, Column::Domain])
        .update_column(Column::Position)
        .to_owned();
    Entity::insert_many(rows)
        .on_conflict(concurrent)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The domain of the verified address of a user, unless it is that of a public mailbox provider.
async fn domain_of(db: &impl ConnectionTrait, user: UserId) -> Result<Option<String>, DbErr> {
    let user = users_store::find(db, user).await?;
    let domain = user
        .as_ref()
        .and_then(|user| verified_domain(&user.email, user.email_verified));
    Ok(domain.filter(|domain| !is_public(domain)).map(str::to_owned))
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

/// The domains whose DNS records are to be looked up now.
pub async fn due(db: &impl ConnectionTrait, now: Timestamp) -> Result<Vec<Row>, DbErr> {
    dns_proof::due::<Entity>(db, (Column::OrganizationId, Column::NextCheckAt), now).await
}

/// Sets the time of the next lookup, unless the domain has been proven or set again meanwhile.
pub async fn check_again_at(kernel: &Kernel, domain: Row, next: Option<Timestamp>) -> Result<(), DbErr> {
    kernel
        .db
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

/// The organizations that users with an email address in the domain may join. The domain is in lower case.
pub async fn allowing(db: &impl ConnectionTrait, domain: &str) -> Result<Vec<Model>, DbErr> {
    organizations_with(db, domain, Condition::all().add(is_proven(domain))).await
}

/// The organizations of these memberships that have the domain, proven or not; for a user with an address in the domain, also those
/// that let such users join.
pub async fn shown(
    db: &impl ConnectionTrait,
    domain: &str,
    own: Select<members::Entity>,
    has_address: bool,
) -> Result<Vec<Model>, DbErr> {
    let own = own.select_only().column(members::Column::OrganizationId);
    let mut shown = Condition::any().add(Column::OrganizationId.in_subquery(own.into_query()));
    if has_address {
        shown = shown.add(is_proven(domain));
    }
    organizations_with(db, domain, shown).await
}

fn is_proven(domain: &str) -> Expr {
    match is_public(domain) {
        true => Column::Owned.eq(true),
        false => Column::VerifiedAt.is_not_null(),
    }
}

async fn organizations_with(db: &impl ConnectionTrait, domain: &str, which: Condition) -> Result<Vec<Model>, DbErr> {
    let query = Entity::find()
        .find_also_related(organizations::Entity)
        .filter(Column::Domain.eq(domain))
        .filter(which)
        .order_by_asc(Column::OrganizationId)
        .limit(MAX_PER_DOMAIN);
    Ok(query.all(db).await?.into_iter().filter_map(|(_, row)| row).collect())
}
