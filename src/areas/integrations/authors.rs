//! The users in whose name integrations write.

use entity::{
    identity::users::{Column, Entity, Model},
    integrations,
    timestamp::Timestamp,
};
use platform::db::Tx;
use sea_orm::{ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, sea_query::OnConflict};

use crate::{
    access::integration_callers::author,
    areas::identity::users::{self, store::INTEGRATIONS_DOMAIN},
};

/// Makes the user in whose name an integration writes, or gives them its title. The user is suspended, so that nobody signs in as them and
/// nobody finds them among people with access.
pub async fn put(tx: &Tx, integration: &integrations::Model, now: Timestamp) -> Result<(), DbErr> {
    let email = format!("{}@{INTEGRATIONS_DOMAIN}", integration.id);
    let user = Model {
        email_verified: false,
        suspended_at: Some(now),
        ..users::store::new(author(integration.id), now, &email, &integration.title)
    };
    let rename = OnConflict::column(Column::Id)
        .update_columns([Column::DisplayName, Column::SearchText])
        .to_owned();
    Entity::insert(user.into_active_model().reset_all())
        .on_conflict(rename)
        .exec_without_returning(tx)
        .await?;
    Ok(())
}
