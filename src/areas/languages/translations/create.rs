//! New translations.

use std::sync::Arc;

use content::{copy::CopySource, revisions::Origin};
use entity::{
    ids::{NodeId, RevisionId},
    nodes::{self, NodeKind},
    spaces::{self, Language},
    translations::{Model, TranslationStatus},
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::{CreateTranslation, TranslationLanguage},
};
use platform::db::{Tx, rows};
use poem::http::StatusCode;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{run, store, target};
use crate::{
    access::{Caller, TargetAccess, node_levels::Member},
    app::{App, audit::Changed, content_writes::retry_stale, wire::ToStored},
    areas::{
        library::{
            spaces::new_row,
            tree::{self, store::NewNode},
        },
        organizations::organizations::empty_document,
    },
};

/// What a new translation is made of.
#[derive(Clone)]
struct NewTranslation {
    node: nodes::Model,
    member: Member,
    source_language: Language,
    language: Language,
    title: &'static str,
    instructions: Value,
    auto_run: bool,
}

pub async fn create(app: &App, access: TargetAccess, body: CreateTranslation) -> Result<Model, ApiError> {
    let CreateTranslation {
        source,
        language,
        instructions,
        auto_run,
    } = body;
    if source.language == language {
        let message = "`language` is the language of the source.";
        return Err(ApiError::invalid_member(
            "/body/language",
            ErrorRule::SameLanguage,
            message,
        ));
    }
    let new = NewTranslation {
        node: access.node.ok_or_else(|| ApiError::not_found("space"))?,
        member: access.member,
        source_language: source.language.to_stored(),
        language: language.to_stored(),
        title: name(language),
        instructions: match instructions {
            Some(instructions) => serde_json::to_value(instructions)?,
            None => empty_document(),
        },
        auto_run,
    };
    let row = retry_stale(async || {
        let content = CopySource::of(app.db.read(), &app.content.objects, new.node.id).await?;
        write(app, &access.caller, new.clone(), Arc::new(content)).await
    })
    .await?;
    app.jobs.wake();
    Ok(row)
}

/// `None`: the content of the source has changed since it was read.
async fn write(
    app: &App,
    caller: &Caller,
    new: NewTranslation,
    content: Arc<CopySource>,
) -> Result<Option<Model>, ApiError> {
    let (result, permission, revision) = (app.ids.next(), app.ids.next(), app.ids.next());
    let (id, job, now, author) = (app.ids.next(), app.ids.next(), app.clock.now(), caller.user_id);
    let work = move |tx: Tx| async move {
        let node = tree::reload(&tx, &new.node).await?;
        if !content.is_current(&tx).await? {
            return Ok(Changed::nothing(None));
        }
        if store::exists(&tx, node.id, new.language).await? {
            let message = "The space has a translation into this language already.";
            return Err(ApiError::new(ErrorType::TranslationTaken, message));
        }
        let required = tree::require_create(&tx, &new.member, node.parent_id).await;
        required.map_err(forbidden)?;
        let place = NewNode {
            id: result,
            kind: NodeKind::Space,
            parent: node.parent_id,
            after: Some(node.id),
            title: new.title.to_owned(),
            default_level: node.default_level,
            now,
            permission,
        };
        tree::store::insert(&tx, &new.member, place).await?;
        insert_space(&tx, node.id, (result, revision), new.language).await?;
        let origin = Origin::edits(result, vec![], author);
        content.copy(&tx, revision, origin, now).await?;
        search::index::set_language(&tx, result, Some(new.language)).await?;
        let row = Model {
            id,
            organization_id: node.organization_id,
            source_space_id: node.id,
            source_language: new.source_language,
            language: new.language,
            result_space_id: result,
            instructions: new.instructions,
            status: TranslationStatus::Pending,
            job_id: job,
            run_again: false,
            auto_run: new.auto_run,
            next_run_at: None,
            engine: None,
            problem: None,
            source_revision_id: content.revision(),
            written: serde_json::to_value(content.snapshot())?,
            result_revision_id: revision,
            fingerprint: None,
            incomplete: None,
            runs: 0,
            total_words: 0,
            total_pages: 0,
            total_seconds: 0,
            latest_seconds: 0,
            latest_pages: 0,
            latest_words: 0,
            latest_untranslated: 0,
            latest_glossary_misses: 0,
            created_by: author,
            created_at: now,
            updated_at: now,
        };
        rows::insert(&tx, &row).await?;
        run::enqueue(&tx, job, &row, now).await?;
        Changed::of(target(&row), Some(row)).with(json!({ "source": node.id, "result": result }))
    };
    app.write(caller, work).await
}

/// The space of the result, with the picture of the source.
async fn insert_space(
    tx: &Tx,
    source: NodeId,
    (result, revision): (NodeId, RevisionId),
    language: Language,
) -> Result<(), ApiError> {
    let source = spaces::Entity::find_by_id(source).one(tx).await?;
    let source = source.ok_or_else(|| ApiError::not_found("space"))?;
    let space = spaces::Model {
        emoji: source.emoji,
        icon: source.icon,
        visibility: source.visibility,
        language: Some(language),
        ..new_row(result, None, revision)?
    };
    rows::insert(tx, &space).await?;
    Ok(())
}

/// 403 instead of 404 for a collection that the member does not see: they see the space in it.
fn forbidden(error: ApiError) -> ApiError {
    if error.status() == StatusCode::NOT_FOUND {
        return ApiError::forbidden("This needs the level create on the collection of the space.");
    }
    error
}

/// The English name of a language.
fn name(language: TranslationLanguage) -> &'static str {
    match language {
        TranslationLanguage::En => "English",
        TranslationLanguage::Fr => "French",
        TranslationLanguage::De => "German",
        TranslationLanguage::Es => "Spanish",
        TranslationLanguage::It => "Italian",
        TranslationLanguage::Pt => "Portuguese",
        TranslationLanguage::PtBr => "Brazilian Portuguese",
        TranslationLanguage::Ru => "Russian",
        TranslationLanguage::Ja => "Japanese",
        TranslationLanguage::Zh => "Chinese",
        TranslationLanguage::ZhTw => "Traditional Chinese",
        TranslationLanguage::Yue => "Cantonese",
        TranslationLanguage::Ko => "Korean",
        TranslationLanguage::Ar => "Arabic",
        TranslationLanguage::Hi => "Hindi",
        TranslationLanguage::Nl => "Dutch",
        TranslationLanguage::Pl => "Polish",
        TranslationLanguage::Tr => "Turkish",
        TranslationLanguage::Sv => "Swedish",
        TranslationLanguage::No => "Norwegian",
        TranslationLanguage::Da => "Danish",
        TranslationLanguage::Fi => "Finnish",
        TranslationLanguage::El => "Greek",
        TranslationLanguage::Cs => "Czech",
        TranslationLanguage::Hu => "Hungarian",
        TranslationLanguage::Ro => "Romanian",
        TranslationLanguage::Th => "Thai",
        TranslationLanguage::Vi => "Vietnamese",
        TranslationLanguage::Id => "Indonesian",
        TranslationLanguage::Ms => "Malay",
        TranslationLanguage::He => "Hebrew",
        TranslationLanguage::Uk => "Ukrainian",
        TranslationLanguage::Sk => "Slovak",
        TranslationLanguage::Bg => "Bulgarian",
        TranslationLanguage::Hr => "Croatian",
        TranslationLanguage::Lt => "Lithuanian",
        TranslationLanguage::Lv => "Latvian",
        TranslationLanguage::Et => "Estonian",
        TranslationLanguage::Sl => "Slovenian",
    }
}
