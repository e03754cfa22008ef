//! Custom hostnames in the database. The active hostname of a target is copied into the row of the target, so that reading a
//! target takes no further query.

use entity::{
    ids::{OrganizationId, SiteId},
    organizations,
    publishing::sites::{
        self,
        custom_hostnames::{Column, CustomHostnameStatus as Status, Entity, Model},
    },
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorType};
use platform::db::{is_unique_violation, rows};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait},
};

use crate::kernel::dns_proof::{self, CheckedBy, Proof};

/// A claim of an organization, and what the check of the records has shown.
#[derive(Clone)]
pub struct Checked {
    pub hostname: String,
    pub organization: OrganizationId,
    pub site: Option<SiteId>,
    pub status: Status,
    pub at: Timestamp,
    pub by: CheckedBy,
}

impl Checked {
    /// Another check of a claim.
    pub fn again(claim: Model, status: Status, at: Timestamp, by: CheckedBy) -> Self {
        Self {
            hostname: claim.hostname,
            organization: claim.organization_id,
            site: claim.site_id,
            status,
            at,
            by,
        }
    }

    /// The row of the claim.
    fn row(self, before: Option<&Model>) -> Model {
        let passed = (self.status != Status::InternalError).then_some(self.status == Status::Live);
        let proof = before.map(proof).unwrap_or_default();
        let unknown = before.filter(|row| is_active(row) && passed.is_none());
        let status = unknown.map_or(self.status, |row| row.status);
        let proof = proof.after_check(passed, self.by, self.at);
        Model {
            active_hostname: proof.is_active.then(|| self.hostname.clone()),
            hostname: self.hostname,
            organization_id: self.organization,
            site_id: self.site,
            status,
            failing_since: proof.failing_since,
            next_check_at: proof.next_check_at,
        }
    }
}

fn proof(row: &Model) -> Proof {
    Proof {
        is_active: is_active(row),
        failing_since: row.failing_since,
        next_check_at: row.next_check_at,
    }
}

pub fn is_active(row: &Model) -> bool {
    row.active_hostname.is_some()
}

/// The claim of an organization to a hostname.
pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    hostname: &str,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id((hostname.to_owned(), organization)).one(db).await
}

/// All claims to a hostname, in a transaction in which no other one changes them.
async fn lock(db: &impl ConnectionTrait, hostname: &str) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::Hostname.eq(hostname))
        .order_by_asc(Column::OrganizationId)
        .lock_exclusive()
        .all(db)
        .await
}

/// Stores what a check has shown. A hostname that passes becomes active in place of the former one of its target. If a caller
/// asked for the check, it leaves the organization that had it, because the owner of the domain names the new one.
pub async fn put(db: &impl ConnectionTrait, mut checked: Checked) -> Result<Stored, ApiError> {
    let claims = lock(db, &checked.hostname).await?;
    let before = claims
        .iter()
        .find(|claim| claim.organization_id == checked.organization);
    let mut elsewhere = claims
        .iter()
        .filter(|claim| claim.organization_id != checked.organization);
    let is_elsewhere = elsewhere.any(is_active);
    if is_elsewhere && checked.by == CheckedBy::Job && checked.status == Status::Live {
        // The records name both organizations.
        checked.status = Status::DnsPassed;
    }
    let by = checked.by;
    let row = checked.row(before);
    let is_taken = !is_active(&row) && is_elsewhere;
    let leads_where_it_did =
        before.is_some_and(|before| before.active_hostname == row.active_hostname && before.site_id == row.site_id);
    if !leads_where_it_did && (is_active(&row) || before.is_some_and(is_active)) {
        release(db, &row.hostname).await?;
    }
    if !(leads_where_it_did && by == CheckedBy::Job) {
        forget_former(db, &row).await?;
    }
    // Two organizations can pass at the same time; the first one has the hostname.
    rows::put(db, &row)
        .await
        .map_err(|error| match is_unique_violation(&error) {
            true => taken(),
            false => error.into(),
        })?;
    if is_active(&row) && !leads_where_it_did {
        copy_to_target(db, &row).await?;
    }
    let has_changed = before.is_none_or(|before| (before.status, is_active(before)) != (row.status, is_active(&row)));
    Ok(Stored {
        row,
        is_taken,
        has_changed,
    })
}

/// A claim as it is after a check.
pub struct Stored {
    pub row: Model,
    /// The hostname is active for another organization.
    pub is_taken: bool,
    /// The outcome differs from that of the check before.
    pub has_changed: bool,
}

pub fn taken() -> ApiError {
    ApiError::new(
        ErrorType::HostnameTaken,
        "Another organization has the hostname, and its DNS records do not name this one.",
    )
}

/// The claims whose records are to be checked now.
pub async fn due(db: &impl ConnectionTrait, now: Timestamp) -> Result<Vec<Model>, DbErr> {
    dns_proof::due::<Entity>(db, (Column::OrganizationId, Column::NextCheckAt), now).await
}

/// Hostnames at which sites are shown, the first `limit` in their order.
pub async fn active(db: &impl ConnectionTrait, limit: u64) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::ActiveHostname.is_not_null())
        .order_by_asc(Column::ActiveHostname)
        .limit(limit)
        .all(db)
        .await
}

/// Removes a claim. Returns it.
pub async fn remove(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    hostname: &str,
) -> Result<Option<Model>, DbErr> {
    let claims = lock(db, hostname).await?;
    let claim = claims.into_iter().find(|claim| claim.organization_id == organization);
    if let Some(claim) = &claim {
        if is_active(claim) {
            release(db, hostname).await?;
        }
        let key = (claim.hostname.clone(), organization);
        Entity::delete_by_id(key).exec(db).await?;
    }
    Ok(claim)
}

/// Ends the activity of a hostname, whoever has it.
async fn release(db: &impl ConnectionTrait, hostname: &str) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::ActiveHostname, Expr::value(None::<String>))
        .col_expr(Column::Status, Expr::value(Status::DnsPassed))
        .filter(Column::ActiveHostname.eq(hostname))
        .exec(db)
        .await?;
    sites::Entity::update_many()
        .col_expr(sites::Column::Hostname, Expr::value(None::<String>))
        .col_expr(sites::Column::Version, Expr::col(sites::Column::Version).add(1))
        .filter(sites::Column::Hostname.eq(hostname))
        .exec(db)
        .await?;
    organizations::Entity::update_many()
        .col_expr(organizations::Column::CustomHostname, Expr::value(None::<String>))
        .filter(organizations::Column::CustomHostname.eq(hostname))
        .exec(db)
        .await?;
    Ok(())
}

/// Deletes the claims that a row replaces: all other ones of its target if it is active, otherwise those that wait.
async fn forget_former(db: &impl ConnectionTrait, row: &Model) -> Result<(), DbErr> {
    let of_target = match row.site_id {
        Some(site) => Column::SiteId.eq(site),
        None => Column::SiteId.is_null(),
    };
    let mut former = Condition::all()
        .add(Column::OrganizationId.eq(row.organization_id))
        .add(Column::Hostname.ne(&row.hostname))
        .add(of_target);
    if !is_active(row) {
        former = former.add(Column::ActiveHostname.is_null());
    }
    Entity::delete_many().filter(former).exec(db).await?;
    Ok(())
}

async fn copy_to_target(db: &impl ConnectionTrait, row: &Model) -> Result<(), DbErr> {
    match row.site_id {
        Some(site) => {
            sites::Entity::update_many()
                .col_expr(sites::Column::Hostname, Expr::value(row.active_hostname.clone()))
                .col_expr(sites::Column::Version, Expr::col(sites::Column::Version).add(1))
                .filter(sites::Column::Id.eq(site))
                .exec(db)
                .await?;
        }
        None => {
            organizations::Entity::update_many()
                .col_expr(
                    organizations::Column::CustomHostname,
                    Expr::value(row.active_hostname.clone()),
                )
                .filter(organizations::Column::Id.eq(row.organization_id))
                .exec(db)
                .await?;
        }
    }
    Ok(())
}
