//! OpenAPI blocks: operations, schemas and webhooks.

use openapi::error::ErrorRule;
use openapi::models::{
    BlockOpenApiOperation, BlockOpenApiSchemas, BlockOpenApiWebhook, BlockSwagger, ContentRef, ContentRefOpenApi,
    OpenApiLink,
};

use super::{MarkdownRenderer, containers::TagBuilder, inlines::fallback_link};
use crate::{
    error::DocumentError,
    resolver::{ReferenceRole, from_media},
};

impl MarkdownRenderer<'_, '_> {
    pub(super) fn swagger(&mut self, block: &BlockSwagger) -> Result<(), DocumentError> {
        let data = &block.data;
        let target = self.format_target(ReferenceRole::Media, &from_media(&data.r#ref))?;
        let tag = TagBuilder::new("swagger")
            .attribute("src", &target)
            .attribute("path", &data.path)
            .attribute("method", &data.method);
        let tag = tag.flag("expanded", data.expanded).flag("fullWidth", data.full_width);
        self.linked_container("swagger", tag, data.link.as_ref())
    }

    pub(super) fn openapi_operation(&mut self, block: &BlockOpenApiOperation) -> Result<(), DocumentError> {
        let data = &block.data;
        let tag = self.specification_tag("openapi-operation", &data.r#ref)?;
        self.linked_container(
            "openapi-operation",
            tag.attribute("path", &data.path)
                .attribute("method", &data.method)
                .flag("headless", data.headless),
            data.link.as_ref(),
        )
    }

    pub(super) fn openapi_schemas(&mut self, block: &BlockOpenApiSchemas) -> Result<(), DocumentError> {
        let data = &block.data;
        if data.schemas.iter().any(|name| name.contains(',')) {
            return Err(self.error(
                ErrorRule::SchemaName,
                "`data.schemas` contains a name with a comma, which separates the names in Markdown.",
            ));
        }
        let tag = self.specification_tag("openapi-schemas", &data.r#ref)?;
        let grouped = if data.grouped { "true" } else { "false" };
        self.linked_container(
            "openapi-schemas",
            tag.attribute("schemas", &data.schemas.join(","))
                .attribute("grouped", grouped)
                .optional("title", data.title.as_deref()),
            data.link.as_ref(),
        )
    }

    pub(super) fn openapi_webhook(&mut self, block: &BlockOpenApiWebhook) -> Result<(), DocumentError> {
        let data = &block.data;
        let tag = self.specification_tag("openapi-webhook", &data.r#ref)?;
        self.linked_container(
            "openapi-webhook",
            tag.attribute("name", &data.name)
                .attribute("method", &data.method)
                .flag("headless", data.headless),
            data.link.as_ref(),
        )
    }

    fn specification_tag(&self, name: &str, reference: &ContentRefOpenApi) -> Result<TagBuilder, DocumentError> {
        let target = self.format_target(
            ReferenceRole::Specification,
            &ContentRef::ContentRefOpenApi(reference.clone()),
        )?;
        Ok(TagBuilder::new(name).attribute("spec", &target))
    }

    fn linked_container(
        &mut self,
        name: &str,
        tag: TagBuilder,
        link: Option<&OpenApiLink>,
    ) -> Result<(), DocumentError> {
        self.out.tag(&tag.build());
        if let Some(link) = link {
            self.require_safe(ReferenceRole::Link, &link.url)?;
            self.out.lines(&fallback_link(&link.text, &link.url));
        }
        self.out.tag(&format!("{{% end{name} %}}"));
        Ok(())
    }
}
