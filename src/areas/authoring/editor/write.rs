//! Writing new revisions of a space.

use std::sync::Arc;

use content::revisions::Revision;
use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    objects::Content,
    pages::Snapshot,
    revisions::Origin,
};
use entity::{
    content::revisions::RevisionKind,
    ids::{NodeId, RevisionId},
    library::spaces::{self, SpaceEditMode},
};
use openapi::{
    answer::Tagged,
    conditional,
    error::{ApiError, ErrorType},
    models::{SpaceContentUpdate, UpdateContent},
};
use platform::db::{Reads, Tx};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};
use serde_json::{Value, json};

use crate::{
    access::SpaceAccess,
    areas::{
        authoring::{
            editor::{self, EditBase, ParsedChanges, uploads::Uploader},
            reader,
        },
        content::{Contents, search_jobs::IndexJobs},
        library::tree::target,
    },
    kernel::{
        audit::{Actor, AuditTarget, Changed},
        hooks::{ContentChange, Hooks},
    },
};

/// Applies changes to the content of a live space.
pub async fn update_content(
    contents: &Contents,
    access: &SpaceAccess,
    if_match: Option<&str>,
    body: UpdateContent,
) -> Result<Tagged<SpaceContentUpdate>, ApiError> {
    let space = access.row.node.id;
    let uploader = Uploader {
        organization: access.row.node.organization_id,
        user: access.caller.user_id,
    };
    let parsed = Arc::new(editor::parse_changes(contents, (space, uploader), body).await?);
    contents
        .write_content(space, async || {
            let head = load_head(contents, space).await?;
            require_match(if_match, head.id)?;
            let before = head.parents.first().copied();
            let origin = match before {
                Some(before) => load_revision(contents, space, before).await?.snapshot,
                None => Snapshot::default(),
            };
            let base = load_base(contents, &head, origin, &parsed).await?;
            let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space);
            let made = editor::apply(
                &contents.kernel.work,
                &mut content,
                &base,
                &parsed,
                contents.kernel.clock.now(),
            )
            .await;
            let made = made?;
            let revision = if made.draft.is_empty() {
                head.id
            } else {
                let origin = Origin::edits(space, vec![head.id], access.caller.user_id);
                let new = NewRevision::by(access, origin);
                match publish_revision(contents, &mut content, &head, made.draft, new).await? {
                    Some(revision) => revision,
                    None => return Ok(None),
                }
            };
            Ok(Some(Tagged {
                tag: reader::tag(revision, "content"),
                body: SpaceContentUpdate {
                    revision: revision.to_string(),
                    changes: editor::affected_pages(&contents.kernel.urls, space, made.affected),
                    inserted_files: editor::inserted_files(&contents.kernel.urls, space, &parsed),
                },
            }))
        })
        .await
}

/// The revision that changes start from, with the other revisions that the changes name.
pub async fn load_base(
    contents: &Contents,
    head: &Arc<Revision>,
    origin: Snapshot,
    parsed: &ParsedChanges,
) -> Result<EditBase, ApiError> {
    let mut named = std::collections::HashMap::new();
    for id in parsed.revisions() {
        // A revision that does not exist is refused when its change is applied.
        if let Some(revision) = contents.state.revision(&contents.kernel.db, head.space, id).await? {
            named.insert(id, revision.snapshot);
        }
    }
    Ok(EditBase {
        snapshot: head.snapshot,
        origin,
        named,
        computed: contents.computed_tree(head).await?,
    })
}

/// Restores an earlier revision of the space.
pub async fn restore(
    contents: &Contents,
    access: &SpaceAccess,
    if_match: Option<&str>,
    restored: RevisionId,
) -> Result<RevisionId, ApiError> {
    let space = access.row.node.id;
    let restored = load_revision(contents, space, restored).await?;
    if restored.change_request.is_some() || restored.kind == RevisionKind::Computed {
        let message = "The revision was never the content of the space. Only such revisions can be restored.";
        return Err(ApiError::new(ErrorType::NotInHistory, message));
    }
    contents
        .write_content(space, async || {
            let head = load_head(contents, space).await?;
            require_match(if_match, head.id)?;
            let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space);
            let draft = Draft::between(&mut content, &head.snapshot, restored.snapshot).await?;
            if draft.is_empty() {
                return Err(ApiError::new(
                    ErrorType::NothingChanges,
                    "The revision has the same content as the current revision.",
                ));
            }
            let origin = Origin {
                kind: RevisionKind::Rollback,
                ..Origin::edits(space, vec![head.id], access.caller.user_id)
            };
            let new = NewRevision::by(access, origin);
            publish_revision(contents, &mut content, &head, draft, new).await
        })
        .await
}

/// A revision that becomes the content of a space, with its audit event.
pub struct NewRevision {
    pub origin: Origin,
    pub search: SearchUpdate,
    pub actor: Actor,
    pub target: AuditTarget,
    /// An object with further details of the audit event.
    pub details: Value,
    /// Only where people may edit the space itself.
    pub directly: bool,
}

impl NewRevision {
    /// A revision by a caller.
    pub fn by(access: &SpaceAccess, origin: Origin) -> Self {
        Self {
            origin,
            search: SearchUpdate::Bounded,
            actor: Actor::from(&access.caller),
            target: target(&access.row.node),
            details: json!({}),
            directly: true,
        }
    }
}

/// Writes a new revision and makes it the content of the space. `None`: the content of the space is no longer `head`, from which
/// the draft was made.
pub async fn publish_revision(
    contents: &Contents,
    content: &mut Content<'_, Reads>,
    head: &Revision,
    mut draft: Draft,
    new: NewRevision,
) -> Result<Option<RevisionId>, ApiError> {
    let NewRevision {
        origin,
        search,
        actor,
        target,
        details: mut payload,
        directly,
    } = new;
    let now = contents.kernel.clock.now();
    // The space that an import makes is not seen before it has its content.
    let is_seen = actor.has_caller();
    let revision = Arc::new(draft.revision(contents.kernel.ids.next(), origin, now));
    let context = (&contents.kernel.db, &contents.kernel.work);
    let index = Box::pin(Index::of(context, content, head.space, &draft.changes, search)).await?;
    let jobs = IndexJobs::of(&contents.kernel, head.space, &index);
    draft.store_ahead(&contents.kernel.db, head.space).await?;
    if let Some(payload) = payload.as_object_mut() {
        payload.insert("revision".to_owned(), json!(revision.id));
    }
    let (expected, new) = (head.id, Arc::clone(&revision));
    let (written, hooks) = (draft.clone(), contents.kernel.hooks.clone());
    let work = move |tx: Tx| async move {
        if !compare_and_set_revision(&tx, &hooks, &new, expected, directly).await? {
            return Ok(Changed::nothing(false));
        }
        draft.store(&tx, &new).await?;
        index.store(&tx).await?;
        jobs.store(&tx).await?;
        let is_there = crate::areas::library::tree::store::set_updated_at(&tx, new.space, now).await?;
        if is_seen && !is_there {
            return Err(ApiError::not_found("space"));
        }
        Changed::of(target, true).with(payload)
    };
    let published = contents.kernel.write(actor, work).await?;
    if published {
        written.keep(&contents.state.objects);
        contents.kernel.jobs.wake();
    }
    Ok(published.then_some(revision.id))
}

/// Puts a revision in the place of the one that is expected to be the content of the space. `directly` only where
/// people may edit the space itself.
pub async fn compare_and_set_revision(
    tx: &Tx,
    hooks: &Hooks,
    new: &Revision,
    expected: RevisionId,
    directly: bool,
) -> Result<bool, DbErr> {
    let space = new.space;
    let mut update = spaces::Entity::update_many()
        .col_expr(spaces::Column::RevisionId, Expr::value(new.id))
        .filter(spaces::Column::Id.eq(space))
        .filter(spaces::Column::RevisionId.eq(expected));
    if directly {
        update = update.filter(spaces::Column::EditMode.eq(SpaceEditMode::Live));
    }
    if update.exec(tx).await?.rows_affected == 0 {
        return Ok(false);
    }
    let change = ContentChange {
        space,
        revision: new.id,
        author: new.author,
    };
    hooks.content_changed(tx, change).await?;
    Ok(true)
}

/// The present content of a space that people edit directly.
pub async fn load_head(contents: &Contents, space: NodeId) -> Result<Arc<Revision>, ApiError> {
    let found = spaces::Entity::find_by_id(space)
        .select_only()
        .columns([spaces::Column::RevisionId, spaces::Column::EditMode])
        .into_tuple::<(RevisionId, SpaceEditMode)>()
        .one(contents.kernel.db.read())
        .await?;
    let (revision, mode) = found.ok_or_else(|| ApiError::not_found("space"))?;
    if mode == SpaceEditMode::Locked {
        let message = "The space is locked. Change its content by a change request.";
        return Err(ApiError::new(ErrorType::Locked, message));
    }
    load_revision(contents, space, revision).await
}

pub async fn load_revision(contents: &Contents, space: NodeId, id: RevisionId) -> Result<Arc<Revision>, ApiError> {
    let found = contents.state.revision(&contents.kernel.db, space, id).await?;
    found.ok_or_else(|| ApiError::not_found("revision"))
}

/// 412 unless the caller knows the content that it changes, where it says so.
pub fn require_match(if_match: Option<&str>, head: RevisionId) -> Result<(), ApiError> {
    let head = head.to_string();
    if conditional::permits(if_match, |name| name.split('.').next() == Some(&head)) {
        return Ok(());
    }
    let message = "The content has changed: `If-Match` does not name the current revision.";
    Err(ApiError::new(ErrorType::ContentChanged, message))
}
