//! Merge rules of organizations and spaces.

use entity::ids::{OrganizationId, UserId};
use openapi::{
    error::ApiError,
    models::{ErrorDetail, MergeRule, MergeRules},
};
use sea_orm::ConnectionTrait;

use crate::areas::organizations::members;

/// The ids of the users that rules name.
pub fn users(rules: &MergeRules) -> impl Iterator<Item = UserId> {
    list(rules).iter().flat_map(users_of).copied()
}

/// Refuses merge rules that name users who are not members of the organization.
pub async fn require_members(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    rules: &MergeRules,
) -> Result<(), ApiError> {
    let named: Vec<(String, UserId)> = list(rules)
        .iter()
        .enumerate()
        .flat_map(|(i, rule)| {
            let users = users_of(rule).iter().enumerate();
            users.map(move |(j, user)| (format!("/body/mergeRules/rules/{i}/users/{j}"), *user))
        })
        .collect();
    let wanted: Vec<UserId> = named.iter().map(|(_, user)| *user).collect();
    let known = members::store::existing(db, organization, wanted).await?;
    let unknown: Vec<ErrorDetail> = named
        .into_iter()
        .filter(|(_, user)| !known.contains(user))
        .map(|(pointer, _)| members::not_a_member(pointer))
        .collect();
    ApiError::refuse(unknown)
}

fn list(rules: &MergeRules) -> &[MergeRule] {
    match rules {
        MergeRules::MergeRulesList(list) => &list.rules,
        MergeRules::MergeRulesNone(_) | MergeRules::MergeRulesInherit(_) => &[],
    }
}

/// The ids of the users that a rule names.
pub fn users_of(rule: &MergeRule) -> &[UserId] {
    match rule {
        MergeRule::MergeRuleSpecificReviewers(rule) => &rule.users,
        MergeRule::MergeRuleOneOfSpecificReviewers(rule) => &rule.users,
        MergeRule::MergeRuleAllowBypass(rule) => &rule.users,
        _ => &[],
    }
}
