//! Translations of spaces, the memory of their segments, and the glossary.

use crate::tables::prelude::*;

const ORGANIZATIONS: &str = "organizations";

const STATUSES: &[&str] = &["pending", "running", "completed"];
const ENGINES: &[&str] = &["none", "openai", "libretranslate", "deepl"];

tables![glossary_entries, translations, translation_segments];

fn glossary_entries() -> NewTable {
    table("glossary_entries")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(json("translations"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
}

fn translations() -> NewTable {
    table("translations")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("source_space_id"))
        .col(string_len("source_language", 8))
        .col(string_len("language", 8))
        .col(uuid("result_space_id"))
        .col(json("instructions"))
        .one_of(string_len("status", 16), STATUSES)
        .col(uuid("job_id"))
        .col(boolean("run_again").default(false).take())
        .col(boolean("auto_run").default(false).take())
        .col(time_null("next_run_at"))
        .one_of(string_len_null("engine", 16), ENGINES)
        .col(text_null("problem"))
        .col(uuid("source_revision_id"))
        .col(json("written"))
        .col(uuid("result_revision_id"))
        .col(string_len_null("fingerprint", 64))
        .col(json_null("incomplete"))
        .col(integer("runs"))
        .col(big_integer("total_words"))
        .col(big_integer("total_pages"))
        .col(big_integer("total_seconds"))
        .col(big_integer("latest_seconds"))
        .col(big_integer("latest_pages"))
        .col(big_integer("latest_words"))
        .col(big_integer("latest_untranslated"))
        .col(big_integer("latest_glossary_misses"))
        .col(uuid("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["result_space_id"], "spaces", &["id"])
        .restricting("created_by", "users", "id")
        .unique_index(&["source_space_id", "language"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
        // Spaces that are purged.
        .index(&["result_space_id"])
        // The runs that are due.
        .index(&["next_run_at"])
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
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        // The words of a run.
        .index(&["organization_id", "job_id"])
        // The words of a day.
        .index(&["organization_id", "created_at"])
}
