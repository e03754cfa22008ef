//! New conversations, and longer versions of those that are there.

use std::{collections::HashMap, sync::Arc};

use entity::{conversations::conversations::Model, timestamp::Timestamp};
use openapi::{
    error::ApiError,
    models::{ConversationInput, ConversationPart},
};
use platform::{
    db::Tx,
    jobs::{NewJob, enqueue},
};
use serde_json::json;
use specifications::HtmlRenderer;

use super::{
    groupings,
    process_job::ProcessConversation,
    store::{self, ConversationToProcess, NewConversation},
    target, texts,
};
use crate::{
    access::{Caller, OrganizationAccess},
    kernel::{Kernel, audit::Changed},
};

/// The source of what users add.
const SOURCE_OF_USERS: &str = "email";

pub async fn ingest(
    kernel: &Kernel,
    access: &OrganizationAccess,
    inputs: Vec<ConversationInput>,
) -> Result<(), ApiError> {
    let (organization, source, now) = (access.organization, source(&access.caller), kernel.clock.now());
    let inputs = longest_versions(inputs);
    let bytes: usize = inputs
        .iter()
        .flat_map(|input| &input.parts)
        .map(|part| part.body.len())
        .sum();
    let sanitize = move || inputs.into_iter().map(|input| stored(input, now)).collect();
    let new: Result<Vec<NewConversation>, ApiError> = kernel.work.run(bytes, sanitize).await?;
    let new = Arc::new(new?);
    if new.is_empty() {
        return Ok(());
    }
    let ids = kernel.ids.clone();
    let work = move |tx: Tx| async move {
        // Two requests may add the same conversation at the same time.
        groupings::lock(&tx, organization).await?;
        let rows = store::put(&tx, (organization, &source), &new, &ids, now).await?;
        let Some(first) = rows.first() else {
            return Ok(Changed::nothing(()));
        };
        let job = |row: &Model| NewJob {
            id: ids.next(),
            organization: Some(organization),
            payload: ConversationToProcess::of(row),
        };
        let jobs: Vec<NewJob<ConversationToProcess>> = rows.iter().map(job).collect();
        enqueue::<ProcessConversation>(&tx, jobs, now).await?;
        let all: Vec<String> = rows.iter().map(|row: &Model| row.id.to_string()).collect();
        Changed::of(target(organization, first.id), ()).with(json!({ "conversations": all }))
    };
    kernel.write(&access.caller, work).await?;
    kernel.jobs.wake();
    Ok(())
}

/// An installation speaks for its integration, whose name has no colon.
fn source(caller: &Caller) -> String {
    match &caller.identity.integration {
        Some(integration) => format!("integration:{}:default", integration.name),
        None => SOURCE_OF_USERS.to_owned(),
    }
}

/// Of several versions of a conversation, the longest one; the first one of those.
fn longest_versions(inputs: Vec<ConversationInput>) -> Vec<ConversationInput> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut longest: Vec<ConversationInput> = Vec::with_capacity(inputs.len());
    for input in inputs {
        let position = *positions.entry(input.id.clone()).or_insert(longest.len());
        match longest.get_mut(position) {
            Some(known) if length(&input.parts) > length(&known.parts) => *known = input,
            Some(_) => {}
            None => longest.push(input),
        }
    }
    longest
}

fn length(parts: &[ConversationPart]) -> i64 {
    let characters: usize = parts.iter().map(|part| part.body.chars().count()).sum();
    i64::try_from(characters).unwrap_or(i64::MAX)
}

fn stored(input: ConversationInput, now: Timestamp) -> Result<NewConversation, ApiError> {
    let ConversationInput {
        id,
        metadata,
        subject,
        parts,
    } = input;
    let (url, attributes, created_at) = metadata
        .map(|metadata| (metadata.url, metadata.attributes, metadata.created_at))
        .unwrap_or_default();
    let (length, mut renderer) = (length(&parts), HtmlRenderer::default());
    let sanitized = parts.into_iter().map(|part| ConversationPart {
        body: texts::sanitized(&mut renderer, part.body),
        ..part
    });
    let sanitized: Vec<ConversationPart> = sanitized.collect();
    Ok(NewConversation {
        key: id,
        subject: subject.filter(|subject| !subject.trim().is_empty()),
        url,
        created_at: created_at.map_or(now, |time| Timestamp::from(time.0)),
        length,
        parts: serde_json::to_value(sanitized)?,
        attributes: attributes
            .filter(|attributes| !attributes.is_empty())
            .map(serde_json::to_value)
            .transpose()?,
    })
}
