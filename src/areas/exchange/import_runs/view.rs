//! Import runs on the wire.

use entity::exchange::import_runs::{ImportRunStatus as StoredStatus, ImportSourceKind, Model};
use openapi::{
    error::ApiError,
    models::{
        ContentImportRun, ContentImportRunUrls, ContentImportSource, ContentImportTarget, ImportProblem,
        ImportRunStatus, ImportedArchive, ImportedFiles, ImportedPage, ImportedRepository, ImportedWebsite,
    },
};

use super::outcome::Outcome;
use crate::kernel::{
    urls::Urls,
    wire::{ToWire, time, wire_enums},
};

wire_enums! {
    StoredStatus as ImportRunStatus { Pending, InProgress, Completed, Failed, Cancelled }
}

pub fn run(urls: &Urls, row: Model) -> Result<ContentImportRun, ApiError> {
    let outcome: Option<Outcome> = row.outcome.map(serde_json::from_value).transpose()?;
    let (pages, problems) = outcome.map(|outcome| (outcome.pages, outcome.problems)).unzip();
    let (kind, url) = (Default::default(), row.url);
    Ok(ContentImportRun {
        object: Default::default(),
        id: row.id.to_string(),
        status: row.status.to_wire(),
        reason: row.reason,
        source: match row.kind {
            ImportSourceKind::File => ContentImportSource::ImportedFiles(ImportedFiles {
                r#type: Default::default(),
                files: row.files.map(serde_json::from_value).transpose()?.unwrap_or_default(),
            }),
            ImportSourceKind::Website => ContentImportSource::ImportedWebsite(ImportedWebsite { r#type: kind, url }),
            ImportSourceKind::Zip => ContentImportSource::ImportedArchive(ImportedArchive {
                r#type: Default::default(),
                url,
            }),
            ImportSourceKind::Git => ContentImportSource::ImportedRepository(ImportedRepository {
                r#type: Default::default(),
                url,
                r#ref: row.reference.unwrap_or_default(),
                directory: row.directory,
            }),
        },
        target: ContentImportTarget {
            space: row.space_id.to_string(),
        },
        created_by: row.created_by.to_string(),
        created_at: time(row.created_at),
        started_at: row.started_at.map(time),
        completed_at: row.ended_at.filter(|_| row.status == StoredStatus::Completed).map(time),
        updated_at: time(row.updated_at),
        pages: pages.map(|pages| {
            let view = |page: super::outcome::OutcomePage| ImportedPage {
                id: page.id.to_string(),
                source_url: Some(page.source),
                r#type: Default::default(),
                status: Default::default(),
            };
            pages.into_iter().map(view).collect()
        }),
        problems: problems.map(|problems| {
            let view = |problem: super::outcome::OutcomeProblem| ImportProblem {
                path: problem.path,
                line: problem.line,
                message: problem.message,
            };
            problems.into_iter().map(view).collect()
        }),
        urls: ContentImportRunUrls {
            location: urls.import_run(row.organization_id, row.id),
        },
    })
}
