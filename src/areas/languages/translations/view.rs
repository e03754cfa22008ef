//! Wire forms of translations.

use entity::languages::translations::{Model, TranslationEngine, TranslationStatus};
use openapi::{
    error::ApiError,
    models::{
        self, Translation, TranslationPermissions, TranslationResult, TranslationSource, TranslationStats,
        TranslationUrls,
    },
};
use platform::db::count;

use crate::kernel::{
    urls::Urls,
    wire::{ToWire, time, wire_enums},
};

wire_enums! {
    TranslationStatus as models::TranslationStatus { Pending, Running, Completed }
    TranslationEngine as models::TranslationEngine { None, Openai, Libretranslate, Deepl }
}

pub fn translation(urls: &Urls, row: Model, may_edit: bool) -> Result<Translation, ApiError> {
    Ok(Translation {
        object: Default::default(),
        id: row.id.to_string(),
        status: row.status.to_wire(),
        source: TranslationSource {
            space: row.source_space_id.to_string(),
            language: row.source_language.to_wire(),
        },
        language: row.language.to_wire(),
        stats: stats(&row),
        instructions: serde_json::from_value(row.instructions)?,
        result: Some(TranslationResult {
            space: row.result_space_id.to_string(),
            revision: row.result_revision_id.to_string(),
            language: row.language.to_wire(),
        }),
        auto_run: Some(row.auto_run),
        engine: row.engine.map(ToWire::to_wire),
        problem: row.problem,
        created_at: time(row.created_at),
        updated_at: time(row.updated_at),
        permissions: TranslationPermissions {
            view: true,
            edit: may_edit,
        },
        urls: TranslationUrls {
            location: urls.translation(row.organization_id, row.id),
        },
    })
}

fn stats(row: &Model) -> TranslationStats {
    TranslationStats {
        runs: count(row.runs),
        total_words: count(row.total_words),
        total_pages: count(row.total_pages),
        total_duration: count(row.total_seconds),
        latest_run_duration: count(row.latest_seconds),
        latest_pages: count(row.latest_pages),
        latest_words: count(row.latest_words),
        latest_untranslated: Some(count(row.latest_untranslated)),
        latest_glossary_misses: Some(count(row.latest_glossary_misses)),
    }
}
