//! The DNS record with which the owner of a domain names an organization.

use std::cmp::min;

use chrono::TimeDelta;
use entity::{ids::OrganizationId, timestamp::Timestamp};
use futures_util::{StreamExt, stream};
use platform::dns::{Dns, DnsError};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryTrait,
    sea_query::{Asterisk, Expr, ExprTrait, Func, Order, Query, WindowStatement},
};

/// Names that are looked up before the results are stored, and those of one organization among them: name servers that do not answer
/// hold up the names of others for little longer than the lookups of these take.
const BATCH: u64 = 64;
const BATCH_OF_ORGANIZATION: i32 = 8;

/// Lookups at once.
const CONCURRENCY: usize = 8;

/// Records are looked for this long after somebody asked for it; asking again starts anew.
const PATIENCE: TimeDelta = TimeDelta::days(3);

/// Bounds of the time between two lookups, which grows with the time since somebody asked.
const SHORTEST_WAIT: TimeDelta = TimeDelta::minutes(1);
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(6);

/// The time between two checks of a proof that is active.
const ACTIVE_INTERVAL: TimeDelta = TimeDelta::hours(6);

/// The time for which a proof stays active while the checks of the job fail: a mistake in a zone is mended sooner.
const GRACE: TimeDelta = TimeDelta::days(1);

/// The longest time between two checks in that time.
const LONGEST_WAIT_IN_GRACE: TimeDelta = TimeDelta::hours(1);

/// The outcome of the checks of the records of a name.
#[derive(Clone, Copy, Default)]
pub struct Proof {
    pub is_active: bool,
    /// The time of the first of the checks that have failed since the last one that passed, or since somebody asked for one.
    pub failing_since: Option<Timestamp>,
    /// The time of the next check. `None`: there is none.
    pub next_check_at: Option<Timestamp>,
}

/// The source of a check: a request, or the job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CheckedBy {
    Caller,
    Job,
}

impl Proof {
    /// The proof after another check. A lookup that failed (`None`) tells nothing, so that an active proof stays active.
    pub fn after_check(self, passed: Option<bool>, by: CheckedBy, at: Timestamp) -> Self {
        let is_unknown = self.is_active && passed.is_none();
        let failing_since = match by {
            _ if passed == Some(true) => None,
            _ if is_unknown => self.failing_since,
            CheckedBy::Caller => Some(at),
            CheckedBy::Job => self.failing_since.or(Some(at)),
        };
        let is_spared = by == CheckedBy::Job && failing_since.is_some_and(|since| at < since.plus(GRACE));
        let is_active = passed == Some(true) || is_unknown || self.is_active && is_spared;
        let next_check_at = match failing_since {
            None => Some(at.plus(ACTIVE_INTERVAL)),
            Some(since) if is_active => next_lookup(since, at).map(|next| min(next, at.plus(LONGEST_WAIT_IN_GRACE))),
            Some(since) => next_lookup(since, at),
        };
        Self {
            is_active,
            failing_since,
            next_check_at,
        }
    }
}

/// Returns whether a TXT record below the domain name names the organization.
pub async fn names_organization(dns: &Dns, domain: &str, organization: OrganizationId) -> Result<bool, DnsError> {
    let wanted = format!("organization={organization}");
    let texts = dns.texts(&format!("_bindery.{domain}")).await?;
    Ok(texts.iter().any(|text| text.trim() == wanted))
}

/// The rows whose records are to be looked up now: first the longest due one of each organization, then the second one of each.
/// `columns` are those of the organization and of the time.
pub async fn due<E: EntityTrait>(
    db: &impl ConnectionTrait,
    columns: (E::Column, E::Column),
    now: Timestamp,
) -> Result<Vec<E::Model>, DbErr> {
    const TURN: &str = "turn";
    let (organization, next_check_at) = columns;
    let turns = WindowStatement::partition_by(organization)
        .order_by(next_check_at, Order::Asc)
        .take();
    let mut all = E::find().filter(next_check_at.lte(now)).into_query();
    all.expr_window_as(Func::cust("ROW_NUMBER"), turns, TURN);
    let due = Query::select()
        .column(Asterisk)
        .from_subquery(all, "due")
        .and_where(Expr::col(TURN).lte(BATCH_OF_ORGANIZATION))
        .order_by(TURN, Order::Asc)
        .order_by(next_check_at, Order::Asc)
        .limit(BATCH)
        .take();
    E::Model::find_by_statement(db.get_database_backend().build(&due))
        .all(db)
        .await
}

/// Looks up the records of all, in any order.
pub async fn look_up_all<T, R, F: Future<Output = R>>(all: Vec<T>, look_up: impl Fn(T) -> F) -> Vec<R> {
    stream::iter(all)
        .map(look_up)
        .buffer_unordered(CONCURRENCY)
        .collect()
        .await
}

/// The time of the next lookup of records that were not right. `None`: they are not looked up any more.
pub fn next_lookup(asked_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let age = now.to_utc() - asked_at.to_utc();
    (age < PATIENCE).then(|| now.plus(age.clamp(SHORTEST_WAIT, LONGEST_WAIT)))
}
