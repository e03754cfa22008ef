//! What a version changed since another one.

use entity::openapi_specs::versions;
use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
    models::{
        OpenApiSpecChange, OpenApiSpecChangeDetail, OpenApiSpecChangeRule, OpenApiSpecChangeSubject,
        OpenApiSpecChangeType, OpenApiSpecChanges,
    },
};
use specifications::{Change, ChangeKind, Changes, Detail, Rule, Subject};

use super::documents;
use crate::app::App;

/// Memory of a parsed document, as a multiple of its size.
const PARSED_FACTOR: usize = 10;

/// Versions never change, so that nothing is compared for a caller who has kept the answer.
pub async fn between(
    app: &App,
    before: Option<&versions::Model>,
    after: &versions::Model,
    kept: Option<&str>,
) -> Result<Conditional<OpenApiSpecChanges>, ApiError> {
    let since = before.map(|version| version.id.to_string());
    let tag = EntityTag::new(format_args!(
        "{}.{}.changes",
        since.as_deref().unwrap_or_default(),
        after.id
    ));
    if tag.is_kept(kept) {
        return Ok(Conditional::NotModified(tag));
    }
    let changes = match before {
        Some(before) => compare(app, before, after).await?,
        None => Changes {
            changes: Vec::new(),
            is_complete: true,
        },
    };
    let body = OpenApiSpecChanges {
        object: Default::default(),
        since,
        version: after.id.to_string(),
        breaking: changes.is_breaking(),
        complete: changes.is_complete,
        changes: changes.changes.into_iter().map(view).collect(),
    };
    Ok(Conditional::Fresh(Tagged { tag, body }))
}

async fn compare(app: &App, before: &versions::Model, after: &versions::Model) -> Result<Changes, ApiError> {
    let before = documents::read(app, before).await?;
    let after = documents::read(app, after).await?;
    let memory = (before.len() + after.len()).saturating_mul(PARSED_FACTOR);
    let compared = app.work.run(memory, move || Changes::between_texts(&before, &after));
    compared.await?.map_err(ApiError::internal)
}

fn view(change: Change) -> OpenApiSpecChange {
    let (subject, name, method) = match change.subject {
        Subject::Operation { path, method } => (OpenApiSpecChangeSubject::Operation, path, Some(method)),
        Subject::Webhook { name, method } => (OpenApiSpecChangeSubject::Webhook, name, Some(method)),
        Subject::Schema { name } => (OpenApiSpecChangeSubject::Schema, name, None),
    };
    OpenApiSpecChange {
        subject,
        name,
        method: method.map(str::to_owned),
        r#type: match change.kind {
            ChangeKind::Added => OpenApiSpecChangeType::Added,
            ChangeKind::Removed => OpenApiSpecChangeType::Removed,
            ChangeKind::Changed => OpenApiSpecChangeType::Changed,
        },
        breaking: change.is_breaking,
        details: change.details.into_iter().map(detail).collect(),
    }
}

fn detail(detail: Detail) -> OpenApiSpecChangeDetail {
    OpenApiSpecChangeDetail {
        rule: rule(detail.rule),
        pointer: detail.pointer,
        message: detail.message,
        breaking: detail.is_breaking,
    }
}

fn rule(rule: Rule) -> OpenApiSpecChangeRule {
    match rule {
        Rule::Deprecated => OpenApiSpecChangeRule::Deprecated,
        Rule::Documentation => OpenApiSpecChangeRule::Documentation,
        Rule::Parameter => OpenApiSpecChangeRule::Parameter,
        Rule::RequestBody => OpenApiSpecChangeRule::RequestBody,
        Rule::MediaType => OpenApiSpecChangeRule::MediaType,
        Rule::Response => OpenApiSpecChangeRule::Response,
        Rule::Security => OpenApiSpecChangeRule::Security,
        Rule::Schema => OpenApiSpecChangeRule::Schema,
        Rule::Property => OpenApiSpecChangeRule::Property,
        Rule::Required => OpenApiSpecChangeRule::Required,
        Rule::Type => OpenApiSpecChangeRule::Type,
        Rule::Enum => OpenApiSpecChangeRule::Enum,
        Rule::Alternative => OpenApiSpecChangeRule::Alternative,
        Rule::Limit => OpenApiSpecChangeRule::Limit,
        Rule::Default => OpenApiSpecChangeRule::Default,
    }
}
