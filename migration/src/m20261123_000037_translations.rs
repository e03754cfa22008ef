//! Translations of spaces, and the memory of their segments.

use sea_orm_migration::prelude::ForeignKey;

use crate::tables::prelude::*;

tables![translations, translation_segments];

fn translations() -> NewTable {
    let counters = [
        "total_words",
        "total_pages",
        "total_seconds",
        "latest_seconds",
        "latest_pages",
        "latest_words",
    ];
    let table = table("translations")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("source_space_id"))
        .col(string_len("source_language", 8))
        .col(string_len("language", 8))
        .col(uuid("result_space_id"))
        .col(json("instructions"))
        .one_of(string_len("status", 16), &["pending", "running", "completed"])
        .col(uuid("job_id"))
        .one_of(
            string_len_null("engine", 16),
            &["none", "openai", "libretranslate", "deepl"],
        )
        .col(text_null("problem"))
        .col(uuid("source_revision_id"))
        .col(json("written"))
        .col(uuid("result_revision_id"))
        .col(string_len_null("fingerprint", 64))
        .col(integer("runs"));
    let counters = counters
        .into_iter()
        .chain(["latest_untranslated", "latest_glossary_misses"]);
    counters
        .fold(table, |table, name| table.col(big_integer(name)))
        .col(uuid("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["result_space_id"], "spaces", &["id"])
        .foreign_key(
            ForeignKey::create()
                .name("fk_translations_creators")
                .from("translations", "created_by")
                .to("users", "id"),
        )
        .unique_index(&["source_space_id", "language"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
        // Spaces that are purged.
        .index(&["result_space_id"])
}

fn translation_segments() -> NewTable {
    table("translation_segments")
        .col(uuid("organization_id"))
        .col(binary_len("hash", 32))
        .col(text("text"))
        .col(integer("words"))
        .col(boolean("follows_glossary"))
        .col(uuid("job_id"))
        .col(time("created_at"))
        .primary_key(&["organization_id", "hash"])
        .cascading(&["organization_id"], "organizations", &["id"])
        // The words of a run.
        .index(&["organization_id", "job_id"])
        // The words of a day.
        .index(&["organization_id", "created_at"])
}
