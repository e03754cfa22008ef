//! What is made from content: a specification in versions, a translation, a space of a template, and a PDF.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{from_value, json};
use tokio::time::sleep;

use crate::generated::{
    Client,
    types::{
        CreateOpenApiSpec, CreateSpace, CreateTranslation, OpenApiSpecProcessingState, PutOpenApiSpec,
        TranslationStatus, UpdateGlossary,
    },
};

const PATIENCE: Duration = Duration::from_secs(60);

pub async fn derive(client: &Client, organization: &str, space: &str) -> Result<()> {
    specify(client, organization).await?;
    translate(client, organization, space).await?;
    from_template(client, organization).await?;
    print(client, space).await
}

/// What is made in the background is read until it is there.
async fn eventually<T>(read: impl AsyncFn() -> Result<Option<T>>) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(made) = read().await? {
            return Ok(made);
        }
        ensure!(started.elapsed() < PATIENCE, "it is never made");
        sleep(Duration::from_millis(100)).await;
    }
}

async fn specify(client: &Client, organization: &str) -> Result<()> {
    let slug = "crates";
    let processed = async || {
        let read = client.get_open_api_spec_by_slug().organization_id(organization);
        let spec = read.spec_slug(slug).send().await?.into_inner();
        if spec.processing_state != OpenApiSpecProcessingState::Complete {
            return Ok(None);
        }
        ensure!(spec.last_process_error_code.is_none(), "{spec:?}");
        Ok(spec.last_version)
    };
    let create = client.create_open_api_spec().organization_id(organization);
    let body = json!({ "slug": slug, "source": { "text": specification(&["/crates", "/lids"]) } });
    let body: CreateOpenApiSpec = from_value(body)?;
    create.body(body).send().await?;
    let first = eventually(processed).await?;
    let put = client
        .create_or_update_open_api_spec_by_slug()
        .organization_id(organization);
    let body = json!({ "source": { "text": specification(&["/crates"]) } });
    let body: PutOpenApiSpec = from_value(body)?;
    put.spec_slug(slug).body(body).send().await?;
    let second = eventually(processed).await?;
    let changes = client.get_open_api_spec_version_changes().organization_id(organization);
    let changes = changes
        .spec_slug(slug)
        .version_id(second.as_str())
        .send()
        .await?
        .into_inner();
    ensure!(
        changes.since.as_ref() == Some(&first) && changes.count == 1,
        "{changes:?}"
    );
    Ok(())
}

/// A specification with these paths.
fn specification(paths: &[&str]) -> String {
    let operation = json!({ "get": { "responses": { "200": { "description": "They." } } } });
    let paths: serde_json::Map<_, _> = paths
        .iter()
        .map(|path| ((*path).to_owned(), operation.clone()))
        .collect();
    json!({ "openapi": "3.1.0", "info": { "title": "Crates", "version": "1" }, "paths": paths }).to_string()
}

async fn translate(client: &Client, organization: &str, space: &str) -> Result<()> {
    let word = json!({ "type": "insert", "translations": { "en": "crate", "es": "caja" } });
    let word: UpdateGlossary = from_value(json!({ "operations": [word] }))?;
    let glossary = client.update_glossary_entries().organization_id(organization);
    glossary.body(word).send().await?;

    let body = json!({ "source": { "space": space, "language": "en" }, "language": "es" });
    let body: CreateTranslation = from_value(body)?;
    let create = client.create_translation().organization_id(organization);
    let made = create.body(body).send().await?.into_inner();
    let ended = async |runs: u64| {
        let read = client.get_translation().organization_id(organization);
        let found = read.translation_id(made.id.as_str()).send().await?.into_inner();
        let ended = found.status == TranslationStatus::Completed && found.stats.runs >= runs;
        Ok(ended.then_some(found))
    };
    // The server has no engine, so the words are those of the source.
    let first = eventually(async || ended(1).await).await?;
    ensure!(first.stats.total_words == 0, "{first:?}");
    let run = client.run_translation().organization_id(organization);
    run.translation_id(made.id.as_str()).send().await?;
    eventually(async || ended(2).await).await?;
    let delete = client.delete_translation().organization_id(organization);
    delete.translation_id(made.id.as_str()).send().await?;
    Ok(())
}

async fn from_template(client: &Client, organization: &str) -> Result<()> {
    let list = client.list_templates().organization_id(organization);
    let templates = list.send().await?.into_inner().items;
    let mut built_in = templates.iter().filter(|template| template.built_in);
    let template = built_in.find(|template| template.parameters.is_empty());
    let template = template.context("no template comes with the server")?;
    let body = json!({ "title": "Of a template", "template": { "id": template.id } });
    let body: CreateSpace = from_value(body)?;
    let create = client.create_space().organization_id(organization);
    let space = create.body(body).send().await?.into_inner();
    let pages = client.list_pages().space_id(space.id.as_str()).send().await?;
    ensure!(!pages.pages.is_empty(), "{pages:?}");
    Ok(())
}

async fn print(client: &Client, space: &str) -> Result<()> {
    let pdf = client.get_space_pdf().space_id(space).send().await?.into_inner();
    let url = pdf.url.as_str();
    let content = eventually(async || {
        let answer = reqwest::get(url).await?.error_for_status()?;
        let is_made = answer.status() == 200;
        let content = answer.bytes().await?;
        Ok(is_made.then_some(content))
    });
    ensure!(content.await?.starts_with(b"%PDF-"), "the PDF is none");
    Ok(())
}
