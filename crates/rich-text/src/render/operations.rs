//! Parts of OpenAPI specifications.

use openapi::models::{
    BlockOpenApiOperation, BlockOpenApiSchemas, BlockOpenApiWebhook, BlockSwagger, ContentRef, ContentRefOpenApi,
};

use super::{Writer, containers::Tag};
use crate::{
    references::{Role, of_media},
    refusal::Refusal,
};

impl Writer<'_, '_> {
    pub(super) fn swagger(&mut self, block: &BlockSwagger) -> Result<(), Refusal> {
        let data = &block.data;
        let target = self.target(Role::Media, &of_media(&data.r#ref))?;
        let tag = Tag::new("swagger")
            .text("src", &target)
            .text("path", &data.path)
            .text("method", &data.method);
        let tag = tag.flag("expanded", data.expanded).flag("fullWidth", data.full_width);
        self.closed("swagger", tag);
        Ok(())
    }

    pub(super) fn openapi_operation(&mut self, block: &BlockOpenApiOperation) -> Result<(), Refusal> {
        let data = &block.data;
        let tag = self.of_specification("openapi-operation", &data.r#ref)?;
        self.closed(
            "openapi-operation",
            tag.text("path", &data.path).text("method", &data.method),
        );
        Ok(())
    }

    pub(super) fn openapi_schemas(&mut self, block: &BlockOpenApiSchemas) -> Result<(), Refusal> {
        let data = &block.data;
        if data.schemas.iter().any(|name| name.contains(',')) {
            return Err(self.refuse("schema-name", "The names of schemas are separated by commas."));
        }
        let tag = self.of_specification("openapi-schemas", &data.r#ref)?;
        let grouped = if data.grouped { "true" } else { "false" };
        self.closed(
            "openapi-schemas",
            tag.text("schemas", &data.schemas.join(",")).text("grouped", grouped),
        );
        Ok(())
    }

    pub(super) fn openapi_webhook(&mut self, block: &BlockOpenApiWebhook) -> Result<(), Refusal> {
        let data = &block.data;
        let tag = self.of_specification("openapi-webhook", &data.r#ref)?;
        self.closed(
            "openapi-webhook",
            tag.text("name", &data.name).text("method", &data.method),
        );
        Ok(())
    }

    fn of_specification(&self, name: &str, reference: &ContentRefOpenApi) -> Result<Tag, Refusal> {
        let target = self.target(Role::Specification, &ContentRef::ContentRefOpenApi(reference.clone()))?;
        Ok(Tag::new(name).text("spec", &target))
    }

    fn closed(&mut self, name: &str, tag: Tag) {
        self.out.tag(&tag.end());
        self.out.tag(&format!("{{% end{name} %}}"));
    }
}
