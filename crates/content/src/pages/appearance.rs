//! How a page looks, where it says so.

use openapi::models::ContentRefMedia;
use rich_text::front_matter::{LayoutOptions, PageLayout, Visibility};
use serde::{Deserialize, Serialize};

/// Which parts of a page are shown, and how wide it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    pub wide: bool,
    pub cover: bool,
    /// Takes the whole width of the window.
    pub full_cover: bool,
    pub title: bool,
    pub description: bool,
    pub table_of_contents: bool,
    pub outline: bool,
    pub pagination: bool,
    pub metadata: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            wide: false,
            cover: true,
            full_cover: false,
            title: true,
            description: true,
            table_of_contents: true,
            outline: true,
            pagination: true,
            metadata: true,
        }
    }
}

impl From<&PageLayout> for Layout {
    fn from(written: &PageLayout) -> Self {
        match written {
            PageLayout::Preset(name) => Self::preset(name),
            PageLayout::Options(options) => Self::options(options),
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
            full_cover: options.cover.size.as_deref() == Some("full"),
            title: shown(&options.title),
            description: shown(&options.description),
            table_of_contents: shown(&options.table_of_contents),
            outline: shown(&options.outline),
            pagination: shown(&options.pagination),
            metadata: shown(&options.metadata),
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
