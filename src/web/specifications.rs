//! The OpenAPI documents of which a page shows parts.

use std::collections::{BTreeSet, HashMap};

use openapi::{
    error::ApiError,
    models::{ContentRef, Document},
    work::acquire_large,
};
use serde_json::Value;

use super::site::Site;

use crate::{app::App, areas::specifications::openapi_specs::documents};

/// Bytes of a document. Parts of longer ones are shown as cards: each view of the page reads the document.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Documents of one page.
const MAX_DOCUMENTS: usize = 4;

/// Bytes of a document that makes the request a large one.
const LARGE_DOCUMENT: u64 = 64 * 1024;

/// Reads the documents that the blocks of a page name. Returns them with their bytes.
pub async fn load(app: &App, site: &Site, page: &Document) -> Result<(HashMap<String, Value>, usize), ApiError> {
    let names = rich_text::references(&page.nodes)
        .into_iter()
        .filter_map(|reference| match reference {
            ContentRef::ContentRefOpenApi(reference) => Some(reference.spec),
            _ => None,
        });
    let names: BTreeSet<String> = names.collect();
    let (mut found, mut total) = (HashMap::new(), 0_usize);
    for name in names.into_iter().take(MAX_DOCUMENTS) {
        let organization = site.visit.site.organization_id;
        let Some(blob) = documents::latest(&app.kernel, organization, &name).await? else {
            continue;
        };
        if blob.size > MAX_BYTES {
            continue;
        }
        if blob.size > LARGE_DOCUMENT {
            acquire_large().await?;
        }
        let bytes = documents::read(&app.kernel, &blob).await?;
        let parse = move || serde_json::from_slice(&bytes);
        let length = usize::try_from(blob.size).unwrap_or(usize::MAX);
        found.insert(name, app.kernel.work.run(length, parse).await??);
        total = total.saturating_add(length);
    }
    Ok((found, total))
}
