//! New translations.

use std::sync::Arc;

use entity::{
    ids::{NodeId, RevisionId},
    languages::translations::{Model, TranslationStatus},
    library::{
        nodes,
        spaces::{self, Language},
    },
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::{CreateTranslation, TranslationLanguage},
};
use platform::db::{Tx, rows};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{run, store, target};

use crate::{
    access::{Caller, TargetAccess},
    areas::{
        content::Contents,
        library::spaces::{
            copies::{CopiedSettings, ReadyCopy, SpaceCopy},
            new_row,
        },
        organizations::organizations::empty_document,
    },
    kernel::{Kernel, audit::Changed, document_targets, wire::ToStored},
};

/// What a new translation is made of.
#[derive(Clone)]
struct NewTranslation {
    original: nodes::Model,
    source_language: Language,
    language: Language,
    instructions: Value,
    auto_run: bool,
}

pub async fn create(contents: &Contents, access: TargetAccess, body: CreateTranslation) -> Result<Model, ApiError> {
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
    if let Some(instructions) = &instructions {
        document_targets::require_safe("/body/instructions", instructions)?;
    }
    let original = access.node.ok_or_else(|| ApiError::not_found("space"))?;
    let (title, language) = (name(language), language.to_stored());
    require_absent(contents.kernel.db.read(), original.id, language).await?;
    let new = NewTranslation {
        original: original.clone(),
        source_language: source.language.to_stored(),
        language,
        instructions: match instructions {
            Some(instructions) => serde_json::to_value(instructions)?,
            None => empty_document(),
        },
        auto_run,
    };
    let copy = SpaceCopy {
        contents,
        creator: access.member,
        title: Some(title),
        settings: settings(language)?,
        original,
    };
    copy.make(|copy| write(&contents.kernel, &access.caller, new.clone(), copy))
        .await
}

/// `None`: the content of the source has changed since it was read.
async fn write(
    kernel: &Kernel,
    caller: &Caller,
    new: NewTranslation,
    copy: ReadyCopy,
) -> Result<Option<Model>, ApiError> {
    let (id, job, now, author) = (kernel.ids.next(), kernel.ids.next(), kernel.clock.now(), caller.user_id);
    let work = move |tx: Tx| async move {
        require_absent(&tx, new.original.id, new.language).await?;
        let Some(result) = copy.insert(&tx).await? else {
            return Ok(Changed::nothing(None));
        };
        search::index::set_language(&tx, result.id, Some(new.language)).await?;
        let row = Model {
            id,
            organization_id: result.organization_id,
            source_space_id: new.original.id,
            source_language: new.source_language,
            language: new.language,
            result_space_id: result.id,
            instructions: new.instructions,
            status: TranslationStatus::Pending,
            job_id: job,
            run_again: false,
            auto_run: new.auto_run,
            next_run_at: None,
            engine: None,
            problem: None,
            source_revision_id: copy.content.revision(),
            written: serde_json::to_value(copy.content.snapshot())?,
            result_revision_id: copy.revision(),
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
        Changed::of(target(&row), Some(row)).with(json!({ "source": new.original.id, "result": result.id }))
    };
    kernel.write(caller, work).await
}

async fn require_absent(db: &impl ConnectionTrait, source: NodeId, language: Language) -> Result<(), ApiError> {
    if store::exists(db, source, language).await? {
        let message = "The space has a translation into this language already.";
        return Err(ApiError::new(ErrorType::TranslationTaken, message));
    }
    Ok(())
}

/// The settings of the space of the result, with the picture of the source.
fn settings(language: Language) -> Result<Arc<CopiedSettings>, ApiError> {
    let defaults = new_row(NodeId::from_uuid(Uuid::nil()), None, RevisionId::from_uuid(Uuid::nil()))?;
    Ok(Arc::new(move |_, source| spaces::Model {
        emoji: source.emoji,
        icon: source.icon,
        visibility: source.visibility,
        language: Some(language),
        ..defaults.clone()
    }))
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
