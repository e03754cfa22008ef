//! Parts of pages and files in the form of the contract.

use std::collections::BTreeMap;

use openapi::models::{ImageDimensions, PageCover, PageLayout, PageLayoutCoverSize, PageLayoutWidth, VariableValue};

use super::{Cover, Layout};

pub fn wire_layout(layout: &Layout) -> PageLayout {
    PageLayout {
        width: if layout.wide {
            PageLayoutWidth::Wide
        } else {
            PageLayoutWidth::Default
        },
        cover: layout.cover,
        cover_size: if layout.full_cover {
            PageLayoutCoverSize::Full
        } else {
            PageLayoutCoverSize::Hero
        },
        title: layout.title,
        description: layout.description,
        table_of_contents: layout.table_of_contents,
        outline: layout.outline,
        pagination: layout.pagination,
        metadata: layout.metadata,
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
