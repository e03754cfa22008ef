//! The first run: the first user, organization and token.

use openapi::error::ApiError;
use platform::config::Settings;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QuerySelect};
use secrecy::{ExposeSecret, SecretString};

use crate::{
    access::tokens::generate,
    app::App,
    areas::{
        identity::{tokens, users},
        organizations::organizations,
    },
    kernel::audit::{Changed, SystemAction},
};

const DISPLAY_NAME: &str = "Administrator";
/// The title of the organization until an admin changes it.
pub const ORGANIZATION: &str = "My organization";
const TOKEN_LABEL: &str = "First run";

/// The result of the first run.
pub struct FirstRun {
    pub email: String,
    pub organization: String,
    pub token: SecretString,
    /// The operator chose the token, so it is not printed.
    pub token_was_given: bool,
}

/// On a database without users, creates a user, an organization that the user administers, and a token: all three or
/// nothing, whenever the process ends. Of several processes that start together, one does it.
pub async fn first_run(app: &App, settings: &Settings) -> Result<Option<FirstRun>, ApiError> {
    if has_users(app.kernel.db.read()).await? {
        return Ok(None);
    }
    let token = match &settings.admin_token {
        Some(token) => token.clone(),
        None => generate().map_err(|e| ApiError::internal(e.to_string()))?.into(),
    };
    let user = users::store::new(
        app.kernel.ids.next(),
        app.kernel.clock.now(),
        &settings.admin_email,
        DISPLAY_NAME,
    );
    let organization = organizations::new_row(&app.kernel, ORGANIZATION);
    let row = tokens::new_row(&app.kernel, user.id, TOKEN_LABEL, token.expose_secret(), None);
    let created = FirstRun {
        email: user.email.clone(),
        organization: organization.id.to_string(),
        token,
        token_was_given: settings.admin_token.is_some(),
    };
    let work = move |tx| async move {
        if has_users(&tx).await? {
            return Ok(Changed::nothing(false));
        }
        users::store::insert(&tx, &user).await?;
        organizations::store::insert(&tx, &organization, Vec::new(), user.id).await?;
        tokens::store::insert(&tx, &row).await?;
        Ok(Changed::of(organizations::target(&organization), true))
    };
    let done = app.kernel.write(SystemAction::FirstRun, work).await?;
    Ok(done.then_some(created))
}

pub async fn has_users(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    Ok(entity::identity::users::Entity::find().limit(1).count(db).await? > 0)
}
