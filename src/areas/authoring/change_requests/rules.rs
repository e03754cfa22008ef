//! Merge rules: the conditions that a change request has to meet before it is merged.
//!
//! A review counts while the change request still has the reviewed revision. Reviews by the creator never count. Of
//! several reviews by one user, the last one counts.

use std::collections::{HashMap, HashSet};

use entity::{
    authoring::change_requests::{
        Model,
        requested_reviewers::{self, Column as RequestedColumn},
        reviews::ReviewStatus,
    },
    identity::users,
    ids::{ChangeRequestId, OrganizationId, RevisionId, UserId},
    library::spaces,
    organizations,
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::{ErrorDetail, MergeRule, MergeRules},
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, Statement};
use serde_json::Value;

use super::view::is_outdated;
use crate::areas::organizations::merge_rules;

/// The maximum number of users that a message names.
const MAX_LISTED_PEOPLE: usize = 10;

/// A merge rule that is not met.
#[derive(Debug, PartialEq, Eq)]
pub struct UnmetRule {
    /// The name of the rule.
    pub code: ErrorRule,
    /// What is missing.
    pub message: String,
}

/// The rules that prevent `by` from merging a change request. `space` is the current row of its space.
pub async fn unmet_rules(
    db: &impl ConnectionTrait,
    by: UserId,
    request: &Model,
    space: &spaces::Model,
    organization: OrganizationId,
) -> Result<Vec<UnmetRule>, DbErr> {
    let rules = of_space(db, space, organization).await?;
    let may_bypass = rules.iter().any(|rule| match rule {
        MergeRule::MergeRuleAllowBypass(rule) => rule.users.contains(&by),
        _ => false,
    });
    if rules.is_empty() || may_bypass {
        return Ok(Vec::new());
    }
    let facts = RuleFacts::of(db, by, request, space, &rules).await?;
    Ok(rules.iter().filter_map(|rule| facts.unmet(rule)).collect())
}

/// Refuses a merge with unmet rules.
pub fn require_none(unmet: Vec<UnmetRule>) -> Result<(), ApiError> {
    if unmet.is_empty() {
        return Ok(());
    }
    let messages: Vec<&str> = unmet.iter().map(|rule| rule.message.as_str()).collect();
    let message = format!("The merge rules of the space are not met. {}", messages.join(" "));
    let details = unmet.into_iter().map(|rule| ErrorDetail {
        pointer: "/path/changeRequestId".to_owned(),
        code: rule.code,
        message: rule.message,
    });
    Err(ApiError::new(ErrorType::MergeRules, message).with_details(details.collect()))
}

async fn of_space(
    db: &impl ConnectionTrait,
    space: &spaces::Model,
    organization: OrganizationId,
) -> Result<Vec<MergeRule>, DbErr> {
    let rules = match decode(space.merge_rules.clone())? {
        MergeRules::MergeRulesInherit(_) => {
            let above = organizations::Entity::find_by_id(organization)
                .select_only()
                .column(organizations::Column::MergeRules)
                .into_tuple::<Value>()
                .one(db)
                .await?;
            above.map(decode).transpose()?
        }
        own => Some(own),
    };
    match rules {
        Some(MergeRules::MergeRulesList(list)) => Ok(list.rules),
        Some(MergeRules::MergeRulesNone(_) | MergeRules::MergeRulesInherit(_)) | None => Ok(Vec::new()),
    }
}

fn decode(stored: Value) -> Result<MergeRules, DbErr> {
    serde_json::from_value(stored).map_err(|error| DbErr::Json(error.to_string()))
}

/// The facts that rules are evaluated on.
struct RuleFacts<'a> {
    request: &'a Model,
    outdated: bool,
    by: UserId,
    reviews: Vec<LatestReview>,
    requested: Vec<UserId>,
    names: HashMap<UserId, String>,
}

impl<'a> RuleFacts<'a> {
    async fn of(
        db: &impl ConnectionTrait,
        by: UserId,
        request: &'a Model,
        space: &spaces::Model,
        rules: &[MergeRule],
    ) -> Result<Self, DbErr> {
        let others = |user: &UserId| *user != request.created_by;
        let mut reviews = LatestReview::of(db, request.id).await?;
        reviews.retain(|review| others(&review.reviewer_id));
        let mut requested = load_requested(db, request.id).await?;
        requested.retain(others);
        let named = rules.iter().flat_map(merge_rules::users_of).copied();
        let people = named.chain(requested.iter().copied());
        let people = people.chain(reviews.iter().map(|review| review.reviewer_id));
        let people: HashSet<UserId> = people.chain([request.created_by]).collect();
        Ok(Self {
            request,
            outdated: is_outdated(request, space.revision_id),
            by,
            reviews,
            requested,
            names: load_names(db, people).await?,
        })
    }

    fn unmet(&self, rule: &MergeRule) -> Option<UnmetRule> {
        let (code, message) = match rule {
            MergeRule::MergeRuleSpecificReviewers(rule) => (
                ErrorRule::RequireSpecificReviewers,
                self.not_approved_by(rule.users.iter().copied()),
            ),
            MergeRule::MergeRuleOneOfSpecificReviewers(rule) => (
                ErrorRule::RequireOneOfSpecificReviewers,
                self.approved_by_none_of(&rule.users),
            ),
            MergeRule::MergeRuleAllowBypass(_) => return None,
            MergeRule::MergeRuleAtLeastOneReview(_) => (
                ErrorRule::RequireAtLeastOneReview,
                unless(
                    self.current_reviews().next().is_some(),
                    "The current revision has no review by anyone other than the creator.",
                ),
            ),
            MergeRule::MergeRuleAtLeastOneApprovedReview(_) => {
                let mut reviews = self.current_reviews();
                (
                    ErrorRule::RequireAtLeastOneApprovedReview,
                    unless(
                        reviews.any(|review| review.status == ReviewStatus::Approved),
                        "The current revision has no approval by anyone other than the creator.",
                    ),
                )
            }
            MergeRule::MergeRuleAllReviewsApproved(_) => {
                let reviewers = self.reviews.iter().map(|review| review.reviewer_id);
                (
                    ErrorRule::RequireAllReviewsApproved,
                    self.not_approved_by(reviewers.chain(self.requested.iter().copied())),
                )
            }
            MergeRule::MergeRuleAgentReview(_) => (
                ErrorRule::RequireAgentReview,
                Some("No agent has reviewed the change request: this service has no agents.".to_owned()),
            ),
            MergeRule::MergeRuleAuthorToMerge(_) => {
                let creator = self.request.created_by;
                (
                    ErrorRule::RequireAuthorToMerge,
                    unless(
                        self.by == creator,
                        format!("Only the creator can merge the change request: {}.", self.name(creator)),
                    ),
                )
            }
            MergeRule::MergeRuleUpToDate(_) => (
                ErrorRule::RequireUpToDateChangeRequest,
                unless(
                    !self.outdated,
                    "The change request is not up to date with the space. Update it first.",
                ),
            ),
            MergeRule::MergeRuleSubject(_) => (
                ErrorRule::RequireChangeRequestSubject,
                unless(
                    !self.request.subject.trim().is_empty(),
                    "The change request has no subject.",
                ),
            ),
            MergeRule::MergeRuleDescription(_) => (
                ErrorRule::RequireChangeRequestDescription,
                unless(
                    self.request.description.is_some(),
                    "The change request has no description.",
                ),
            ),
            MergeRule::MergeRuleCustom(rule) => {
                let reason = "This service cannot evaluate the expressions of custom rules.";
                let message = rule.message.iter().map(String::as_str).chain([reason]);
                (ErrorRule::Custom, Some(message.collect::<Vec<_>>().join(" ")))
            }
        };
        message.map(|message| UnmetRule { code, message })
    }

    /// The reviews of the current revision.
    fn current_reviews(&self) -> impl Iterator<Item = &LatestReview> {
        let present = |review: &&LatestReview| review.revision_id == self.request.revision_id;
        self.reviews.iter().filter(present)
    }

    fn has_approved(&self, user: UserId) -> bool {
        let mut reviews = self.current_reviews();
        reviews.any(|review| review.reviewer_id == user && review.status == ReviewStatus::Approved)
    }

    fn not_approved_by(&self, users: impl Iterator<Item = UserId>) -> Option<String> {
        let mut missing: Vec<UserId> = users.filter(|user| !self.has_approved(*user)).collect();
        missing.sort_unstable();
        missing.dedup();
        (!missing.is_empty()).then(|| {
            let people = self.people(&missing);
            format!("The current revision is not approved by: {people}.")
        })
    }

    fn approved_by_none_of(&self, users: &[UserId]) -> Option<String> {
        if users.iter().any(|user| self.has_approved(*user)) {
            return None;
        }
        Some(match users {
            [] => "A rule requires the approval of one of its users, but names no users.".to_owned(),
            users => format!(
                "The current revision is not approved by any of: {}.",
                self.people(users)
            ),
        })
    }

    fn people(&self, users: &[UserId]) -> String {
        let names = users.iter().take(MAX_LISTED_PEOPLE).map(|user| self.name(*user));
        let mut text = names.collect::<Vec<_>>().join(", ");
        let others = users.len().saturating_sub(MAX_LISTED_PEOPLE);
        if others > 0 {
            text.push_str(&format!(" and {others} more"));
        }
        text
    }

    /// The display name of a user, or the id of a deleted user.
    fn name(&self, user: UserId) -> String {
        self.names.get(&user).cloned().unwrap_or_else(|| user.to_string())
    }
}

fn unless(met: bool, message: impl Into<String>) -> Option<String> {
    (!met).then(|| message.into())
}

/// The last review of one user.
#[derive(FromQueryResult)]
struct LatestReview {
    reviewer_id: UserId,
    revision_id: RevisionId,
    status: ReviewStatus,
}

impl LatestReview {
    async fn of(db: &impl ConnectionTrait, request: ChangeRequestId) -> Result<Vec<Self>, DbErr> {
        let sql = "SELECT reviewer_id, revision_id, status FROM (
                SELECT reviewer_id, revision_id, status,
                    row_number() OVER (PARTITION BY reviewer_id ORDER BY id DESC) AS recency
                FROM reviews WHERE change_request_id = $1) AS latest
            WHERE recency = 1";
        let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, [request.into()]);
        Self::find_by_statement(statement).all(db).await
    }
}

async fn load_requested(db: &impl ConnectionTrait, request: ChangeRequestId) -> Result<Vec<UserId>, DbErr> {
    requested_reviewers::Entity::find()
        .select_only()
        .column(RequestedColumn::UserId)
        .filter(RequestedColumn::ChangeRequestId.eq(request))
        .into_tuple()
        .all(db)
        .await
}

async fn load_names(db: &impl ConnectionTrait, users: HashSet<UserId>) -> Result<HashMap<UserId, String>, DbErr> {
    let found: Vec<(UserId, String)> = users::Entity::find()
        .select_only()
        .columns([users::Column::Id, users::Column::DisplayName])
        .filter(users::Column::Id.is_in(users))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}
