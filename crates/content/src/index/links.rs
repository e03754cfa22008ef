//! What pages link to. It belongs to their texts, so it is written once for each text that a page has ever had.

use std::collections::HashSet;

use entity::{
    ids::{FileId, NodeId, PageId, ReusableContentId},
    page_links::{Column, Entity, LinkRole, Model},
};
use openapi::models::{ContentRef, ContentRefMedia, Document};
use rich_text::ReferenceRole;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::{Expr, OnConflict, Query},
};
use uuid::Uuid;

use crate::{
    objects::Hash,
    pages::{Change, Page, PageContent},
};

/// Rows of one statement: SQLite binds at most 32,766 values.
const ROWS: usize = 500;
/// Characters of the key of a block at most; keys are shorter.
const MAX_NODE: usize = 128;

/// The links of what a page has since a change, whose new text has these nodes.
pub fn of_page(space: NodeId, change: &Change<Page>, document: Option<&Document>) -> Result<Vec<Model>, DbErr> {
    let Some(after) = &change.after else {
        return Ok(Vec::new());
    };
    let kept = change.before.as_ref().map(sources).unwrap_or_default();
    let outside = outside(after);
    let mut rows = Vec::new();
    if let Some(source) = source_of(&outside).filter(|source| !kept.contains(source)) {
        let first = i32::try_from(outside.len()).map_or(i32::MIN, |count| -count);
        let links = outside.into_iter().map(|(role, reference)| (role, reference, None));
        rows.extend(of_source((space, after.id), source, first, links)?);
    }
    if let Some(source) = after.document().filter(|source| !kept.contains(source))
        && let Some(document) = document
    {
        let links = rich_text::extract_links(document).into_iter();
        let links = links.map(|link| (link.role, link.reference, link.key));
        rows.extend(of_source((space, after.id), source, 0, links)?);
    }
    Ok(rows)
}

/// Writes down links.
pub async fn store(tx: &impl ConnectionTrait, rows: &[Model]) -> Result<(), DbErr> {
    for rows in rows.chunks(ROWS) {
        let rows = rows.iter().map(|row| row.clone().into_active_model().reset_all());
        // A page that gets an earlier text again has its links already.
        Entity::insert_many(rows)
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .exec_without_returning(tx)
            .await?;
    }
    Ok(())
}

/// What the links of a page are kept with: its text, and what the page refers to besides.
pub fn sources(page: &Page) -> Vec<Hash> {
    page.document().into_iter().chain(source_of(&outside(page))).collect()
}

/// The references of a page that are not part of its text.
fn outside(page: &Page) -> Vec<(ReferenceRole, ContentRef)> {
    match &page.content {
        PageContent::Document { cover, .. } => {
            let picture = cover.as_ref().map(|cover| match &cover.picture {
                ContentRefMedia::ContentRefFile(file) => ContentRef::ContentRefFile(file.clone()),
                ContentRefMedia::ContentRefUrl(url) => ContentRef::ContentRefUrl(url.clone()),
            });
            picture
                .map(|picture| (ReferenceRole::Media, picture))
                .into_iter()
                .collect()
        }
        PageContent::Link { target } => vec![(ReferenceRole::Link, target.clone())],
        PageContent::Group => Vec::new(),
    }
}

/// Names references as the hash of a text names the text.
fn source_of(outside: &[(ReferenceRole, ContentRef)]) -> Option<Hash> {
    let references: Vec<&ContentRef> = outside.iter().map(|(_, reference)| reference).collect();
    let bytes = serde_json::to_vec(&references).ok()?;
    (!references.is_empty()).then(|| Hash::of(&bytes))
}

/// The rows of one source. What one block links to several times is one link.
fn of_source(
    (space, page): (NodeId, PageId),
    source: Hash,
    first: i32,
    links: impl Iterator<Item = (ReferenceRole, ContentRef, Option<String>)>,
) -> Result<Vec<Model>, DbErr> {
    let mut seen = HashSet::new();
    let mut rows = Vec::new();
    for ((role, reference, node), seq) in links.zip(first..) {
        let node = node.filter(|node| node.chars().count() <= MAX_NODE);
        let json = serde_json::to_value(&reference).map_err(|error| DbErr::Json(error.to_string()))?;
        if !seen.insert((role, node.clone(), json.to_string())) {
            continue;
        }
        let target = target(&reference);
        rows.push(Model {
            space_id: space,
            source: source.to_vec(),
            page_id: page,
            seq,
            target_space: target.and_then(|(space, _)| space),
            target_id: target.map(|(_, id)| id),
            role: stored_role(role),
            reference: json,
            node,
        });
    }
    Ok(rows)
}

/// The content that a reference leads to, by which it is found; the space where it names one.
fn target(reference: &ContentRef) -> Option<(Option<NodeId>, Uuid)> {
    let (space, id) = match reference {
        ContentRef::ContentRefPage(it) => (&it.space, page_id(&it.page)),
        ContentRef::ContentRefAnchor(it) => (&it.space, it.page.as_deref().and_then(page_id)),
        ContentRef::ContentRefFile(it) => (&it.space, it.file.parse().ok().map(|id: FileId| *id.as_uuid())),
        ContentRef::ContentRefReusableContent(it) => {
            let id = it.reusable_content.parse().ok();
            (&it.space, id.map(|id: ReusableContentId| *id.as_uuid()))
        }
        ContentRef::ContentRefUrl(_)
        | ContentRef::ContentRefUser(_)
        | ContentRef::ContentRefCollection(_)
        | ContentRef::ContentRefSpace(_)
        | ContentRef::ContentRefOpenApi(_) => return None,
    };
    let space: Option<NodeId> = match space {
        Some(space) => Some(space.parse().ok()?),
        None => None,
    };
    Some((space, id?))
}

fn page_id(text: &str) -> Option<Uuid> {
    text.parse().ok().map(|id: PageId| *id.as_uuid())
}

fn stored_role(role: ReferenceRole) -> LinkRole {
    match role {
        ReferenceRole::Link => LinkRole::Link,
        ReferenceRole::Media => LinkRole::Media,
        ReferenceRole::File => LinkRole::File,
        ReferenceRole::ReusableContent => LinkRole::Reusable,
        ReferenceRole::Specification => LinkRole::Specification,
    }
}

/// Gives a copy of a space the links of the pages that it copies. Pages keep their ids.
pub async fn copy(tx: &impl ConnectionTrait, sources: &[Hash], (from, to): (NodeId, NodeId)) -> Result<(), DbErr> {
    for chunk in sources.chunks(ROWS) {
        let columns = [
            Column::Source,
            Column::PageId,
            Column::Seq,
            Column::TargetSpace,
            Column::TargetId,
            Column::Role,
            Column::Reference,
            Column::Node,
        ];
        let mut rows = Entity::find()
            .select_only()
            .expr(Expr::value(to))
            .columns(columns)
            .filter(Column::SpaceId.eq(from))
            .filter(Column::Source.is_in(chunk.iter().map(|hash| hash.to_vec())));
        let rows = sea_orm::QueryTrait::query(&mut rows).take();
        let mut insert = Query::insert();
        insert
            .into_table(Entity)
            .columns([Column::SpaceId].into_iter().chain(columns))
            .select_from(rows)
            .map_err(|error| DbErr::Custom(error.to_string()))?;
        tx.execute(&insert).await?;
    }
    Ok(())
}
