//! The job that makes a PDF.

use std::sync::Arc;

use entity::{
    authoring::pdf_exports::{Model, PdfExportState},
    ids::{JobId, PdfExportId},
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
use crate::areas::authoring::{Authoring, printer::PrintError};

/// Makes the PDF of an export. A second run finds that the export has ended, or makes the same PDF.
pub struct MakePdf(pub Arc<Authoring>);

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
        let authoring = &self.0;
        let found = store::find(authoring.kernel.db.read(), payload.export).await?;
        let Some(row) = found.filter(|row| row.state == PdfExportState::Queued) else {
            return Ok(());
        };
        let outcome = Box::pin(make(authoring, row)).await?;
        Ok(store::finish(&authoring.kernel, payload.export, outcome).await?)
    }

    async fn end_without_success(&self, tx: &Tx, _: JobId, payload: PdfToMake, reason: EndReason) -> Result<(), DbErr> {
        let problem = match reason {
            EndReason::Failed => "The PDF could not be made. The log of the server has the reason.",
            EndReason::Cancelled => "The job that makes the PDF was cancelled.",
        };
        let outcome = Outcome::Failed(problem);
        store::set_outcome(tx, payload.export, outcome, self.0.kernel.clock.now()).await
    }
}

async fn make(authoring: &Authoring, row: Model) -> Result<Outcome, JobError> {
    let manuscript = match book::make(authoring, row).await {
        Ok(manuscript) => manuscript,
        Err(BookError::Refused(reason)) => return Ok(Outcome::Failed(reason)),
        Err(BookError::Server(error)) => return Err(JobError::Retryable(error.to_string())),
    };
    match authoring
        .printer
        .print(manuscript, &authoring.kernel.blobs.objects)
        .await
    {
        Ok(pdf) => Ok(Outcome::Ready(authoring.kernel.blobs.put(pdf.into()).await?)),
        Err(PrintError::Refused(reason)) => Ok(Outcome::Failed(reason)),
        Err(PrintError::Server(error)) => Err(error.into()),
    }
}
