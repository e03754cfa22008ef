//! The references of each node type.

use openapi::models::{
    BlockContentRef, BlockDrawing, BlockFile, BlockImage, BlockOpenApiOperation, BlockOpenApiSchemas,
    BlockOpenApiWebhook, BlockReusableContent, BlockSwagger, ContentRef, ContentRefMedia, ContentRefOpenApi,
    InlineButton, InlineImage, InlineLink, InlineMention,
};

use crate::resolver::{ReferenceRole, from_media};

type References = Vec<(ReferenceRole, ContentRef)>;

pub fn of_link(link: &InlineLink) -> References {
    vec![(ReferenceRole::Link, link.data.r#ref.clone())]
}

pub fn of_mention(mention: &InlineMention) -> References {
    vec![(ReferenceRole::Link, mention.data.r#ref.clone())]
}

pub fn of_button(button: &InlineButton) -> References {
    vec![(ReferenceRole::Link, button.data.r#ref.clone())]
}

pub fn of_inline_image(image: &InlineImage) -> References {
    pictures(&image.data.r#ref, image.data.ref_dark.as_ref())
}

pub fn of_image(image: &BlockImage) -> References {
    pictures(&image.data.r#ref, image.data.ref_dark.as_ref())
}

/// An image and its dark variant.
fn pictures(light: &ContentRefMedia, dark: Option<&ContentRefMedia>) -> References {
    let both = std::iter::once(light).chain(dark);
    both.map(|picture| (ReferenceRole::Media, from_media(picture)))
        .collect()
}

pub fn of_file(file: &BlockFile) -> References {
    vec![(ReferenceRole::File, ContentRef::ContentRefFile(file.data.r#ref.clone()))]
}

pub fn of_drawing(drawing: &BlockDrawing) -> References {
    let file = drawing.data.r#ref.iter();
    file.map(|file| (ReferenceRole::File, ContentRef::ContentRefFile(file.clone())))
        .collect()
}

pub fn of_content_ref(block: &BlockContentRef) -> References {
    vec![(ReferenceRole::Link, block.data.r#ref.clone())]
}

pub fn of_reusable_content(block: &BlockReusableContent) -> References {
    let reference = ContentRef::ContentRefReusableContent(block.data.r#ref.clone());
    vec![(ReferenceRole::ReusableContent, reference)]
}

pub fn of_swagger(block: &BlockSwagger) -> References {
    vec![(ReferenceRole::Media, from_media(&block.data.r#ref))]
}

pub fn of_operation(block: &BlockOpenApiOperation) -> References {
    specification(&block.data.r#ref)
}

pub fn of_schemas(block: &BlockOpenApiSchemas) -> References {
    specification(&block.data.r#ref)
}

pub fn of_webhook(block: &BlockOpenApiWebhook) -> References {
    specification(&block.data.r#ref)
}

fn specification(reference: &ContentRefOpenApi) -> References {
    vec![(
        ReferenceRole::Specification,
        ContentRef::ContentRefOpenApi(reference.clone()),
    )]
}
