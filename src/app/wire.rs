//! Conversions between rows and wire types that several areas share.

use entity::{members::MemberRole as StoredRole, timestamp::Timestamp as StoredTime};
use openapi::{models::MemberRole, values::Timestamp};

pub fn time(stored: StoredTime) -> Timestamp {
    stored.to_utc().into()
}

pub fn role(stored: StoredRole) -> MemberRole {
    match stored {
        StoredRole::Read => MemberRole::Read,
        StoredRole::Comment => MemberRole::Comment,
        StoredRole::Edit => MemberRole::Edit,
        StoredRole::Review => MemberRole::Review,
        StoredRole::Create => MemberRole::Create,
        StoredRole::Admin => MemberRole::Admin,
    }
}

pub fn stored_role(role: MemberRole) -> StoredRole {
    match role {
        MemberRole::Read => StoredRole::Read,
        MemberRole::Comment => StoredRole::Comment,
        MemberRole::Edit => StoredRole::Edit,
        MemberRole::Review => StoredRole::Review,
        MemberRole::Create => StoredRole::Create,
        MemberRole::Admin => StoredRole::Admin,
    }
}

/// A counter of the database; checks there keep it from going below zero.
pub fn count(stored: i32) -> u64 {
    u64::try_from(stored).unwrap_or_default()
}
