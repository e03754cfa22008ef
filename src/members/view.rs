//! Members on the wire.

use entity::{
    members::{MemberRole, Model},
    users,
};
use openapi::models::{self, MemberRoleFilter};

use crate::{
    urls::Urls,
    users::view::user,
    views::{count, role, time},
};

pub fn member(urls: &Urls, row: Model, of: users::Model) -> models::Member {
    models::Member {
        object: Default::default(),
        id: row.user_id.to_string(),
        role: row.role.map(role).into(),
        user: user(urls, of),
        disabled: row.disabled,
        joined_at: time(row.joined_at),
        last_seen_at: row.last_seen_at.map(time),
        sso: row.sso,
        // Nothing can be shared with anybody yet.
        spaces: 0,
        teams: count(row.teams_count),
    }
}

/// A filter by role; guests are members without one.
pub fn role_filter(filter: MemberRoleFilter) -> Option<MemberRole> {
    match filter {
        MemberRoleFilter::Admin => Some(MemberRole::Admin),
        MemberRoleFilter::Create => Some(MemberRole::Create),
        MemberRoleFilter::Review => Some(MemberRole::Review),
        MemberRoleFilter::Edit => Some(MemberRole::Edit),
        MemberRoleFilter::Comment => Some(MemberRole::Comment),
        MemberRoleFilter::Read => Some(MemberRole::Read),
        MemberRoleFilter::Guest => None,
    }
}
