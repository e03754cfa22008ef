//! `bindery pull`: copies an organization from another server that speaks this API, and brings the copy up to date.

mod changes;
mod comments;
mod content;
mod copies;
mod languages;
mod library;
mod pages;
mod people;
mod puller;
mod refs;
mod report;
mod sites;
mod source;

use std::{fs, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context, bail, ensure};
use clap::Args;
use entity::ids::{OrganizationId, UserId};
use platform::config::{Flags, MissingKey, Settings};
use poem::EndpointExt;
use serde_json::Value;

use self::{
    copies::Copies,
    puller::{NEVER, Puller},
    report::Report,
    source::Source,
};
use super::{
    connect::open,
    output::{find_user, plain, print},
};

use crate::{
    app::App,
    areas::{
        exchange::{
            import::{find_organization, first_admin},
            pulled::store,
        },
        identity::users,
        organizations::organizations,
    },
    http,
};

/// The most bytes of one write: a specification, or the changes of a change request.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

#[derive(Debug, Args)]
pub struct Command {
    /// Address of the other server, such as https://docs.example.com
    url: String,
    /// File with an API token of the other server; its user has to see what is copied, best as an admin
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    /// Id or title of the organization there
    #[arg(long)]
    org: String,
    /// Id or title of the organization here [default: that of the last pull, or a new one with the same title]
    #[arg(long, value_name = "ORG")]
    into: Option<String>,
    /// Author here: email address or id of an admin [default: the first admin of the organization]
    #[arg(long)]
    user: Option<String>,
    /// Read the lists, print how many objects would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Command {
    pub async fn run(self, flags: &Flags) -> anyhow::Result<ExitCode> {
        let app = open(flags).await?;
        let mut settings = Settings::load(flags, MissingKey::Wait)?;
        // The limits of requests are for others than the operator.
        settings.rate_limit = None;
        settings.body_limit = settings.body_limit.max(BODY_LIMIT);
        let token = fs::read_to_string(&self.token_file)
            .with_context(|| format!("cannot read the token in {}", self.token_file.display()))?;
        let source = Source::new(&self.url, token.trim().to_owned().into(), app.kernel.clock.clone())?;
        let there = find_there(&source, &self.org).await?;
        let id = there.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = format!("{} {id}", source.address());
        ensure!(
            copies::is_usable(&id) && name.len() <= 512,
            "the address of the source or the id of its organization is too long"
        );
        let Some((organization, admin)) = self.target(&app, &there, &name).await? else {
            print("nothing is copied yet; a new organization would be made\n")?;
            return self.finish(&app, &settings, (source, id, name), None).await;
        };
        self.finish(&app, &settings, (source, id, name), Some((organization, admin)))
            .await
    }

    /// The organization here and the author. `None`: a dry run makes no organization.
    async fn target(&self, app: &App, there: &Value, name: &str) -> anyhow::Result<Option<(OrganizationId, UserId)>> {
        let author = match &self.user {
            Some(user) => Some(find_user(app, user).await?.id),
            None => None,
        };
        let known = store::organizations(&app.exchange, name).await?;
        let organization = match (&self.into, known.as_slice()) {
            (Some(into), _) => Some(find_organization(&app.exchange, into).await?),
            (None, [known]) => Some(*known),
            (None, []) => None,
            (None, _) => bail!("several organizations here are copies of this one; name one with --into"),
        };
        let organization = match organization {
            Some(organization) => organization,
            None if self.dry_run => return Ok(None),
            None => {
                let title = there.get("title").and_then(Value::as_str).unwrap_or("Copy");
                let owner = match author {
                    Some(author) => author,
                    None => first_user(app).await?,
                };
                organizations::create(&app.kernel, owner, title).await?.id
            }
        };
        let author = match author {
            Some(author) => author,
            None => first_admin(&app.exchange, organization).await?,
        };
        Ok(Some((organization, author)))
    }

    async fn finish(
        &self,
        app: &App,
        settings: &Settings,
        (source, id, name): (Source, String, String),
        target: Option<(OrganizationId, UserId)>,
    ) -> anyhow::Result<ExitCode> {
        let service = Arc::new(http::service(app.clone(), settings).boxed());
        let nobody = (app.kernel.ids.next(), app.kernel.ids.next());
        let (organization, admin) = target.unwrap_or(nobody);
        let copies = Copies::load(&app.exchange, organization, &name, !self.dry_run).await?;
        let mut puller = Puller::new(app, service, (source, id), (organization, admin), copies, self.dry_run);
        let pulled = Box::pin(puller.pull()).await;
        let ended = puller.end().await;
        let report = std::mem::take(&mut puller.report);
        print_report(&report, self.dry_run)?;
        pulled.context("the pull is not finished; repeat it to go on")?;
        ended?;
        if !self.dry_run {
            print(&format!("organization  {organization}\n"))?;
        }
        app.kernel
            .db
            .clone()
            .close()
            .await
            .context("cannot close the database cleanly")?;
        Ok(ExitCode::SUCCESS)
    }
}

async fn first_user(app: &App) -> anyhow::Result<UserId> {
    let user = users::list(&app.kernel).await?.into_iter().next();
    Ok(user
        .context("there is no user yet; make one with `bindery user create`")?
        .id)
}

/// Finds the organization at the source.
async fn find_there(source: &Source, name: &str) -> anyhow::Result<Value> {
    let is_id = copies::is_usable(name)
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if is_id && let Ok(found) = source.get(&format!("orgs/{name}")).await? {
        return Ok(found);
    }
    let all = match source.list("orgs").await? {
        Ok(all) => all,
        Err(refused) => bail!("cannot list the organizations of the token: {refused}"),
    };
    let has_name = |it: &Value| {
        ["id", "title"]
            .iter()
            .any(|member| it.get(*member).and_then(Value::as_str) == Some(name))
    };
    let found: Vec<Value> = all.into_iter().filter(has_name).collect();
    match <[Value; 1]>::try_from(found) {
        Ok([found]) => Ok(found),
        Err(found) if found.is_empty() => bail!("the token sees no organization with the id or title {name}"),
        Err(_) => bail!("several organizations of the source have the title {name}; use an id"),
    }
}

fn print_report(report: &Report, dry_run: bool) -> anyhow::Result<()> {
    let heading = if dry_run { "would be written" } else { "written" };
    print(&report.table())?;
    print(&format!("{heading}  {}\n", report.total()))?;
    if !report.lines.is_empty() {
        print(&format!("\nLook at these ({}):\n", report.lines.len()))?;
    }
    for line in &report.lines {
        print(&format!("- {}\n", plain(line)))?;
    }
    print("\nNever copied:\n")?;
    for line in NEVER {
        print(&format!("- {line}\n"))?;
    }
    Ok(())
}
