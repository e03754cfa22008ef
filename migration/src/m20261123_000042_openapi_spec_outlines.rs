//! What the pages that are computed from the versions of OpenAPI specifications need to know.

use crate::tables::prelude::*;

tables![outlines];

fn outlines() -> NewTable {
    table("openapi_spec_outlines")
        .col(pk_uuid("version_id"))
        .col(text("outline"))
        .cascading(&["version_id"], "openapi_spec_versions", &["id"])
}
