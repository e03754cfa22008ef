//! The texts of computed pages.

use entity::ids::PageId;
use openapi::models::{
    BlockContentRef, BlockContentRefData, BlockOpenApiOperationData, BlockOpenApiSchemasData, BlockOpenApiWebhookData,
    ContentRef, ContentRefOpenApi, ContentRefPage, Document, DocumentBlock, DocumentData,
};
use rich_text::{DocumentLimits, IdPathResolver};
use specifications::{EntryKind, INFO_KEY, Outline, OutlineEntry, OutlineGroup, PageText};

use super::dependency::{Dependency, page_id};

/// Schemas of one block.
const SCHEMAS_PER_BLOCK: usize = 1_000;

/// The Markdown of a text. `seed` is the placeholder of the pages that it links to. `None`: there is no such text.
pub fn markdown(dependency: &Dependency, text: &PageText, seed: PageId) -> Option<String> {
    let outline = &dependency.outline;
    Some(match text {
        PageText::Info(key) if key == INFO_KEY => info(outline),
        PageText::Info(key) => {
            let group = outline.group(key)?;
            joined(&group.description, group.entries.iter().map(|entry| link(entry, seed)))
        }
        PageText::Operations(key) => match outline.entry(key) {
            Some(found) => joined("", [entry(dependency, found)]),
            None => operations(dependency, outline.group(key)?),
        },
        PageText::Models => {
            let schemas = outline.schemas.chunks(SCHEMAS_PER_BLOCK);
            joined("", schemas.map(|names| models(dependency, names)))
        }
    })
}

/// The description of the document, and how many operations readers do not find below it.
fn info(outline: &Outline) -> String {
    described(outline, outline.without_page)
}

/// The description of a document without any page below it.
pub fn info_alone(outline: &Outline) -> String {
    let entries: usize = outline.groups.iter().map(|group| group.entries.len()).sum();
    described(outline, outline.without_page.saturating_add(entries))
}

fn described(outline: &Outline, without_page: usize) -> String {
    if without_page == 0 {
        return outline.description.clone();
    }
    let note = format!(
        "{{% hint style=\"warning\" %}}\nFurther operations and webhooks, which have no page: {without_page}.\n{{% endhint %}}"
    );
    format!("{}\n\n{note}", outline.description).trim_start().to_owned()
}

/// A text with a link to the document below it.
pub fn with_download(markdown: &str, address: &str) -> String {
    let link = format!("[Download the OpenAPI document]({address})");
    format!("{markdown}\n\n{link}").trim_start().to_owned()
}

fn operations(dependency: &Dependency, group: &OutlineGroup) -> String {
    let entries = group.entries.iter().map(|found| entry(dependency, found));
    joined(&group.description, entries)
}

/// A description with blocks below it. A block that Markdown cannot express is left out.
fn joined(description: &str, blocks: impl IntoIterator<Item = DocumentBlock>) -> String {
    let blocks = blocks.into_iter().filter_map(|block| {
        let document = Document {
            object: Default::default(),
            data: DocumentData {
                schema_version: None,
                additional: Default::default(),
            },
            nodes: vec![block],
            meta: None,
        };
        rich_text::render_with(&document, &DocumentLimits::default(), &IdPathResolver).ok()
    });
    let description = (!description.is_empty()).then(|| description.to_owned());
    let parts: Vec<String> = description.into_iter().chain(blocks).collect();
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    parts.join("\n\n")
}

/// The specification by its slug, by which renderers ask for its content.
fn reference(dependency: &Dependency) -> ContentRefOpenApi {
    let slug = dependency.specification.as_ref().map(|found| found.slug.clone());
    ContentRefOpenApi {
        kind: Default::default(),
        spec: slug.unwrap_or_else(|| dependency.wanted.reference.clone()),
    }
}

fn entry(dependency: &Dependency, entry: &OutlineEntry) -> DocumentBlock {
    let (path, method, r#ref) = (entry.path.clone(), entry.method.clone(), reference(dependency));
    match entry.kind {
        EntryKind::Operation => rich_text::openapi_operation(BlockOpenApiOperationData {
            path,
            method,
            link: None,
            r#ref,
            headless: None,
        }),
        EntryKind::Webhook => rich_text::openapi_webhook(BlockOpenApiWebhookData {
            name: path,
            method,
            link: None,
            r#ref,
            headless: None,
        }),
    }
}

fn models(dependency: &Dependency, schemas: &[String]) -> DocumentBlock {
    rich_text::openapi_schemas(BlockOpenApiSchemasData {
        grouped: true,
        schemas: schemas.to_vec(),
        title: None,
        link: None,
        r#ref: reference(dependency),
    })
}

/// A link to the page of an operation or a webhook.
fn link(entry: &OutlineEntry, seed: PageId) -> DocumentBlock {
    DocumentBlock::from(BlockContentRef {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: BlockContentRefData {
            r#ref: ContentRef::ContentRefPage(ContentRefPage {
                kind: Default::default(),
                page: page_id(seed, &entry.key()).to_string(),
                space: None,
            }),
            text: None,
        },
    })
}
