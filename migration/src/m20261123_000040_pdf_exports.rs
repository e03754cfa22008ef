//! PDFs of spaces, change requests and pages.

use sea_orm_migration::prelude::ForeignKey;

use crate::tables::prelude::*;

tables![pdf_exports];

fn pdf_exports() -> NewTable {
    let mut blob = ForeignKey::create();
    blob.name("fk_pdf_exports_blobs")
        .from("pdf_exports", "hash")
        .to("blobs", "hash");
    table("pdf_exports")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("space_id"))
        .col(binary_len("fingerprint", 32))
        .col(uuid("revision_id"))
        .col(json_null("parameters"))
        .one_of(string_len("state", 16), &["queued", "ready", "failed"])
        .col(binary_len_null("hash", 32))
        .col(text_null("problem"))
        .col(string_len("file_name", 320))
        .col(time("created_at"))
        .col(time("used_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["space_id"], "spaces", &["id"])
        .foreign_key(&mut blob)
        .unique_index(&["space_id", "fingerprint"])
        // The exports of an organization that have not ended.
        .index(&["organization_id", "state"])
        // For finding the exports of a blob.
        .index(&["hash"])
        // Exports that are purged.
        .index(&["state", "used_at"])
}
