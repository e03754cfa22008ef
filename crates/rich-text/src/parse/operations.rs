//! Parts of OpenAPI specifications.

use openapi::models::{
    BlockOpenApiOperation, BlockOpenApiOperationData, BlockOpenApiSchemas, BlockOpenApiSchemasData,
    BlockOpenApiWebhook, BlockOpenApiWebhookData, BlockSwagger, BlockSwaggerData, ContentRef, ContentRefOpenApi,
    DocumentBlock,
};

use super::Reader;
use crate::{
    nodes::unions::Whole as _,
    references::{Role, media},
    syntax::attributes::Attributes,
};

/// What the contract allows.
const PATH: usize = 2048;
const METHOD: usize = 16;
const NAME: usize = 320;
const SCHEMAS: usize = 1000;

impl Reader<'_, '_> {
    /// The block of a tag and the target that a link after it may repeat.
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
        let (path, method) = pointer(attributes)?;
        let expanded = attributes.take_flag("expanded");
        let full_width = attributes.take_flag("fullWidth");
        let reference = media(self.reference(Role::Media, &target)?)?;
        let block = BlockSwagger {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockSwaggerData {
                path,
                method,
                r#ref: reference,
                expanded,
                full_width,
            },
            meta: None,
        };
        Some((block.whole(), target))
    }

    fn openapi_operation(&mut self, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        let target = attributes.take("spec")?;
        let (path, method) = pointer(attributes)?;
        let reference = self.specification(&target)?;
        let block = BlockOpenApiOperation {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockOpenApiOperationData {
                path,
                method,
                r#ref: reference,
            },
            meta: None,
        };
        Some((block.whole(), target))
    }

    fn openapi_schemas(&mut self, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        let target = attributes.take("spec")?;
        let schemas = attributes.take_as("schemas", names)?;
        let grouped = attributes.take_flag("grouped").unwrap_or(true);
        let reference = self.specification(&target)?;
        let block = BlockOpenApiSchemas {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockOpenApiSchemasData {
                grouped,
                schemas,
                r#ref: reference,
            },
            meta: None,
        };
        Some((block.whole(), target))
    }

    fn openapi_webhook(&mut self, attributes: &mut Attributes) -> Option<(DocumentBlock, String)> {
        let target = attributes.take("spec")?;
        let name = attributes.take_short("name", NAME)?;
        let method = attributes.take_short("method", METHOD)?;
        let reference = self.specification(&target)?;
        let block = BlockOpenApiWebhook {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockOpenApiWebhookData {
                name,
                method,
                r#ref: reference,
            },
            meta: None,
        };
        Some((block.whole(), target))
    }

    fn specification(&mut self, target: &str) -> Option<ContentRefOpenApi> {
        match self.reference(Role::Specification, target)? {
            ContentRef::ContentRefOpenApi(reference) => Some(reference),
            _ => None,
        }
    }
}

fn pointer(attributes: &mut Attributes) -> Option<(String, String)> {
    Some((
        attributes.take_short("path", PATH)?,
        attributes.take_short("method", METHOD)?,
    ))
}

/// Names, separated by commas.
fn names(list: &str) -> Option<Vec<String>> {
    let names: Vec<String> = match list.is_empty() {
        true => Vec::new(),
        false => list.split(',').map(str::to_owned).collect(),
    };
    (names.len() <= SCHEMAS && names.iter().all(|name| name.chars().count() <= NAME)).then_some(names)
}
