//! The history of a space, and the changes of each revision.

use std::collections::HashMap;

use content::revisions;
use entity::{
    content::revisions::{Column, Entity, Model},
    ids::UserId,
};
use openapi::{
    error::ApiError,
    models::{RevisionSemanticChanges, RevisionSummary, RevisionSummaryList, User},
    operations::revisions::ListRevisionsQuery,
};
use platform::db::Keyset;
use sea_orm::Select;

use crate::{
    access::SpaceAccess,
    areas::{
        authoring::{
            change_requests,
            reader::{RevisionReader, view},
        },
        identity::users,
    },
    kernel::{
        Kernel,
        lists::List,
        wire::{ToWire, time},
    },
};

pub async fn list(
    kernel: &Kernel,
    access: &SpaceAccess,
    query: ListRevisionsQuery,
) -> Result<RevisionSummaryList, ApiError> {
    let ListRevisionsQuery { page, limit } = query;
    let space = access.row.node.id;
    let list = List::new(kernel, ("revisions", space), page, limit);
    let db = kernel.db.read();
    let order = Keyset::descending([Column::Id]);
    let load = |found: Select<Entity>, after, limit| {
        order.page(found, after, limit, |query| query.all(db), |row: &Model| row.id)
    };
    let views = async |rows: Vec<Model>| {
        let authors = rows.iter().filter_map(|row| row.author_id).collect();
        let authors = users::views_of(kernel, authors).await?;
        let summaries = rows.into_iter().map(|row| summary(kernel, row, &authors));
        Ok(summaries.collect())
    };
    Ok(list.load(revisions::of_space(space), load, views).await?.into())
}

fn summary(kernel: &Kernel, row: Model, authors: &HashMap<UserId, User>) -> RevisionSummary {
    RevisionSummary {
        object: Default::default(),
        id: row.id.to_string(),
        r#type: row.kind.to_wire(),
        parents: revisions::parents(&row).iter().map(ToString::to_string).collect(),
        created_at: time(row.created_at),
        author: row.author_id.and_then(|author| authors.get(&author).cloned()),
        merged_from: row.merged_from.map(|request| request.to_string()),
        urls: view::revision_urls(&kernel.urls, row.space_id, row.id),
    }
}

/// The changes of a revision compared with its first parent.
pub async fn changes(mut reader: RevisionReader<'_>, limit: u32) -> Result<RevisionSemanticChanges, ApiError> {
    let (authoring, revision) = (reader.authoring, std::sync::Arc::clone(&reader.revision));
    let before = match revision.parents.first() {
        Some(before) => {
            authoring
                .contents
                .state
                .revision(&authoring.kernel.db, revision.space, *before)
                .await?
        }
        None => None,
    };
    let before = before.map(|before| before.snapshot).unwrap_or_default();
    let merged_from = change_requests::load_merged_by(&authoring.kernel, &revision).await?;
    let (changes, more) = reader.semantic_changes(&before, limit).await?;
    Ok(RevisionSemanticChanges {
        merged_from,
        changes,
        more,
    })
}
