//! Integrations that are installed, and callers with their tokens.

use bindery::access::integration_tokens::TokenSubject;
use entity::ids::{IntegrationId, IntegrationInstallationId};
use platform::db::Tx;
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::{Value, json};

use super::{client::Client, world::World};

/// The title of every such integration.
pub const TITLE: &str = "Tide tables";

/// An integration that is installed on the first organization.
pub struct Installed {
    pub name: String,
    pub integration: IntegrationId,
    pub id: IntegrationInstallationId,
    /// With a token of the integration itself.
    pub own: Client,
    /// With a token of the installation.
    pub client: Client,
}

impl Installed {
    /// Publishes an integration with these scopes, and installs it on no space and no site.
    pub async fn nowhere(world: &World, name: &str, scopes: &[&str]) -> Self {
        publish(world, name, scopes).await;
        let install = world.admin.client.call("installIntegration");
        let install = install.path("integrationName", name);
        let installation = install.json(json!({ "organization": world.organization }));
        let installation: Value = installation.expect(201).await;
        let id = installation["id"].as_str().unwrap().parse().unwrap();
        let integration = world.integration(name).await.id;
        let client = |subject, called: &str| {
            let now = world.app().kernel.clock.now();
            let token = world.app().access.integration_tokens.sign(subject, now);
            world.nobody().with_token(&token).named(called)
        };
        Self {
            name: name.to_owned(),
            integration,
            id,
            own: client(TokenSubject::Integration(integration), "integration"),
            client: client(TokenSubject::Installation(id), "installation"),
        }
    }

    /// The same on the space and the site of the organization.
    pub async fn everywhere(world: &World, name: &str, scopes: &[&str]) -> Self {
        let installed = Self::nowhere(world, name, scopes).await;
        let on = async |operation: &str, body: Value| {
            let call = world.admin.client.call(operation).path("integrationName", name);
            let call = call.path("installationId", installed.id);
            call.json(body).expect(201).await;
        };
        on("installIntegrationOnSpace", json!({ "space": world.space })).await;
        on("installIntegrationOnSite", json!({ "siteId": world.own("siteId") })).await;
        installed
    }
}

/// Publishes a private integration of the first organization, or its next version, with these scopes.
pub async fn publish(world: &World, name: &str, scopes: &[&str]) {
    let members = json!({ "title": TITLE, "visibility": "private", "scopes": scopes });
    world.publish(name, members).await;
}

/// Gives all installations a status.
pub async fn set_status(world: &World, status: &'static str) {
    let work = move |tx: Tx| async move {
        let sql = format!("UPDATE integration_installations SET status = '{status}'");
        tx.execute_unprepared(&sql).await?;
        Ok::<_, DbErr>(())
    };
    world.app().kernel.db.write(work).await.unwrap();
}
