//! The job that makes a PDF.

use entity::{
    ids::PdfExportId,
    pdf_exports::{Model, PdfExportState},
};
use platform::jobs::{JobContext, JobError, JobKind};
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
