//! Imports that callers ask for: of a website, of a zip archive, of a branch. Each is a job, which writes one revision or nothing.

mod fetch;
mod files;
mod job;
mod outcome;
mod run;
mod scratch;
mod store;
mod view;
mod website;

use entity::{
    exchange::import_runs::{ImportRunStatus, ImportSourceKind, Model},
    ids::ImportRunId,
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorRule},
    models::{ContentImportRun, ContentImportRunList, ContentImportSource, SCANNED_TO, StartImportRun},
    operations::import_runs::{ImportRunsApi, ListImportRunsQuery},
};
use platform::{
    db::{Page, Scan, Tx},
    jobs::{self, NewJob, enqueue},
};
use sea_orm::Select;

use self::{job::ImportToRun, store::Filter};
pub use self::{job::RunImport, scratch::SCRATCH};
use crate::{
    access::{OrganizationAccess, TargetAccess},
    areas::{
        exchange::{Exchange, git::request::Request, import_access::ImportRunAccess},
        library::tree,
    },
    kernel::{
        audit::{AuditTarget, Changed},
        lists::List,
    },
};

impl ImportRunsApi for Exchange {
    async fn list_import_runs(
        &self,
        access: OrganizationAccess,
        query: ListImportRunsQuery,
    ) -> Result<ContentImportRunList, ApiError> {
        let (db, member) = (self.kernel.db.read(), access.member());
        let filter = Filter {
            space: query.space,
            site: query.site,
            status: query.status,
        };
        let scope = ("import-runs", member.organization, member.user, &filter);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        let select = |runs| store::visible_to(&member, &filter, runs);
        let scan = Scan::new(store::of(member.organization), store::order(), select, SCANNED_TO);
        let run = |page: Select<_>| store::load_page(db, page);
        let (page, count) = list.load_scan(&scan, run, |row: &Model| row.id).await?;
        let views: Result<Vec<ContentImportRun>, ApiError> = page
            .items
            .into_iter()
            .map(|row| view::run(&self.kernel.urls, row))
            .collect();
        let page = Page {
            items: views?,
            next: page.next,
        };
        Ok(list.answer(page, count, |item| item)?.into())
    }

    async fn start_import_run(
        &self,
        access: TargetAccess,
        body: StartImportRun,
    ) -> Result<Created<ContentImportRun>, ApiError> {
        let node = access.node.ok_or_else(|| ApiError::not_found("space"))?;
        let (kernel, now) = (&self.kernel, self.kernel.clock.now());
        let row = Model {
            id: kernel.ids.next(),
            organization_id: node.organization_id,
            space_id: node.id,
            force: body.force.unwrap_or_default(),
            status: ImportRunStatus::Pending,
            job_id: kernel.ids.next(),
            created_by: access.caller.user_id,
            reason: None,
            outcome: None,
            created_at: now,
            started_at: None,
            ended_at: None,
            updated_at: now,
            kind: ImportSourceKind::Website,
            files: None,
            url: String::new(),
            reference: None,
            directory: None,
            secret: None,
        };
        let row = with_source(self, row, body.source).await?;
        let job = NewJob {
            id: row.job_id,
            organization: Some(row.organization_id),
            payload: ImportToRun { run: row.id },
        };
        let work = move |tx: Tx| async move {
            tree::reload(&tx, &node).await?;
            store::insert(&tx, &row, now).await?;
            enqueue::<RunImport>(&tx, vec![job], now).await?;
            Ok(Changed::of(target(&row), row))
        };
        let row = kernel.write(&access.caller, work).await?;
        kernel.jobs.wake();
        Ok(Created {
            location: kernel.urls.import_run(row.organization_id, row.id),
            body: view::run(&kernel.urls, row)?,
        })
    }

    async fn get_import_run(&self, access: ImportRunAccess) -> Result<ContentImportRun, ApiError> {
        view::run(&self.kernel.urls, access.row)
    }

    async fn cancel_import_run(&self, access: ImportRunAccess) -> Result<ContentImportRun, ApiError> {
        let (row, now) = (access.row, self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let row = store::lock(&tx, row.organization_id, row.id).await?;
            if !store::is_active(row.status) {
                return Ok(Changed::nothing(row));
            }
            jobs::cancel(&tx, row.job_id, now).await?;
            let row = store::end(&tx, row, ImportRunStatus::Cancelled, None, now).await?;
            Ok(Changed::of(target(&row), row))
        };
        view::run(&self.kernel.urls, self.kernel.write(&access.caller, work).await?)
    }
}

/// Refuses a source that no run could read.
async fn with_source(exchange: &Exchange, row: Model, source: ContentImportSource) -> Result<Model, ApiError> {
    const URL: &str = "/body/source/url";
    let (kind, url) = match source {
        ContentImportSource::ImportedFiles(source) => {
            files::load(exchange, row.organization_id, &source.files).await?;
            return Ok(Model {
                kind: ImportSourceKind::File,
                files: Some(serde_json::to_value(source.files)?),
                ..row
            });
        }
        ContentImportSource::ImportedWebsite(source) => (ImportSourceKind::Website, source.url),
        ContentImportSource::ImportedArchive(source) => (ImportSourceKind::Zip, source.url),
        ContentImportSource::ImportedRepository(source) => {
            let request = Request::once(source.url.clone(), source.r#ref.clone(), source.directory.clone());
            let address = request.check_address(exchange, URL)?;
            git::RefName::parse(&source.r#ref).map_err(|error| {
                ApiError::invalid_member("/body/source/ref", ErrorRule::GitRepository, error.to_string())
            })?;
            let sealed = exchange.kernel.secrets.seal(&purpose(row.id), source.url.as_bytes());
            return Ok(Model {
                kind: ImportSourceKind::Git,
                url: address.as_str().to_owned(),
                reference: Some(source.r#ref),
                directory: source.directory,
                secret: Some(sealed.map_err(ApiError::internal)?),
                ..row
            });
        }
    };
    exchange
        .kernel
        .outbound
        .check(&url)
        .map_err(|error| ApiError::invalid_member(URL, ErrorRule::NotFetched, format!("The address {error}.")))?;
    Ok(Model { kind, url, ..row })
}

/// What the sealed address of a repository is for.
fn purpose(id: ImportRunId) -> String {
    format!("address of the import run {id}")
}

fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "import-run", row.id)
}
