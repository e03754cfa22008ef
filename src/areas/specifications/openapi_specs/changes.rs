//! What a version changed since another one.

use entity::specifications::openapi_specs::versions;
use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
    models::{
        OpenApiSpecChange, OpenApiSpecChangeDetail, OpenApiSpecChangeImpact, OpenApiSpecChangeRule,
        OpenApiSpecChangeSubject, OpenApiSpecChangeType, OpenApiSpecChanges,
    },
    work::acquire_large,
};
use specifications::{Change, ChangeKind, Changes, DefinitionKind, Detail, Impact, Rule, Subject};

use super::documents;

use crate::kernel::Kernel;

/// Versions never change, so that nothing is compared for a caller who has kept the answer.
pub async fn between(
    kernel: &Kernel,
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
        Some(before) => compare(kernel, before, after).await?,
        None => Changes {
            is_complete: true,
            ..Changes::default()
        },
    };
    let body = OpenApiSpecChanges {
        object: Default::default(),
        since,
        version: after.id.to_string(),
        impact: impact(changes.impact),
        complete: changes.is_complete,
        count: number(changes.count),
        changes: changes.changes.into_iter().map(view).collect(),
    };
    Ok(Conditional::Fresh(Tagged { tag, body }))
}

/// Nothing is stored: there are more pairs of versions than are ever asked for, and the work follows their sizes.
async fn compare(kernel: &Kernel, before: &versions::Model, after: &versions::Model) -> Result<Changes, ApiError> {
    let before = documents::load(kernel, before).await?;
    let after = documents::load(kernel, after).await?;
    let bytes = before.size.saturating_add(after.size);
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    acquire_large().await?;
    let before = documents::read(kernel, &before).await?;
    let after = documents::read(kernel, &after).await?;
    let compared = kernel.work.run(bytes, move || Changes::between_texts(&before, &after));
    compared.await?.map_err(ApiError::internal)
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn view(change: Change) -> OpenApiSpecChange {
    let (subject, name, method) = match change.subject {
        Subject::Document => (OpenApiSpecChangeSubject::Document, None, None),
        Subject::Operation { path, method } => (OpenApiSpecChangeSubject::Operation, Some(path), method),
        Subject::Webhook { name, method } => (OpenApiSpecChangeSubject::Webhook, Some(name), method),
        Subject::Definition { kind, name } => (definition(kind), Some(name), None),
    };
    OpenApiSpecChange {
        subject,
        r#type: kind(change.kind),
        name,
        former_name: change.former,
        method: method.map(str::to_owned),
        impact: impact(change.impact),
        count: number(change.count),
        details: change.details.into_iter().map(detail).collect(),
    }
}

fn detail(detail: Detail) -> OpenApiSpecChangeDetail {
    OpenApiSpecChangeDetail {
        rule: rule(detail.rule),
        r#type: kind(detail.kind),
        pointer: detail.pointer,
        message: detail.message,
        impact: impact(detail.impact),
    }
}

fn definition(kind: DefinitionKind) -> OpenApiSpecChangeSubject {
    match kind {
        DefinitionKind::Schema => OpenApiSpecChangeSubject::Schema,
        DefinitionKind::Parameter => OpenApiSpecChangeSubject::Parameter,
        DefinitionKind::Header => OpenApiSpecChangeSubject::Header,
        DefinitionKind::RequestBody => OpenApiSpecChangeSubject::RequestBody,
        DefinitionKind::Response => OpenApiSpecChangeSubject::Response,
        DefinitionKind::Callback => OpenApiSpecChangeSubject::Callback,
        DefinitionKind::SecurityScheme => OpenApiSpecChangeSubject::SecurityScheme,
        DefinitionKind::Other => OpenApiSpecChangeSubject::Other,
    }
}

fn kind(kind: ChangeKind) -> OpenApiSpecChangeType {
    match kind {
        ChangeKind::Added => OpenApiSpecChangeType::Added,
        ChangeKind::Removed => OpenApiSpecChangeType::Removed,
        ChangeKind::Changed => OpenApiSpecChangeType::Changed,
    }
}

fn impact(impact: Impact) -> OpenApiSpecChangeImpact {
    match impact {
        Impact::Compatible => OpenApiSpecChangeImpact::Compatible,
        Impact::Unknown => OpenApiSpecChangeImpact::Unknown,
        Impact::Breaking => OpenApiSpecChangeImpact::Breaking,
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
        Rule::Header => OpenApiSpecChangeRule::Header,
        Rule::Callback => OpenApiSpecChangeRule::Callback,
        Rule::Security => OpenApiSpecChangeRule::Security,
        Rule::Server => OpenApiSpecChangeRule::Server,
        Rule::Reference => OpenApiSpecChangeRule::Reference,
        Rule::Property => OpenApiSpecChangeRule::Property,
        Rule::Required => OpenApiSpecChangeRule::Required,
        Rule::Type => OpenApiSpecChangeRule::Type,
        Rule::Enum => OpenApiSpecChangeRule::Enum,
        Rule::Alternative => OpenApiSpecChangeRule::Alternative,
        Rule::Limit => OpenApiSpecChangeRule::Limit,
        Rule::Default => OpenApiSpecChangeRule::Default,
        Rule::Other => OpenApiSpecChangeRule::Other,
    }
}
