//! The job that makes a PDF.

use entity::{
    ids::{JobId, PdfExportId},
    pdf_exports::{Model, PdfExportState},
};
use platform::{
    db::Tx,
    jobs::{EndReason, JobContext, JobError, JobKind},
};
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};

use super::{
    book::{self, BookError},
    store::{self, Outcome},
};
use crate::app::{App, printer::PrintError};

/// Makes the PDF of an export. A second run finds that the export has ended, or makes the same PDF.
pub struct MakePdf(pub App);

#[derive(Serialize, Deserialize)]
pub struct PdfToMake {
    pub export: PdfExportId,
}

impl JobKind for MakePdf {
    const NAME: &'static str = "make-pdf";
    type Payload = PdfToMake;

    fn concurrency(&self) -> usize {
        self.0.printer.processes
    }

    async fn run(&self, _: &JobContext, payload: PdfToMake) -> Result<(), JobError> {
        let app = &self.0;
        let found = store::find(app.db.read(), payload.export).await?;
        let Some(row) = found.filter(|row| row.state == PdfExportState::Queued) else {
            return Ok(());
        };
        let outcome = Box::pin(make(app, row)).await?;
        Ok(store::finish(app, payload.export, outcome).await?)
    }

    async fn end_without_success(&self, tx: &Tx, _: JobId, payload: PdfToMake, reason: EndReason) -> Result<(), DbErr> {
        let problem = match reason {
            EndReason::Failed => "The PDF could not be made. The log of the server has the reason.",
            EndReason::Cancelled => "The job that makes the PDF was cancelled.",
        };
        let outcome = Outcome::Failed(problem);
        store::set_outcome(tx, payload.export, outcome, self.0.clock.now()).await
    }
}

async fn make(app: &App, row: Model) -> Result<Outcome, JobError> {
    let manuscript = match book::make(app, row).await {
        Ok(manuscript) => manuscript,
        Err(BookError::Refused(reason)) => return Ok(Outcome::Failed(reason)),
        Err(BookError::Server(error)) => return Err(JobError::Retryable(error.to_string())),
    };
    match app.printer.print(manuscript, &app.blobs.objects).await {
        Ok(pdf) => Ok(Outcome::Ready(app.blobs.put(pdf.into()).await?)),
        Err(PrintError::Refused(reason)) => Ok(Outcome::Failed(reason)),
        Err(PrintError::Server(error)) => Err(error.into()),
    }
}
