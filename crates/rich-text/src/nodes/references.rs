//! The references and other addresses of each node type.

use openapi::models::{
    BlockContentRef, BlockDrawing, BlockEmbed, BlockFile, BlockImage, BlockOpenApiOperation, BlockOpenApiSchemas,
    BlockOpenApiWebhook, BlockReusableContent, BlockSwagger, ContentRef, ContentRefMedia, ContentRefOpenApi,
    InlineButton, InlineImage, InlineLink, InlineMention, OpenApiLink,
};

use crate::resolver::{ReferenceRole, from_media};

type References = Vec<(ReferenceRole, ContentRef)>;

type Addresses<'a> = Vec<(ReferenceRole, &'a str)>;

pub fn link_references(link: &InlineLink) -> References {
    vec![(ReferenceRole::Link, link.data.r#ref.clone())]
}

pub fn mention_references(mention: &InlineMention) -> References {
    vec![(ReferenceRole::Link, mention.data.r#ref.clone())]
}

pub fn button_references(button: &InlineButton) -> References {
    // The address of an inactive button is empty.
    let is_active =
        |reference: &&ContentRef| !matches!(reference, ContentRef::ContentRefUrl(url) if url.url.is_empty());
    let reference = button.data.r#ref.iter().filter(is_active);
    reference
        .map(|reference| (ReferenceRole::Link, reference.clone()))
        .collect()
}

pub fn inline_image_references(image: &InlineImage) -> References {
    image_and_dark_variant(&image.data.r#ref, image.data.ref_dark.as_ref())
}

pub fn image_references(image: &BlockImage) -> References {
    image_and_dark_variant(&image.data.r#ref, image.data.ref_dark.as_ref())
}

/// An image and its dark variant.
fn image_and_dark_variant(light: &ContentRefMedia, dark: Option<&ContentRefMedia>) -> References {
    let images = std::iter::once(light).chain(dark);
    images.map(|image| (ReferenceRole::Media, from_media(image))).collect()
}

pub fn file_references(file: &BlockFile) -> References {
    vec![(ReferenceRole::File, ContentRef::ContentRefFile(file.data.r#ref.clone()))]
}

pub fn drawing_references(drawing: &BlockDrawing) -> References {
    let file = drawing.data.r#ref.iter();
    file.map(|file| (ReferenceRole::File, ContentRef::ContentRefFile(file.clone())))
        .collect()
}

pub fn content_ref_references(block: &BlockContentRef) -> References {
    vec![(ReferenceRole::Link, block.data.r#ref.clone())]
}

pub fn reusable_content_references(block: &BlockReusableContent) -> References {
    let reference = ContentRef::ContentRefReusableContent(block.data.r#ref.clone());
    vec![(ReferenceRole::ReusableContent, reference)]
}

pub fn swagger_references(block: &BlockSwagger) -> References {
    vec![(ReferenceRole::Media, from_media(&block.data.r#ref))]
}

pub fn operation_references(block: &BlockOpenApiOperation) -> References {
    specification_reference(&block.data.r#ref)
}

pub fn schemas_references(block: &BlockOpenApiSchemas) -> References {
    specification_reference(&block.data.r#ref)
}

pub fn webhook_references(block: &BlockOpenApiWebhook) -> References {
    specification_reference(&block.data.r#ref)
}

fn specification_reference(reference: &ContentRefOpenApi) -> References {
    vec![(
        ReferenceRole::Specification,
        ContentRef::ContentRefOpenApi(reference.clone()),
    )]
}

pub fn embed_addresses(embed: &BlockEmbed) -> Addresses<'_> {
    vec![(ReferenceRole::Media, embed.data.url.as_str())]
}

pub fn swagger_addresses(block: &BlockSwagger) -> Addresses<'_> {
    link_address(block.data.link.as_ref())
}

pub fn operation_addresses(block: &BlockOpenApiOperation) -> Addresses<'_> {
    link_address(block.data.link.as_ref())
}

pub fn schemas_addresses(block: &BlockOpenApiSchemas) -> Addresses<'_> {
    link_address(block.data.link.as_ref())
}

pub fn webhook_addresses(block: &BlockOpenApiWebhook) -> Addresses<'_> {
    link_address(block.data.link.as_ref())
}

fn link_address(link: Option<&OpenApiLink>) -> Addresses<'_> {
    let link = link.into_iter();
    link.map(|link| (ReferenceRole::Link, link.url.as_str())).collect()
}
