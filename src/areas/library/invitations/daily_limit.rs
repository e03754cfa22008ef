//! The daily limit of mailed invitations: of an organization, and of a user in all organizations, because anybody may create many.

use chrono::TimeDelta;
use entity::{
    ids::{OrganizationId, UserId},
    library::invitation_mails::{Column, Entity, Model},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, sea_query::OnConflict};

/// Somebody in whose name invitations are mailed.
#[derive(Clone, Copy)]
pub enum Sender {
    Organization(OrganizationId),
    User(UserId),
}

/// Counts `mails` of today, or refuses them all.
pub async fn count(
    db: &impl ConnectionTrait,
    sender: Sender,
    mails: usize,
    limit: usize,
    now: Timestamp,
) -> Result<(), ApiError> {
    let length = TimeDelta::days(1).num_milliseconds();
    let day = now.as_millis().div_euclid(length);
    let (sender_id, whose) = match sender {
        Sender::Organization(id) => (*id.as_uuid(), "The organization may mail"),
        Sender::User(id) => (*id.as_uuid(), "A user may mail"),
    };
    let row = Entity::find_by_id(sender_id).one(db).await?;
    let before = row.filter(|row| row.day == day).map_or(0, |row| row.sent);
    let sent = i32::try_from(mails).ok().and_then(|mails| before.checked_add(mails));
    let sent = sent.filter(|sent| usize::try_from(*sent).is_ok_and(|sent| sent <= limit));
    let Some(sent) = sent else {
        let message = format!("{whose} {limit} invitations a day, and has mailed {before} today.");
        let rest = length - now.as_millis().rem_euclid(length);
        return Err(ApiError::too_many_requests(
            message,
            u32::try_from(rest / 1000 + 1).unwrap_or(u32::MAX),
        ));
    };
    let row = Model { sender_id, day, sent };
    let replaced = OnConflict::column(Column::SenderId)
        .update_columns([Column::Day, Column::Sent])
        .to_owned();
    Entity::insert(row.into_active_model().reset_all())
        .on_conflict(replaced)
        .exec_without_returning(db)
        .await?;
    Ok(())
}
