//! Parts of pages and files in the form of the contract.

use std::collections::BTreeMap;

use openapi::models::{ContentRefTag, ImageDimensions, PageCover, PageLayout, PageLayoutWidth, PageTag, VariableValue};

use rich_text::front_matter::PageTag as WrittenTag;

use super::{Cover, Layout};

pub fn wire_layout(layout: &Layout) -> PageLayout {
    PageLayout {
        width: if layout.wide {
            PageLayoutWidth::Wide
        } else {
            PageLayoutWidth::Default
        },
        cover: layout.cover,
        cover_size: layout.cover_size,
        cover_mask: layout.cover_mask,
        title: layout.title,
        description: layout.description,
        table_of_contents: layout.table_of_contents,
        outline: layout.outline,
        pagination: layout.pagination,
        metadata: layout.metadata,
        tags: layout.tags,
        actions: layout.actions,
        anchors: layout.anchors,
    }
}

pub fn wire_cover(cover: &Cover) -> PageCover {
    PageCover {
        r#ref: Some(cover.picture.clone()),
        ref_dark: None,
        y_pos: cover.y,
        height: cover.height,
    }
}

pub fn wire_tags(tags: &[WrittenTag]) -> Vec<PageTag> {
    let tags = tags.iter().map(|tag| PageTag {
        tag: ContentRefTag {
            kind: Default::default(),
            tag: tag.tag.clone(),
            space: None,
        },
        primary: tag.primary.then_some(true),
    });
    tags.collect()
}

pub fn wire_dimensions((width, height): (u32, u32)) -> ImageDimensions {
    ImageDimensions {
        width: width.into(),
        height: height.into(),
    }
}

pub fn wire_variables(variables: &BTreeMap<String, String>) -> BTreeMap<String, VariableValue> {
    let variables = variables.iter();
    variables
        .map(|(name, value)| (name.clone(), VariableValue::String(value.clone())))
        .collect()
}
