//! OpenAPI blocks: operations, schemas and webhooks.

use openapi::models::{
    BlockOpenApiOperationData, BlockOpenApiSchemasData, BlockOpenApiWebhookData, BlockSwagger, BlockSwaggerData,
    ContentRef, ContentRefOpenApi, DocumentBlock,
};

use super::MarkdownParser;
use crate::{
    nodes::builders,
    resolver::{ReferenceRole, into_media},
    syntax::attributes::Attributes,
};

/// DocumentLimits of the contract.
const MAX_PATH_LENGTH: usize = 2048;
const MAX_METHOD_LENGTH: usize = 16;
const MAX_NAME_LENGTH: usize = 320;
const MAX_TITLE_LENGTH: usize = 1000;
const MAX_SCHEMAS: usize = 1000;

impl MarkdownParser<'_, '_> {
    /// Parses a tag. Returns the block and its target, which a link after the tag may repeat.
    pub(super) fn operation(&mut self, name: &str, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        match name {
            "swagger" | "openapi" => self.swagger(attributes),
            "openapi-operation" => self.openapi_operation(attributes),
            "openapi-schemas" => self.openapi_schemas(attributes),
            "openapi-webhook" => self.openapi_webhook(attributes),
            _ => None,
        }
    }

    fn swagger(&mut self, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        let target = attributes.take("src")?;
        let (path, method) = path_and_method(attributes)?;
        let expanded = attributes.take_flag("expanded");
        let full_width = attributes.take_flag("fullWidth");
        let reference = into_media(self.resolve(ReferenceRole::Media, &target)?)?;
        let block = BlockSwagger {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockSwaggerData {
                path,
                method,
                link: None,
                r#ref: reference,
                expanded,
                full_width,
            },
            meta: None,
        };
        Some((block.into(), target))
    }

    fn openapi_operation(&mut self, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        let target = attributes.take("spec")?;
        let (path, method) = path_and_method(attributes)?;
        let headless = attributes.take_flag("headless");
        let reference = self.specification(&target)?;
        let block = builders::openapi_operation(BlockOpenApiOperationData {
            path,
            method,
            link: None,
            r#ref: reference,
            headless,
        });
        Some((block, target))
    }

    fn openapi_schemas(&mut self, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        let target = attributes.take("spec")?;
        let schemas = attributes.take_parsed("schemas", parse_names)?;
        let grouped = attributes.take_flag("grouped").unwrap_or(true);
        let title = attributes.take_bounded("title", MAX_TITLE_LENGTH);
        let reference = self.specification(&target)?;
        let block = builders::openapi_schemas(BlockOpenApiSchemasData {
            grouped,
            schemas,
            title,
            link: None,
            r#ref: reference,
        });
        Some((block, target))
    }

    fn openapi_webhook(&mut self, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        let target = attributes.take("spec")?;
        let name = attributes.take_bounded("name", MAX_NAME_LENGTH)?;
        let method = attributes.take_bounded("method", MAX_METHOD_LENGTH)?;
        let headless = attributes.take_flag("headless");
        let reference = self.specification(&target)?;
        let block = builders::openapi_webhook(BlockOpenApiWebhookData {
            name,
            method,
            link: None,
            r#ref: reference,
            headless,
        });
        Some((block, target))
    }

    fn specification(&mut self, target: &str) -> Option<ContentRefOpenApi> {
        match self.resolve(ReferenceRole::Specification, target)? {
            ContentRef::ContentRefOpenApi(reference) => Some(reference),
            _ => None,
        }
    }
}

fn path_and_method(attributes: &mut Attributes) -> Option<(String, String)> {
    Some((
        attributes.take_bounded("path", MAX_PATH_LENGTH)?,
        attributes.take_bounded("method", MAX_METHOD_LENGTH)?,
    ))
}

/// Parses names separated by commas.
fn parse_names(list: &str) -> Option<Vec<String>> {
    let names: Vec<String> = match list.is_empty() {
        true => Vec::new(),
        false => list.split(',').map(str::to_owned).collect(),
    };
    (names.len() <= MAX_SCHEMAS && names.iter().all(|name| name.chars().count() <= MAX_NAME_LENGTH)).then_some(names)
}
