//! Merge rules: what has to be fulfilled before a change request is merged.
//!
//! A review counts as long as the content of the change request is the one that was reviewed, and that of its creator
//! never does. Of several reviews by one person, the last one is what the person thinks.

use std::collections::{HashMap, HashSet};

use entity::{
    change_requests::{
        Model,
        requested_reviewers::{self, Column as Asked},
        reviews::ReviewStatus,
    },
    ids::{ChangeRequestId, OrganizationId, RevisionId, UserId},
    organizations, spaces, users,
};
use openapi::{
    error::ApiError,
    models::{ErrorDetail, MergeRule, MergeRules},
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, Statement};
use serde_json::Value;

use crate::areas::organizations::merge_rules;

use super::view::is_outdated;

/// How many people a message names.
const NAMED: usize = 10;

/// A rule that is not fulfilled.
#[derive(Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The name of the rule.
    pub code: &'static str,
    /// What is missing.
    pub message: String,
}

/// The rules that keep `by` from merging a change request. The space is the one that it belongs to, as it is now.
pub async fn missing(
    db: &impl ConnectionTrait,
    by: UserId,
    request: &Model,
    space: &spaces::Model,
    organization: OrganizationId,
) -> Result<Vec<Unmet>, DbErr> {
    let rules = of_space(db, space, organization).await?;
    let may_bypass = rules.iter().any(|rule| match rule {
        MergeRule::MergeRuleAllowBypass(rule) => ids(&rule.users).any(|user| user == by),
        _ => false,
    });
    if rules.is_empty() || may_bypass {
        return Ok(Vec::new());
    }
    let facts = Facts::of(db, by, request, space, &rules).await?;
    Ok(rules.iter().filter_map(|rule| facts.unmet(rule)).collect())
}

/// Refuses a merge that rules stand against.
pub fn refuse(unmet: Vec<Unmet>) -> Result<(), ApiError> {
    if unmet.is_empty() {
        return Ok(());
    }
    let messages: Vec<&str> = unmet.iter().map(|rule| rule.message.as_str()).collect();
    let message = format!("The merge rules of the space are not met. {}", messages.join(" "));
    let details = unmet.into_iter().map(|rule| ErrorDetail {
        pointer: "/path/changeRequestId".to_owned(),
        code: rule.code.to_owned(),
        message: rule.message,
    });
    Err(ApiError::precondition_failed("merge-rules", message).with_details(details.collect()))
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

fn ids(users: &[String]) -> impl Iterator<Item = UserId> {
    users.iter().filter_map(|user| user.parse().ok())
}

/// What rules ask about.
struct Facts<'a> {
    request: &'a Model,
    outdated: bool,
    by: UserId,
    reviews: Vec<Latest>,
    asked: Vec<UserId>,
    names: HashMap<UserId, String>,
}

impl<'a> Facts<'a> {
    async fn of(
        db: &impl ConnectionTrait,
        by: UserId,
        request: &'a Model,
        space: &spaces::Model,
        rules: &[MergeRule],
    ) -> Result<Self, DbErr> {
        let others = |user: &UserId| *user != request.created_by;
        let mut reviews = Latest::of(db, request.id).await?;
        reviews.retain(|review| others(&review.reviewer_id));
        let mut asked = asked(db, request.id).await?;
        asked.retain(others);
        let named = rules.iter().flat_map(|rule| ids(merge_rules::users_of(rule)));
        let people = named.chain(asked.iter().copied());
        let people = people.chain(reviews.iter().map(|review| review.reviewer_id));
        let people: HashSet<UserId> = people.chain([request.created_by]).collect();
        Ok(Self {
            request,
            outdated: is_outdated(request, space.revision_id),
            by,
            reviews,
            asked,
            names: names(db, people).await?,
        })
    }

    fn unmet(&self, rule: &MergeRule) -> Option<Unmet> {
        let (code, message) = match rule {
            MergeRule::MergeRuleSpecificReviewers(rule) => {
                let message = self.not_approved_by(ids(&rule.users));
                ("require-specific-reviewers", message)
            }
            MergeRule::MergeRuleOneOfSpecificReviewers(rule) => {
                let message = self.approved_by_none_of(ids(&rule.users).collect());
                ("require-one-of-specific-reviewers", message)
            }
            MergeRule::MergeRuleAllowBypass(_) => return None,
            MergeRule::MergeRuleAtLeastOneReview(_) => {
                let message = "Nobody but its creator has reviewed its present content.";
                (
                    "require-at-least-one-review",
                    unless(self.present().next().is_some(), message),
                )
            }
            MergeRule::MergeRuleAtLeastOneApprovedReview(_) => {
                let message = "Nobody but its creator has approved its present content.";
                let approved = self.present().any(|review| review.status == ReviewStatus::Approved);
                ("require-at-least-one-approved-review", unless(approved, message))
            }
            MergeRule::MergeRuleAllReviewsApproved(_) => {
                let reviewers = self.reviews.iter().map(|review| review.reviewer_id);
                let message = self.not_approved_by(reviewers.chain(self.asked.iter().copied()));
                ("require-all-reviews-approved", message)
            }
            MergeRule::MergeRuleAgentReview(_) => {
                let message = "No agent has reviewed it: this service has none.".to_owned();
                ("require-agent-review", Some(message))
            }
            MergeRule::MergeRuleAuthorToMerge(_) => {
                let message = format!("Only its creator may merge it: {}.", self.name(self.request.created_by));
                (
                    "require-author-to-merge",
                    unless(self.by == self.request.created_by, message),
                )
            }
            MergeRule::MergeRuleUpToDate(_) => {
                let message = "The space has content that it has not pulled in.";
                ("require-up-to-date-change-request", unless(!self.outdated, message))
            }
            MergeRule::MergeRuleSubject(_) => {
                let has_subject = !self.request.subject.trim().is_empty();
                (
                    "require-change-request-subject",
                    unless(has_subject, "It has no subject."),
                )
            }
            MergeRule::MergeRuleDescription(_) => {
                let has_description = self.request.description.is_some();
                let message = "It has no description.";
                ("require-change-request-description", unless(has_description, message))
            }
            MergeRule::MergeRuleCustom(_) => {
                let message = "This service cannot evaluate the expression of a custom rule.".to_owned();
                ("custom", Some(message))
            }
        };
        message.map(|message| Unmet { code, message })
    }

    /// The reviews that count.
    fn present(&self) -> impl Iterator<Item = &Latest> {
        let present = |review: &&Latest| review.revision_id == self.request.revision_id;
        self.reviews.iter().filter(present)
    }

    fn has_approved(&self, user: UserId) -> bool {
        let mut reviews = self.present();
        reviews.any(|review| review.reviewer_id == user && review.status == ReviewStatus::Approved)
    }

    fn not_approved_by(&self, users: impl Iterator<Item = UserId>) -> Option<String> {
        let mut missing: Vec<UserId> = users.filter(|user| !self.has_approved(*user)).collect();
        missing.sort_unstable();
        missing.dedup();
        (!missing.is_empty()).then(|| {
            let people = self.people(&missing);
            format!("Its present content is not approved by: {people}.")
        })
    }

    fn approved_by_none_of(&self, users: Vec<UserId>) -> Option<String> {
        if users.iter().any(|user| self.has_approved(*user)) {
            return None;
        }
        Some(match users.as_slice() {
            [] => {
                "Its present content has to be approved by one of the people of a rule, which names nobody.".to_owned()
            }
            users => format!("Its present content is approved by none of: {}.", self.people(users)),
        })
    }

    fn people(&self, users: &[UserId]) -> String {
        let names = users.iter().take(NAMED).map(|user| self.name(*user));
        let mut text = names.collect::<Vec<_>>().join(", ");
        let others = users.len().saturating_sub(NAMED);
        if others > 0 {
            text.push_str(&format!(" and {others} more"));
        }
        text
    }

    /// How people call somebody; the id of whoever is gone.
    fn name(&self, user: UserId) -> String {
        self.names.get(&user).cloned().unwrap_or_else(|| user.to_string())
    }
}

fn unless(met: bool, message: impl Into<String>) -> Option<String> {
    (!met).then(|| message.into())
}

/// The last review of somebody.
#[derive(FromQueryResult)]
struct Latest {
    reviewer_id: UserId,
    revision_id: RevisionId,
    status: ReviewStatus,
}

impl Latest {
    async fn of(db: &impl ConnectionTrait, request: ChangeRequestId) -> Result<Vec<Self>, DbErr> {
        let sql = "SELECT reviewer_id, revision_id, status FROM (
                SELECT reviewer_id, revision_id, status,
                    row_number() OVER (PARTITION BY reviewer_id ORDER BY id DESC) AS place
                FROM reviews WHERE change_request_id = $1) AS latest
            WHERE place = 1";
        let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, [request.into()]);
        Self::find_by_statement(statement).all(db).await
    }
}

async fn asked(db: &impl ConnectionTrait, request: ChangeRequestId) -> Result<Vec<UserId>, DbErr> {
    requested_reviewers::Entity::find()
        .select_only()
        .column(Asked::UserId)
        .filter(Asked::ChangeRequestId.eq(request))
        .into_tuple()
        .all(db)
        .await
}

async fn names(db: &impl ConnectionTrait, users: HashSet<UserId>) -> Result<HashMap<UserId, String>, DbErr> {
    let found: Vec<(UserId, String)> = users::Entity::find()
        .select_only()
        .columns([users::Column::Id, users::Column::DisplayName])
        .filter(users::Column::Id.is_in(users))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}
