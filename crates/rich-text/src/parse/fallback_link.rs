//! The link between a tag and its closing tag, for readers whose renderer does not know the tag.

use openapi::models::{ContentRef, DocumentBlock, Inline, InlineLink, InlineNode, OpenApiLink};

use crate::nodes::plain_text;

/// Takes a link that belongs to the block of a tag. Words of its own become the text of the block.
pub fn take(block: &mut DocumentBlock, content: &DocumentBlock, target: &str) -> bool {
    let Some(link) = only_link(content) else {
        return false;
    };
    let label = plain_text::of_inlines(&[InlineNode::Inline(link.clone().into())]);
    let label = label.trim();
    let same = match (&link.data.r#ref, &*block) {
        (ContentRef::ContentRefUrl(url), _) => url.url == target,
        (reference, DocumentBlock::BlockContentRef(card)) => *reference == card.data.r#ref,
        _ => true,
    };
    let is_plain = link.data.title.is_none();
    match block {
        DocumentBlock::BlockContentRef(card) if same && is_plain => {
            if label != target && !label.is_empty() {
                card.data.text = Some(label.to_owned());
            }
            true
        }
        _ if same && is_plain && target.contains(label) => true,
        _ => match specification_link(block) {
            Some(place) if is_plain && place.is_none() => {
                let url = match &link.data.r#ref {
                    ContentRef::ContentRefUrl(url) => url.url.clone(),
                    _ => target.to_owned(),
                };
                *place = Some(OpenApiLink {
                    text: label.to_owned(),
                    url,
                });
                true
            }
            _ => false,
        },
    }
}

fn specification_link(block: &mut DocumentBlock) -> Option<&mut Option<OpenApiLink>> {
    match block {
        DocumentBlock::BlockSwagger(it) => Some(&mut it.data.link),
        DocumentBlock::BlockOpenApiOperation(it) => Some(&mut it.data.link),
        DocumentBlock::BlockOpenApiSchemas(it) => Some(&mut it.data.link),
        DocumentBlock::BlockOpenApiWebhook(it) => Some(&mut it.data.link),
        _ => None,
    }
}

fn only_link(block: &DocumentBlock) -> Option<&InlineLink> {
    let DocumentBlock::BlockParagraph(paragraph) = block else {
        return None;
    };
    match paragraph.nodes.as_deref() {
        Some([InlineNode::Inline(Inline::InlineLink(link))]) => Some(link),
        _ => None,
    }
}
