//! Uses the client that progenitor made from the published OpenAPI 3.0 document.

use std::env;

use anyhow::{Context, Result, bail, ensure};
use reqwest::header::{AUTHORIZATION, HeaderMap};

mod content;
mod derived;
mod discussion;
mod visits;

#[allow(unused, clippy::all, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}
use generated::{Client, Error, types::ErrorType};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let client = authorized_client()?;

    let organizations = client
        .list_organizations_for_authenticated_user()
        .limit(10)
        .send()
        .await?
        .into_inner();
    let organization = organizations
        .items
        .first()
        .context("the administrator has no organization")?;

    let create = client
        .create_organization_team()
        .organization_id(organization.id.as_str());
    let created = create
        .body_map(|body| body.title("Made in Rust"))
        .send()
        .await?
        .into_inner();

    let read = client
        .get_team_in_organization_by_id()
        .organization_id(organization.id.as_str())
        .team_id(created.id.as_str());
    let read = read.send().await?.into_inner();
    ensure!(
        read.id == created.id && read.title == created.title,
        "{read:?} is not {created:?}"
    );

    let absent = client
        .get_team_in_organization_by_id()
        .organization_id(organization.id.as_str())
        .team_id("nobody");
    let Err(Error::ErrorResponse(answer)) = absent.send().await else {
        bail!("there is no team `nobody`")
    };
    ensure!(answer.status() == 404 && answer.error.code == 404, "{answer:?}");
    ensure!(answer.error.type_ == Some(ErrorType::NotFound), "{answer:?}");

    content::walk(&client, &organization.id).await?;
    visits::visit(&client, &organization.id).await?;
    visits::ask_for_help(&client, &organization.id).await
}

fn authorized_client() -> Result<Client> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {}", env::var("BINDERY_TOKEN")?).parse()?);
    let http = reqwest::Client::builder().default_headers(headers).build()?;
    Ok(Client::new_with_client(&env::var("BINDERY_URL")?, http))
}
