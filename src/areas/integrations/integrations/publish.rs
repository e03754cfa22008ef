//! Publishing of integrations: each time makes the next version, which takes the place of the one before.

use std::{collections::BTreeMap, sync::Arc};

use entity::integrations::Model;
use openapi::{
    error::ApiError,
    models::{IntegrationScope, PublishIntegration},
};
use platform::db::{Tx, fold};
use serde_json::{Value, json};

use super::{
    content_security_policy,
    images::{self, StoredImages},
    manifest::Manifest,
    secrets, store,
};

use crate::{
    areas::{
        integrations::{Integrations, authors, integration_access::IntegrationPublisherAccess, place::PlaceKind},
        organizations::organizations,
    },
    kernel::{Kernel, audit::Changed, wire::ToStored},
};

/// A version that is to be stored.
struct NewVersion {
    kernel: Kernel,
    /// As the first version.
    row: Model,
    scopes: Vec<IntegrationScope>,
    script: String,
    secrets: BTreeMap<String, String>,
    images: StoredImages,
}

/// Publishes an integration, or its next version.
pub async fn publish(
    integrations: &Integrations,
    access: &IntegrationPublisherAccess,
    name: String,
    body: PublishIntegration,
) -> Result<Model, ApiError> {
    let kernel = &integrations.kernel;
    let owner = access.member.organization;
    // Before images are stored; the transaction looks again.
    let before = store::find_by_key(kernel.db.read(), &name).await?;
    if before.is_some_and(|before| before.organization_id != owner || before.name != name) {
        return Err(store::name_taken());
    }
    let runtime = body.runtime.to_stored();
    integrations.check_script(owner, runtime, &body.script).await?;
    let version = Arc::new(NewVersion::prepare(kernel, access, name, body).await?);
    let work = move |tx: Tx| async move {
        let row = version.save(&tx).await?;
        Changed::of(store::target(&row), row.clone()).with(payload(&row))
    };
    kernel.write(&access.caller, work).await
}

impl NewVersion {
    async fn prepare(
        kernel: &Kernel,
        access: &IntegrationPublisherAccess,
        name: String,
        body: PublishIntegration,
    ) -> Result<Self, ApiError> {
        let policy = body.content_security_policy.map(content_security_policy::normalize);
        let manifest = Manifest {
            blocks: body.blocks.unwrap_or_default(),
            content_sources: body.content_sources.unwrap_or_default(),
            configurations: body.configurations,
            external_links: body.external_links.unwrap_or_default(),
            content_security_policy: policy.transpose()?,
        };
        manifest.check()?;
        let previews = body.preview_images.unwrap_or_default();
        let images = images::store(kernel, body.icon.as_deref(), &previews).await?;
        let (scopes, categories) = (each_once(body.scopes), each_once(body.categories.unwrap_or_default()));
        let now = kernel.clock.now();
        let row = Model {
            id: kernel.ids.next(),
            search_text: fold(&format!("{name}\n{}", body.title)),
            name_key: store::name_key(&name),
            name,
            organization_id: access.member.organization,
            version: 1,
            runtime: body.runtime.to_stored(),
            visibility: body.visibility.to_stored(),
            target: body.target.to_stored(),
            verified: false,
            title: body.title,
            description: Some(body.description),
            summary: body.summary,
            scopes: serde_json::to_value(&scopes)?,
            categories: serde_json::to_value(categories)?,
            has_blocks: !manifest.blocks.is_empty(),
            has_content_sources: !manifest.content_sources.is_empty(),
            works_unconfigured_on_spaces: manifest.works_unconfigured_on(PlaceKind::Space),
            works_unconfigured_on_sites: manifest.works_unconfigured_on(PlaceKind::Site),
            block_domains: manifest.block_domains(),
            manifest: serde_json::to_value(manifest)?,
            icon: images.icon.clone(),
            preview_images: serde_json::to_value(&images.previews)?,
            secrets: Vec::new(),
            tunnel_url: None,
            tunnel_all: false,
            created_at: now,
            updated_at: now,
        };
        Ok(Self {
            kernel: kernel.clone(),
            row,
            scopes,
            script: body.script,
            secrets: body.secrets.unwrap_or_default(),
            images,
        })
    }

    async fn save(&self, tx: &Tx) -> Result<Model, ApiError> {
        // One at a time in an organization, so that two first versions of an integration do not collide.
        organizations::store::lock(tx, self.row.organization_id).await?;
        let first = self.row.clone();
        let before = store::lock_by_key(tx, &first.name).await?;
        let is_new = before.is_none();
        let is_other = |before: &Model| before.organization_id != first.organization_id || before.name != first.name;
        let row = match before {
            None => first,
            Some(before) if is_other(&before) => return Err(store::name_taken()),
            Some(before) => Model {
                id: before.id,
                version: before.version.saturating_add(1),
                verified: before.verified,
                tunnel_url: before.tunnel_url,
                tunnel_all: before.tunnel_all,
                created_at: before.created_at,
                ..first
            },
        };
        let row = Model {
            secrets: secrets::seal(&self.kernel, row.id, &self.secrets)?,
            ..row
        };
        store::put(tx, &row, &self.script, &self.images.hashes).await?;
        authors::put(tx, &row, row.updated_at).await?;
        if !is_new {
            store::await_approval(tx, row.id, &self.scopes, row.updated_at).await?;
        }
        Ok(row)
    }
}

fn each_once<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut once = Vec::with_capacity(values.len());
    for value in values {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    once
}

/// The details for the audit log. The manifest is in the answer of the operation; secrets are nowhere.
fn payload(row: &Model) -> Value {
    json!({
        "version": row.version,
        "title": &row.title,
        "scopes": &row.scopes,
    })
}
