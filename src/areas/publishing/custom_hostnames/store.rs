//! Custom hostnames in the database. The active hostname of a target is copied into the row of the target, so that reading a
//! target takes no further query.

use std::cmp::min;

use chrono::TimeDelta;
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

use crate::kernel::dns_proof;

/// The time between two checks of an active hostname.
const INTERVAL: TimeDelta = TimeDelta::hours(6);

/// The time for which a hostname stays active while its records fail the checks of the job: a mistake in a zone is mended sooner.
const GRACE: TimeDelta = TimeDelta::days(1);

/// The longest time between two checks in that time.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(1);

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

/// The source of a check: a request, or the job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CheckedBy {
    Caller,
    Job,
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

    /// The row of the claim. A lookup that failed tells nothing, so that an active hostname stays active.
    fn row(self, before: Option<&Model>) -> Model {
        let active = before.filter(|row| is_active(row));
        let unknown = active.filter(|_| self.status == Status::InternalError);
        let failing_since = match (self.status, self.by) {
            (Status::Live, _) => None,
            _ if unknown.is_some() => unknown.and_then(|row| row.failing_since),
            (_, CheckedBy::Caller) => Some(self.at),
            (_, CheckedBy::Job) => before.and_then(|row| row.failing_since).or(Some(self.at)),
        };
        let is_spared = self.by == CheckedBy::Job && failing_since.is_some_and(|since| self.at < since.plus(GRACE));
        let is_active = self.status == Status::Live || unknown.is_some() || active.is_some() && is_spared;
        let next_check_at = match failing_since {
            None => Some(self.at.plus(INTERVAL)),
            Some(since) if is_active => {
                dns_proof::next_lookup(since, self.at).map(|next| min(next, self.at.plus(LONGEST_WAIT)))
            }
            Some(since) => dns_proof::next_lookup(since, self.at),
        };
        Model {
            active_hostname: is_active.then(|| self.hostname.clone()),
            hostname: self.hostname,
            organization_id: self.organization,
            site_id: self.site,
            status: unknown.map_or(self.status, |row| row.status),
            failing_since,
            next_check_at,
        }
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
