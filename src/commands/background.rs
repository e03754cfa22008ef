//! The kinds of background jobs of the server.

use std::sync::Arc;

use platform::{
    blobs::PurgeBlobs,
    db::Backend,
    jobs::{Kinds, PurgeJobs},
    mail::{Mailer, SendMail},
};

use crate::{
    app::App,
    areas::{
        authoring::{
            count_parts::SumUpCounts,
            pdf_exports::{MakePdf, PurgePdfExports},
        },
        content::{
            computed::{IndexComputedPages, IndexSpecification},
            search_jobs::{IndexPages, RenewSearchIndex},
        },
        conversations::conversations::{CompareClusters, ProcessConversation},
        exchange::{
            git::{automatic::PollGitBranches, job::RunGitOperation},
            import_runs::RunImport,
        },
        insights::{DrainInsights, MergeInsights, PurgeInsights, RemoveSiteEvents, RemoveVisitorEvents},
        integrations::{
            content_sources::{ComputeContent, RefreshContent},
            integration_events::RecordLater,
            outbox::{DeliverEvents, DeliverToSlow, PurgeDeliveries, RemoveDeliveries},
        },
        languages::translations::{RunTranslation, StartTranslationRuns},
        library::{invitations::PurgeExpiredInvites, tree::purge_job::PurgeDeletedNodes},
        organizations::{organizations::ProveEmailDomains, sign_in::PurgeSignIns},
        publishing::{custom_hostnames::CheckCustomHostnames, sites::CheckProxies},
        specifications::openapi_specs::{ProcessSpec, RefreshSpecs},
    },
    kernel::idempotency::PurgeIdempotencyKeys,
};

/// Every kind of job; mails only where there is a mail server.
pub fn kinds(app: &App, mailer: Option<Mailer>) -> Kinds {
    let deliver = DeliverEvents::new(app.kernel.clone(), Arc::clone(&app.integrations) as _);
    let kinds = Kinds::default()
        .with_periodic(PurgeDeletedNodes(Arc::clone(&app.library)))
        .with_periodic(PurgeExpiredInvites(Arc::clone(&app.library)))
        .with_periodic(ProveEmailDomains(Arc::clone(&app.organizations)))
        .with_periodic(CheckCustomHostnames(Arc::clone(&app.publishing)))
        .with_periodic(CheckProxies(Arc::clone(&app.publishing)))
        .with_periodic(PurgeSignIns(Arc::clone(&app.organizations)))
        .with_periodic(PurgeJobs(app.kernel.jobs.clone()))
        .with_periodic(PurgeBlobs(app.kernel.blobs.clone()))
        .with_periodic(PurgeIdempotencyKeys(app.access.idempotency_keys.clone()))
        .with_periodic(RenewSearchIndex(Arc::clone(&app.contents)))
        .with(IndexPages(Arc::clone(&app.contents)))
        .with(IndexComputedPages(Arc::clone(&app.contents)))
        .with(IndexSpecification(Arc::clone(&app.contents)))
        .with_periodic(RefreshSpecs(Arc::clone(&app.specifications)))
        .with(ProcessSpec::new(Arc::clone(&app.specifications)))
        .with(ProcessConversation(Arc::clone(&app.conversations)))
        .with(CompareClusters(Arc::clone(&app.conversations)))
        .with(RunTranslation::new(Arc::clone(&app.languages)))
        .with_periodic(StartTranslationRuns(Arc::clone(&app.languages)))
        .with(RunGitOperation(Arc::clone(&app.exchange)))
        .with_periodic(PollGitBranches(Arc::clone(&app.exchange)))
        .with(RunImport(Arc::clone(&app.exchange)))
        .with(MakePdf(Arc::clone(&app.authoring)))
        .with_periodic(PurgePdfExports(Arc::clone(&app.authoring)))
        .with(deliver.clone())
        .with(DeliverToSlow(deliver))
        .with(RecordLater(app.kernel.clone()))
        .with(RemoveDeliveries(app.kernel.clone()))
        .with(ComputeContent::new(
            Arc::clone(&app.integrations),
            Arc::clone(&app.contents),
        ))
        .with_periodic(RefreshContent(app.kernel.clone()))
        .with_periodic(PurgeDeliveries(app.kernel.clone()))
        .with_periodic(DrainInsights(Arc::clone(&app.insights)))
        .with_periodic(MergeInsights(Arc::clone(&app.insights)))
        .with_periodic(PurgeInsights(Arc::clone(&app.insights)))
        .with(RemoveVisitorEvents(Arc::clone(&app.insights)))
        .with(RemoveSiteEvents(Arc::clone(&app.insights)));
    let kinds = match app.kernel.db.backend() {
        // Nothing is left to sum up.
        Backend::Sqlite => kinds,
        Backend::Postgres => kinds.with_periodic(SumUpCounts(app.authoring.count_parts.clone())),
    };
    match mailer {
        Some(mailer) => kinds.with(SendMail(mailer)),
        None => kinds,
    }
}
