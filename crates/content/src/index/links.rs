//! The index of links. Links belong to a text, so they are stored once for each text that a page has ever had.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use entity::{
    content::page_links::{Column, Entity, LinkRole, Model, linked_space},
    ids::{FileId, NodeId, OpenapiSpecId, PageId, ReusableContentId},
};
use openapi::{
    error::ApiError,
    models::{ContentRef, ContentRefMedia},
    work::WorkLimits,
};
use platform::db::Db;
use rich_text::{DocumentLimits, DocumentLink, IdPathResolver, ReferenceRole};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect, Select,
    sea_query::{ExprTrait, OnConflict},
};
use uuid::Uuid;

use crate::{
    objects::Hash,
    pages::{Change, Page, PageContent},
    reading::read_stored,
};

/// Rows of one statement: SQLite binds at most 32,766 values.
const BATCH_SIZE: usize = 500;
/// Sources of one statement that reads the links of all pages.
const SOURCES_PER_STATEMENT: usize = 5_000;
/// The longest stored key of a block, in characters; generated keys are shorter.
const MAX_NODE_KEY_LENGTH: usize = 128;
/// The most bytes of the stored conditions of a link. Longer ones are read from the text.
const MAX_CONDITIONS_LENGTH: usize = 4 * 1024;

/// A link that is about to be stored.
#[derive(Clone)]
pub struct LinkRow {
    space: NodeId,
    source: Hash,
    page: PageId,
    seq: i32,
    target: Option<(Option<NodeId>, Uuid)>,
    role: LinkRole,
    /// JSON, which takes a fraction of the memory of its values.
    reference: Box<str>,
    node: Option<Box<str>>,
    conditions: Option<Box<str>>,
}

impl LinkRow {
    fn model(&self) -> Result<Model, DbErr> {
        Ok(Model {
            space_id: self.space,
            source: self.source.to_vec(),
            page_id: self.page,
            seq: self.seq,
            target_space: self.target.and_then(|(space, _)| space),
            target_id: self.target.map(|(_, id)| id),
            role: self.role,
            reference: serde_json::from_str(&self.reference).map_err(json_error)?,
            node: self.node.as_deref().map(str::to_owned),
            conditions: self.conditions.as_deref().map(str::to_owned),
        })
    }
}

fn json_error(error: serde_json::Error) -> DbErr {
    DbErr::Json(error.to_string())
}

/// Returns the new links of a changed page outside of its text.
pub fn outside_of_text(space: NodeId, change: &Change<Page>) -> Result<Vec<LinkRow>, DbErr> {
    let Some(after) = &change.after else {
        return Ok(Vec::new());
    };
    let outside = outside(after);
    let Some(source) = source_of(&outside).filter(|source| !kept_sources(change).contains(source)) else {
        return Ok(Vec::new());
    };
    let first = i32::try_from(outside.len()).map_or(i32::MIN, |count| -count);
    let mut rows = SourceRows::new((space, after.id), source, first);
    for (role, reference) in outside {
        rows.add(DocumentLink {
            reference,
            role,
            key: None,
            anchor: None,
            conditions: Arc::default(),
        })?;
    }
    Ok(rows.rows)
}

/// Returns the rows for the links of the new text of a changed page. `None`: they are stored already.
pub fn of_text(space: NodeId, change: &Change<Page>) -> Option<SourceRows> {
    let after = change.after.as_ref()?;
    let source = after
        .document()
        .filter(|source| !kept_sources(change).contains(source))?;
    Some(SourceRows::new((space, after.id), source, 0))
}

fn kept_sources(change: &Change<Page>) -> Vec<Hash> {
    change.before.as_ref().map(sources).unwrap_or_default()
}

/// Stores links.
pub async fn store(tx: &impl ConnectionTrait, rows: &[LinkRow]) -> Result<(), DbErr> {
    for rows in rows.chunks(BATCH_SIZE) {
        insert(tx, rows.iter().map(LinkRow::model).collect::<Result<_, _>>()?).await?;
    }
    Ok(())
}

/// Inserts links in one statement, besides those that are stored already, such as those of an earlier text.
pub(super) async fn insert(tx: &impl ConnectionTrait, rows: Vec<Model>) -> Result<(), DbErr> {
    let rows = rows.into_iter().map(|row| row.into_active_model().reset_all());
    Entity::insert_many(rows)
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .exec_without_returning(tx)
        .await?;
    Ok(())
}

/// Stores links in transactions of `batch` links each.
pub async fn store_ahead(db: &Db, rows: Vec<LinkRow>, batch: usize) -> Result<(), DbErr> {
    for rows in rows.chunks(batch) {
        let stored: Vec<LinkKey> = stored(rows).into_tuple().all(db.read()).await?;
        let stored: HashSet<LinkKey> = stored.into_iter().collect();
        let rows: Vec<LinkRow> = rows.iter().filter(|row| !stored.contains(&key(row))).cloned().collect();
        // A write that is repeated after it was killed keeps nobody waiting for what it stored before.
        if !rows.is_empty() {
            db.write(move |tx| async move { store(&tx, &rows).await }).await?;
        }
    }
    Ok(())
}

/// A link without its space.
type LinkKey = (Vec<u8>, PageId, i32);

fn key(row: &LinkRow) -> LinkKey {
    (row.source.to_vec(), row.page, row.seq)
}

/// Returns the query for those of the links that are stored, by their sources, pages and numbers: for each source the rows from the
/// first to the last of its links. A source may have very many others, which are stored before or after these.
pub fn stored(rows: &[LinkRow]) -> Select<Entity> {
    let of_source = |rows: &[LinkRow]| {
        let sequence = || rows.iter().map(|row| row.seq);
        let first = rows.first()?;
        let condition = Condition::all()
            .add(Column::SpaceId.eq(first.space))
            .add(Column::Source.eq(first.source.to_vec()))
            .add(Column::PageId.eq(first.page))
            .add(Column::Seq.between(sequence().min()?, sequence().max()?));
        Some(condition)
    };
    let by_source = rows.chunk_by(|one, other| (one.source, one.page) == (other.source, other.page));
    Entity::find()
        .select_only()
        .columns([Column::Source, Column::PageId, Column::Seq])
        .filter(by_source.filter_map(of_source).fold(Condition::any(), Condition::add))
}

/// Returns the sources of the links of a page: its text and its references outside of the text.
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
        PageContent::Group | PageContent::Computed { .. } => Vec::new(),
    }
}

/// Returns the hash of references outside of a text, which is their source.
fn source_of(outside: &[(ReferenceRole, ContentRef)]) -> Option<Hash> {
    let references: Vec<&ContentRef> = outside.iter().map(|(_, reference)| reference).collect();
    let bytes = serde_json::to_vec(&references).ok()?;
    (!references.is_empty()).then(|| Hash::of(&bytes))
}

/// The rows of one source, as far as its links have been read. Equal links in one block are one row.
pub struct SourceRows {
    space: NodeId,
    page: PageId,
    source: Hash,
    next: i32,
    /// Digests of the links so far. A tree, because a table that grows takes three times the memory for a moment.
    seen: BTreeSet<Uuid>,
    pub rows: Vec<LinkRow>,
}

impl SourceRows {
    fn new((space, page): (NodeId, PageId), source: Hash, first: i32) -> Self {
        Self {
            space,
            page,
            source,
            next: first,
            seen: BTreeSet::new(),
            rows: Vec::new(),
        }
    }

    pub fn add(&mut self, link: DocumentLink) -> Result<(), DbErr> {
        let seq = self.next;
        self.next += 1;
        let node = link.key.filter(|node| node.chars().count() <= MAX_NODE_KEY_LENGTH);
        let json = serde_json::to_string(&link.reference).map_err(json_error)?;
        let conditions = stored_conditions(&link.conditions)?;
        let content = format!("{:?}\n{node:?}\n{json}\n{conditions:?}", link.role);
        if self.seen.insert(Hash::of(content.as_bytes()).to_uuid()) {
            self.rows.push(LinkRow {
                space: self.space,
                source: self.source,
                page: self.page,
                seq,
                target: target(&link.reference),
                role: stored_role(link.role),
                reference: json.into(),
                node: node.map(Into::into),
                conditions: conditions.map(Into::into),
            });
        }
        Ok(())
    }
}

/// Returns the JSON of conditions. `None`: there are none.
fn stored_conditions(conditions: &[String]) -> Result<Option<String>, DbErr> {
    if conditions.is_empty() {
        return Ok(None);
    }
    let json = serde_json::to_string(conditions).map_err(json_error)?;
    Ok(Some(json).map(|json| match json.len() <= MAX_CONDITIONS_LENGTH {
        true => json,
        false => "[]".to_owned(),
    }))
}

/// The conditions under which readers see a link. `None`: only the text of the page tells them.
pub type LinkConditions = Option<BTreeSet<String>>;

fn conditions_of(stored: Option<String>) -> LinkConditions {
    match stored {
        None => Some(BTreeSet::new()),
        Some(json) => {
            let conditions: BTreeSet<String> = serde_json::from_str(&json).unwrap_or_default();
            Some(conditions).filter(|conditions| !conditions.is_empty())
        }
    }
}

/// Returns the target of a reference: its id, and its space if the reference names one.
fn target(reference: &ContentRef) -> Option<(Option<NodeId>, Uuid)> {
    let (space, id) = match reference {
        ContentRef::ContentRefPage(it) => (&it.space, page_id(&it.page)),
        ContentRef::ContentRefAnchor(it) => (&it.space, it.page.as_deref().and_then(page_id)),
        ContentRef::ContentRefFile(it) => (&it.space, it.file.parse().ok().map(|id: FileId| *id.as_uuid())),
        ContentRef::ContentRefReusableContent(it) => {
            let id = it.reusable_content.parse().ok();
            (&it.space, id.map(|id: ReusableContentId| *id.as_uuid()))
        }
        ContentRef::ContentRefOpenApi(it) => (&None, Some(specification_key(&it.spec))),
        ContentRef::ContentRefUrl(_)
        | ContentRef::ContentRefUser(_)
        | ContentRef::ContentRefCollection(_)
        | ContentRef::ContentRefSpace(_)
        | ContentRef::ContentRefTag(_) => return None,
    };
    let space: Option<NodeId> = match space {
        Some(space) => Some(space.parse().ok()?),
        None => None,
    };
    Some((space, id?))
}

/// The id by which links to an OpenAPI specification are found. `reference` is the id or the slug of the specification.
pub fn specification_key(reference: &str) -> Uuid {
    match reference.parse::<OpenapiSpecId>() {
        Ok(id) => *id.as_uuid(),
        Err(_) => Hash::of(format!("openapi-spec {reference}").as_bytes()).to_uuid(),
    }
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

/// The target of a link in its space, of those that visitors of sites read by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkedTarget {
    /// A page, a file or a reusable content.
    Part(Uuid),
    /// The specification of a block, by its [`specification_key`].
    Specification(Uuid),
}

/// A stored link of a page to a target in its space.
pub struct StoredLink {
    pub source: Hash,
    pub page: PageId,
    pub target: LinkedTarget,
    pub conditions: LinkConditions,
}

/// A source, the page that has it, and the target, the role and the conditions of one of its links.
type TargetRow = (Vec<u8>, PageId, Uuid, LinkRole, Option<String>);

/// Returns the links of these sources to targets in their space.
pub async fn targets(db: &impl ConnectionTrait, space: NodeId, sources: &[Hash]) -> Result<Vec<StoredLink>, DbErr> {
    let mut found = Vec::new();
    for chunk in sources.chunks(SOURCES_PER_STATEMENT) {
        let rows: Vec<TargetRow> = Entity::find()
            .select_only()
            .columns([Column::Source, Column::PageId, Column::TargetId])
            .columns([Column::Role, Column::Conditions])
            .distinct()
            .filter(within(space))
            .filter(Column::Source.is_in(chunk.iter().map(|source| source.to_vec())))
            .into_tuple()
            .all(db)
            .await?;
        for (source, page, id, role, conditions) in rows {
            found.push(StoredLink {
                source: Hash::from_bytes(&source).ok_or_else(damaged)?,
                page,
                target: match role {
                    LinkRole::Specification => LinkedTarget::Specification(id),
                    _ => LinkedTarget::Part(id),
                },
                conditions: conditions_of(conditions),
            });
        }
    }
    Ok(found)
}

/// Links of a space to targets in it.
fn within(space: NodeId) -> Condition {
    let same_space = Condition::any()
        .add(Column::TargetSpace.is_null())
        .add(Column::TargetSpace.eq(space));
    Condition::all()
        .add(Column::SpaceId.eq(space))
        .add(Column::TargetId.is_not_null())
        .add(same_space)
}

/// Returns the pages of a space, with the sources, that have links with conditions to targets in the space, or had them in the
/// past.
pub async fn conditional(db: &impl ConnectionTrait, space: NodeId) -> Result<Vec<(PageId, Hash, Uuid)>, DbErr> {
    let rows: Vec<(PageId, Vec<u8>, Uuid)> = Entity::find()
        .select_only()
        .columns([Column::PageId, Column::Source, Column::TargetId])
        .distinct()
        .filter(within(space))
        .filter(Column::Conditions.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    let rows = rows.into_iter().map(|(page, source, target)| {
        let source = Hash::from_bytes(&source).ok_or_else(damaged)?;
        Ok((page, source, target))
    });
    rows.collect()
}

/// A link of a text: the space of the target, the target, and the conditions.
pub type TextLink = (NodeId, LinkedTarget, BTreeSet<String>);

/// Returns what a text of a space refers to. A text that cannot be read refers to nothing.
pub async fn targets_of_text(work: &WorkLimits, space: NodeId, text: &str) -> Result<Vec<TextLink>, ApiError> {
    let read = |limits: &DocumentLimits| {
        let mut targets = Vec::new();
        let mut add = |link| targets.extend(text_link(space, link));
        rich_text::extract(text, limits, &IdPathResolver, &mut add)?;
        Ok(targets)
    };
    Ok(read_stored(work, text, read).await?.unwrap_or_default())
}

fn text_link(space: NodeId, link: DocumentLink) -> Option<TextLink> {
    let (of, id) = target(&link.reference)?;
    let target = match (link.role, &link.reference) {
        (ReferenceRole::Specification, _) => LinkedTarget::Specification(id),
        (_, ContentRef::ContentRefOpenApi(_)) => return None,
        _ => LinkedTarget::Part(id),
    };
    Some((of.unwrap_or(space), target, link.conditions.iter().cloned().collect()))
}

/// A link of a page of one space to a part of another one.
pub struct LinkElsewhere {
    pub space: NodeId,
    pub page: PageId,
    pub source: Hash,
    pub conditions: LinkConditions,
}

/// Returns the links of pages of these spaces, of which `space` is none, that lead to parts of `space`, or did in the past.
pub async fn links_elsewhere(
    db: &impl ConnectionTrait,
    of: &BTreeSet<NodeId>,
    (space, ids): (NodeId, &HashSet<Uuid>),
    limit: u64,
) -> Result<Vec<LinkElsewhere>, DbErr> {
    let rows: Vec<(NodeId, PageId, Vec<u8>, Option<String>)> = Entity::find()
        .select_only()
        .columns([Column::SpaceId, Column::PageId, Column::Source, Column::Conditions])
        .distinct()
        .filter(Column::SpaceId.is_in(of.iter().copied()))
        .filter(Column::TargetId.is_in(ids.iter().copied()))
        .filter(linked_space().eq(space))
        .limit(limit)
        .into_tuple()
        .all(db)
        .await?;
    let rows = rows.into_iter().map(|(space, page, source, conditions)| {
        Ok(LinkElsewhere {
            space,
            page,
            source: Hash::from_bytes(&source).ok_or_else(damaged)?,
            conditions: conditions_of(conditions),
        })
    });
    rows.collect()
}

fn damaged() -> DbErr {
    DbErr::Custom("a link is damaged".to_owned())
}
