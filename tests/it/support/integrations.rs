//! Integrations of the test organizations.

use entity::{
    ids::{IntegrationInstallationId, OrganizationId},
    integrations::{
        self,
        installations::{InstallationSelection, InstallationStatus, Model as Installation},
    },
};
use platform::db::rows;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use super::{client::Client, world::World};

/// The least that a version has.
pub fn manifest(organization: impl ToString) -> Value {
    json!({
        "runtime": "v2",
        "title": "Tide gauge",
        "description": "Shows the water level in pages.",
        "scopes": ["space:content:read"],
        "script": "export default { fetch: async () => new Response('OK') };",
        "organization": organization.to_string(),
    })
}

/// The manifest with other members.
pub fn with(mut manifest: Value, members: Value) -> Value {
    let others = members.as_object().unwrap().clone();
    manifest.as_object_mut().unwrap().extend(others);
    manifest
}

pub async fn publish(client: &Client, name: &str, manifest: Value) -> Value {
    let call = client.call("publishIntegration").path("integrationName", name);
    call.json(manifest).expect(200).await
}

impl World {
    /// Publishes an integration of the first organization with these members in its manifest.
    pub async fn publish(&self, name: &str, members: Value) -> Value {
        publish(&self.admin.client, name, with(manifest(self.organization), members)).await
    }

    /// The row of an integration.
    pub async fn integration(&self, name: &str) -> integrations::Model {
        let found = integrations::Entity::find().filter(integrations::Column::Name.eq(name));
        found.one(self.app().kernel.db.read()).await.unwrap().unwrap()
    }

    /// An active installation that has approved these scopes.
    pub async fn add_installation(
        &self,
        name: &str,
        organization: OrganizationId,
        scopes: Value,
    ) -> IntegrationInstallationId {
        let (integration, kernel) = (self.integration(name).await, &self.app().kernel);
        let now = kernel.clock.now();
        let row = Installation {
            id: kernel.ids.next(),
            integration_id: integration.id,
            organization_id: organization,
            status: InstallationStatus::Active,
            space_selection: InstallationSelection::All,
            site_selection: InstallationSelection::All,
            approved_scopes: scopes,
            configuration: Vec::new(),
            external_ids: json!([]),
            space_count: 0,
            created_at: now,
            updated_at: now,
        };
        let id = row.id;
        let insert = kernel.db.write(move |tx| async move {
            rows::insert(&tx, &row).await?;
            Ok::<_, DbErr>(())
        });
        insert.await.unwrap();
        id
    }
}
