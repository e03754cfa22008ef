//! Finding exports, and waiting for them.

use std::time::{Duration, Instant};

use entity::{
    authoring::pdf_exports::{Model, PdfExportState},
    ids::RevisionId,
};
use openapi::{
    error::{ApiError, ErrorType},
    models::PdfUrl,
};
use platform::{
    db::Tx,
    jobs::{NewJob, enqueue},
};
use tokio::time::sleep;

use super::{
    make_job::{MakePdf, PdfToMake},
    parameters::Parameters,
    store::{self, NewExport},
};

use crate::{
    access::{Caller, rows::SpaceRow},
    areas::authoring::{Authoring, printer::NO_TYPESETTER, reader::RevisionReader},
    kernel::Kernel,
};

/// How often a response looks for its PDF.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// The address of a PDF. Waits for short ones.
pub async fn url(
    authoring: &Authoring,
    caller: &Caller,
    row: &SpaceRow,
    revision: RevisionId,
    parameters: Parameters,
) -> Result<PdfUrl, ApiError> {
    let export = awaited(authoring, caller, row, revision, parameters).await?;
    Ok(PdfUrl {
        url: authoring.kernel.urls.pdf(export.id, authoring.kernel.clock.now()),
    })
}

/// A PDF, which is ready unless it takes longer than a response waits.
pub async fn awaited(
    authoring: &Authoring,
    caller: &Caller,
    row: &SpaceRow,
    revision: RevisionId,
    mut parameters: Parameters,
) -> Result<Model, ApiError> {
    if !authoring.printer.is_there() {
        return Err(ApiError::new(ErrorType::PdfFailed, NO_TYPESETTER));
    }
    let space = row.node.id;
    let reader = RevisionReader::open(authoring, space, revision, None).await?;
    parameters.computed = reader.computed_from();
    if let Some(page) = parameters.part.page()
        && !reader.seen_by(parameters.claims.clone()).sees(page).await?
    {
        return Err(ApiError::not_found("page"));
    }
    let new = NewExport {
        organization: row.node.organization_id,
        space,
        revision,
        fingerprint: parameters.fingerprint(revision)?,
        file_name: parameters.file_name(),
        parameters: serde_json::to_value(&parameters)?,
    };
    let export = find_or_enqueue(&authoring.kernel, caller, new).await?;
    let export = wait(authoring, export).await?;
    if export.state == PdfExportState::Failed {
        return Err(failed(&export));
    }
    Ok(export)
}

/// The export of the same content; a new one if there is none.
async fn find_or_enqueue(kernel: &Kernel, caller: &Caller, new: NewExport) -> Result<Model, ApiError> {
    let now = kernel.clock.now();
    if let Some(found) = store::find_same(kernel.db.read(), &new, now).await? {
        return store::touch(kernel, found, now).await;
    }
    let (caller, id, job) = (caller.clone(), kernel.ids.next(), kernel.ids.next());
    let work = move |tx: Tx| async move {
        caller.check_again(&tx, now).await?;
        // Another request may have been faster.
        if let Some(found) = store::find_same(&tx, &new, now).await? {
            return Ok(found);
        }
        store::refuse_too_many(&tx, new.organization).await?;
        let row = store::insert(&tx, id, new, now).await?;
        let job = NewJob {
            id: job,
            organization: Some(row.organization_id),
            payload: PdfToMake { export: id },
        };
        enqueue::<MakePdf>(&tx, vec![job], now).await?;
        Ok::<_, ApiError>(row)
    };
    let export = kernel.db.write(work).await?;
    kernel.jobs.wake();
    Ok(export)
}

/// The answer for an export without a PDF.
pub fn failed(export: &Model) -> ApiError {
    let reason = export.problem.clone().unwrap_or_default();
    ApiError::new(ErrorType::PdfFailed, reason)
}

async fn wait(authoring: &Authoring, export: Model) -> Result<Model, ApiError> {
    let (started, id) = (Instant::now(), export.id);
    let mut export = export;
    while export.state == PdfExportState::Queued && started.elapsed() < authoring.printer.wait {
        sleep(POLL_INTERVAL.min(authoring.printer.wait)).await;
        let found = store::find(authoring.kernel.db.read(), id).await?;
        export = found.ok_or_else(|| ApiError::not_found("space"))?;
    }
    Ok(export)
}
