//! `bindery demo`: fills an empty installation.

mod content;
mod people;

use std::sync::Arc;

use anyhow::{Context, bail};
use entity::{identity::users::Model as User, library::nodes};
use platform::config::{Flags, MissingKey, Settings};
use poem::EndpointExt;
use sea_orm::{EntityTrait, PaginatorTrait, QuerySelect};
use secrecy::ExposeSecret;

use self::{content::Opened, people::People};
use super::{
    api::Caller,
    connect::open_migrated,
    first_run::{self, first_run},
    logs,
    output::print,
};

use crate::{
    app::App,
    areas::{
        identity::{tokens, users},
        organizations::organizations,
    },
    http,
};

const TOKEN_LABEL: &str = "Demo";

/// The user for whom the demo is made.
struct Admin {
    user: User,
    organization: String,
    /// `None`: the token that the operator has set.
    shown_token: Option<String>,
    token: String,
}

pub async fn run(flags: &Flags) -> anyhow::Result<()> {
    let mut settings = Settings::load(flags, MissingKey::Wait)?;
    logs::start_for_command(settings.log_format);
    let app = open_migrated(&mut settings).await?;
    check_empty(&app).await?;
    let admin = admin(&app, &settings).await?;
    let service = Arc::new(http::service(app.clone(), &settings).boxed());
    let people = People::create(&app, &service, &admin.organization).await?;
    let filled = content::fill(&Caller::new(&service, &admin.token), &people, &admin.organization).await;
    people.forget_tokens(&app).await?;
    print(&report(&admin, &filled?, &settings))?;
    app.kernel.db.close().await.context("cannot close the database cleanly")
}

/// Refuses an installation with more than the first run creates.
async fn check_empty(app: &App) -> anyhow::Result<()> {
    let users = users::list(&app.kernel).await?.len();
    let organizations = organizations::list(&app.kernel).await?;
    let renamed = organizations.iter().any(|row| row.title != first_run::ORGANIZATION);
    let has_content = nodes::Entity::find().limit(1).count(app.kernel.db.read()).await? > 0;
    if users > 1 || organizations.len() > 1 || renamed || has_content {
        bail!(
            "this installation is in use, and the demo fills only an empty one. Choose another data directory for it, such as \
             `bindery demo --data-dir demo`, or with PostgreSQL an empty database"
        );
    }
    Ok(())
}

/// Creates the first user, or a token for the one that the first start has created.
async fn admin(app: &App, settings: &Settings) -> anyhow::Result<Admin> {
    let created = first_run(app, settings).await.context("cannot create the first user")?;
    let user = users::list(&app.kernel).await?.into_iter().next();
    let user = user.context("the first user is missing")?;
    let organization = organizations::list(&app.kernel).await?.into_iter().next();
    let organization = organization
        .context("the first user has no organization; start with an empty data directory")?
        .id
        .to_string();
    let (token, is_shown) = match created {
        Some(created) => (created.token.expose_secret().to_owned(), !created.token_was_given),
        None => (
            tokens::create(&app.kernel, user.id, TOKEN_LABEL, None).await?.secret,
            true,
        ),
    };
    Ok(Admin {
        user,
        organization,
        shown_token: is_shown.then(|| token.clone()),
        token,
    })
}

fn report(admin: &Admin, opened: &Opened, settings: &Settings) -> String {
    let shown = admin.shown_token.as_deref().unwrap_or("the one that was set");
    let header = admin.shown_token.as_deref().unwrap_or("$BINDERY_ADMIN_TOKEN");
    let search = settings.page(&format!("v1/orgs/{}/search?query=mast", admin.organization));
    format!(
        "\nThe installation has the documentation of a maker of weather stations now.\n\n  \
         user            {}\n  organization    {}\n  token           {shown}\n\n\
         Start the server with `bindery`, unless it runs. Press \"Authorize\" on {} and paste the token. Then open\n\n  \
         a space         {}\n  change request  {}\n  site            {}\n\n\
         or search:\n\n  curl -H 'Authorization: Bearer {header}' '{search}'\n\n",
        admin.user.email,
        admin.organization,
        settings.page("docs/"),
        opened.space,
        opened.change_request,
        opened.site,
    )
}
