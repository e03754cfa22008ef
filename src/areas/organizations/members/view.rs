//! Members on the wire.

use entity::organizations::members::MemberRole;
use openapi::models::{self, MemberRoleFilter};
use platform::db::count;

use super::store::MemberColumns;
use crate::{
    areas::{identity::users::view::user, joins::member_counts::MemberCounts},
    kernel::{
        urls::Urls,
        wire::{ToWire, time},
    },
};

pub fn member(urls: &Urls, row: MemberColumns, counts: &MemberCounts) -> models::Member {
    let (spaces, sites) = counts.of_member(row.user.id, row.role);
    let user = user(urls, row.user);
    models::Member {
        object: Default::default(),
        id: user.id.clone(),
        role: row.role.map(ToWire::to_wire).into(),
        user,
        disabled: row.disabled,
        joined_at: time(row.joined_at),
        last_seen_at: row.last_seen_at.map(time),
        sso: row.sso,
        spaces,
        teams: count(row.teams_count),
        sites,
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
