//! Callers who may not call an operation, and the answers to them.

use serde_json::Value;

use super::contract::Operation;

/// The answer to a caller without a token, to whom a site that is not published does not exist.
pub fn answer_without_token(operation: &Operation) -> u16 {
    match operation.access().resource {
        "trackedSite" => 404,
        _ => 401,
    }
}

/// The answer to a stranger; `None`: strangers are callers like others.
pub fn answer_to_strangers(operation: &Operation) -> Option<u16> {
    match operation.access().resource {
        "caller" | "publishedContent" | "organizationCreator" => None,
        "spaceMayBeAbsent" | "collectionMayBeAbsent" | "customHostnameMayBeAbsent" | "integrationMayBeAbsent" => {
            Some(204)
        }
        "integrationInstallationMayBeAbsent" | "spaceInstallationMayBeAbsent" | "siteInstallationMayBeAbsent" => {
            Some(204)
        }
        _ => Some(404),
    }
}

/// The name of a person whose level is just below, and the answer to that person.
pub fn one_below(operation: &Operation) -> Option<(&'static str, u16)> {
    let access = operation.access();
    let levels: Vec<&str> = access.definition["levels"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let at = levels.iter().position(|level| *level == access.level).unwrap();
    match (access.resource, access.level) {
        ("organization" | "site", _) if at > 0 => Some((levels[at - 1], 403)),
        ("organization", _) => Some(("stranger", 404)),
        // What stands in the tree inherits the roles of members, and guests inherit nothing.
        ("space", _) | ("collection", _) | ("changeRequest", _) if at > 0 => Some((levels[at - 1], 403)),
        ("space" | "collection" | "changeRequest" | "spaceVisitors" | "changeRequestVisitors", _) => {
            Some(("guest", 404))
        }
        ("siteVisitors" | "specificationReader", _) => Some(("guest", 403)),
        ("contentParent", _) => Some(("review", 403)),
        ("inviteTarget" | "inviteLink" | "inviteLinkMayBeAbsent", _) => Some(("create", 403)),
        ("changeRequestReviewers", _) => Some(("edit", 403)),
        ("customHostname" | "customHostnameMayBeAbsent" | "customHostnameTarget", _) => Some(("create", 403)),
        ("spaceRestorable", _) => Some(("create", 404)),
        ("spaceMayBeAbsent", _) | ("collectionMayBeAbsent", _) => Some(("create", 403)),
        ("translation" | "translationSource" | "importRun", _) => Some(("guest", 404)),
        ("translationEditors" | "translationMayBeAbsent", _) => Some(("comment", 403)),
        ("importTarget" | "importRunEditors", _) => Some(("comment", 403)),
        ("team", "own") => Some(("team-member", 403)),
        // A guest who does not belong to the team does not see it.
        ("team", "view") => Some(("guest", 404)),
        ("user", "own") => Some(("read", 403)),
        ("userVisitors", _) => Some(("stranger", 404)),
        ("spaceMembersOnly" | "collectionMembersOnly" | "changeRequestMembersOnly", _) => Some(("guest", 404)),
        ("gitInstallation" | "gitInstallationTarget", _) => Some(("create", 403)),
        ("integration", "read") => Some(("guest", 404)),
        ("integrationVisitors", _) => Some(("stranger", 404)),
        ("integration", "admin") | ("integrationMayBeAbsent" | "integrationPublisher", _) => Some(("create", 403)),
        ("installationTarget" | "integrationInstallation" | "integrationInstallationMayBeAbsent", _) => {
            Some(("create", 403))
        }
        ("spaceInstallationTarget" | "spaceInstallation" | "spaceInstallationMayBeAbsent", _) => Some(("create", 403)),
        ("siteInstallationTarget" | "siteInstallation" | "siteInstallationMayBeAbsent", _) => Some(("create", 403)),
        ("integration", "token") => Some(("admin", 403)),
        ("organizationCreator", _) => Some(("guest", 403)),
        ("caller" | "publishedContent" | "trackedSite", _) => None,
        (resource, level) => panic!("say here who is just below {level} on {resource}"),
    }
}
