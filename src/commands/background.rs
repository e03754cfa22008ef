//! The kinds of background jobs of the server.

use platform::{
    blobs::PurgeBlobs,
    db::Backend,
    jobs::{Kinds, PurgeJobs},
    mail::{Mailer, SendMail},
};

use crate::{
    app::{
        App,
        computed::{IndexComputedPages, IndexSpecification},
        count_parts::SumUpCounts,
        search_jobs::{IndexPages, RenewSearchIndex},
    },
    areas::{
        authoring::pdf_exports::{MakePdf, PurgePdfExports},
        languages::translations::{RunTranslation, StartTranslationRuns},
        library::{invitations::PurgeExpiredInvites, tree::purge_job::PurgeDeletedNodes},
        organizations::{organizations::ProveEmailDomains, sign_in::PurgeSignIns},
        publishing::custom_hostnames::CheckCustomHostnames,
        specifications::openapi_specs::{ProcessSpec, RefreshSpecs},
    },
};

/// Every kind of job; mails only where there is a mail server.
pub fn kinds(app: &App, mailer: Option<Mailer>) -> Kinds {
    let kinds = Kinds::default()
        .with_periodic(PurgeDeletedNodes(app.clone()))
        .with_periodic(PurgeExpiredInvites(app.clone()))
        .with_periodic(ProveEmailDomains(app.clone()))
        .with_periodic(CheckCustomHostnames(app.clone()))
        .with_periodic(PurgeSignIns(app.clone()))
        .with_periodic(PurgeJobs(app.jobs.clone()))
        .with_periodic(PurgeBlobs(app.blobs.clone()))
        .with_periodic(RenewSearchIndex(app.clone()))
        .with(IndexPages(app.clone()))
        .with(IndexComputedPages(app.clone()))
        .with(IndexSpecification(app.clone()))
        .with_periodic(RefreshSpecs(app.clone()))
        .with(ProcessSpec::new(app.clone()))
        .with(RunTranslation::new(app.clone()))
        .with_periodic(StartTranslationRuns(app.clone()))
        .with(MakePdf(app.clone()))
        .with_periodic(PurgePdfExports(app.clone()));
    let kinds = match app.db.backend() {
        // Nothing is left to sum up.
        Backend::Sqlite => kinds,
        Backend::Postgres => kinds.with_periodic(SumUpCounts(app.count_parts.clone())),
    };
    match mailer {
        Some(mailer) => kinds.with(SendMail(mailer)),
        None => kinds,
    }
}
