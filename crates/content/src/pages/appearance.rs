//! How a page looks, where it says so.

use openapi::models::{ContentRefMedia, PageLayoutCoverMask as CoverMask, PageLayoutCoverSize as CoverSize};
use rich_text::front_matter::{LayoutOptions, PageLayout, Visibility};
use serde::{Deserialize, Serialize};

/// Which parts of a page are shown, and how wide it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub wide: bool,
    pub cover: bool,
    pub cover_size: CoverSize,
    pub cover_mask: CoverMask,
    pub title: bool,
    pub description: bool,
    pub table_of_contents: bool,
    pub outline: bool,
    pub pagination: bool,
    pub metadata: bool,
    pub tags: bool,
    pub actions: bool,
    pub anchors: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            wide: false,
            cover: true,
            cover_size: CoverSize::Hero,
            cover_mask: CoverMask::None,
            title: true,
            description: true,
            table_of_contents: true,
            outline: true,
            pagination: true,
            metadata: true,
            tags: true,
            actions: true,
            anchors: true,
        }
    }
}

impl From<Option<&PageLayout>> for Layout {
    fn from(written: Option<&PageLayout>) -> Self {
        match written {
            Some(PageLayout::Preset(name)) => Self::preset(name),
            Some(PageLayout::Options(options)) => Self::options(options),
            None => Self::default(),
        }
    }
}

impl Layout {
    /// A name that nobody knows is the usual layout.
    fn preset(name: &str) -> Self {
        let plain = Self {
            table_of_contents: false,
            pagination: false,
            ..Self::default()
        };
        match name {
            "editorial" => plain,
            "landing" => Self {
                wide: true,
                title: false,
                description: false,
                outline: false,
                metadata: false,
                ..plain
            },
            _ => Self::default(),
        }
    }

    fn options(options: &LayoutOptions) -> Self {
        let shown = |part: &Visibility| part.visible.unwrap_or(true);
        Self {
            wide: options.width.as_deref() == Some("wide"),
            cover: shown(&options.cover),
            cover_size: match options.cover.size.as_deref() {
                Some("full") => CoverSize::Full,
                Some("background") => CoverSize::Background,
                _ => CoverSize::Hero,
            },
            cover_mask: match options.cover.mask.as_deref() {
                Some("radial") => CoverMask::Radial,
                _ => CoverMask::None,
            },
            title: shown(&options.title),
            description: shown(&options.description),
            table_of_contents: shown(&options.table_of_contents),
            outline: shown(&options.outline),
            pagination: shown(&options.pagination),
            metadata: shown(&options.metadata),
            tags: shown(&options.tags),
            actions: shown(&options.actions),
            anchors: shown(&options.anchors),
        }
    }
}

/// The picture above a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cover {
    pub picture: ContentRefMedia,
    /// How far it is moved down, in pixels.
    #[serde(default)]
    pub y: f64,
    /// In pixels.
    #[serde(default = "usual_height")]
    pub height: f64,
}

pub fn usual_height() -> f64 {
    240.0
}
