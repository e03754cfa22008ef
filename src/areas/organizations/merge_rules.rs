//! Merge rules of organizations and spaces.

use entity::{
    ids::{OrganizationId, UserId},
    library::nodes,
    organizations::members::MemberRole,
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ErrorDetail, MergeRule, MergeRules},
};
use sea_orm::{ActiveEnum, ConnectionTrait};

use crate::{access::people::PeopleWithAccess, areas::organizations::members};

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
    refuse_unknown(db, organization, &named_users(rules)).await
}

/// Refuses merge rules of a space that name users who cannot fulfil them: a reviewer needs the level `comment`, because a
/// review can be requested from everybody with it, and whoever merges needs `review`.
pub async fn require_able(db: &impl ConnectionTrait, space: &nodes::Model, rules: &MergeRules) -> Result<(), ApiError> {
    let named = named_users(rules);
    refuse_unknown(db, space.organization_id, &named).await?;
    let mut refused = Vec::new();
    for level in [MemberRole::Comment, MemberRole::Review] {
        let named: Vec<&NamedUser> = named.iter().filter(|named| named.level == level).collect();
        if named.is_empty() {
            continue;
        }
        let users = named.iter().map(|named| named.user).collect();
        let able = PeopleWithAccess::with_at_least(space, level).among(db, users).await?;
        let unable = named.into_iter().filter(|named| !able.contains(&named.user));
        refused.extend(unable.map(|named| ErrorDetail {
            pointer: named.pointer.clone(),
            code: ErrorRule::NoAccess,
            message: format!("Does not have the level {} on the space.", level.to_value()),
        }));
    }
    ApiError::refuse(refused)
}

/// A user whom a rule names, with the level that they need on the space.
struct NamedUser {
    pointer: String,
    user: UserId,
    level: MemberRole,
}

fn named_users(rules: &MergeRules) -> Vec<NamedUser> {
    let rules = list(rules).iter().enumerate();
    let of_rule = |(i, rule)| {
        let level = match rule {
            &MergeRule::MergeRuleAllowBypass(_) => MemberRole::Review,
            _ => MemberRole::Comment,
        };
        let users = users_of(rule).iter().enumerate();
        users.map(move |(j, user)| NamedUser {
            pointer: format!("/body/mergeRules/rules/{i}/users/{j}"),
            user: *user,
            level,
        })
    };
    rules.flat_map(of_rule).collect()
}

async fn refuse_unknown(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    named: &[NamedUser],
) -> Result<(), ApiError> {
    let wanted: Vec<UserId> = named.iter().map(|named| named.user).collect();
    let known = members::store::existing(db, organization, wanted).await?;
    let unknown = named.iter().filter(|named| !known.contains(&named.user));
    let unknown = unknown.map(|named| members::not_a_member(named.pointer.clone()));
    ApiError::refuse(unknown.collect())
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
