//! The settings of a page as front matter.

use openapi::models::{ContentRef, ContentRefMedia};
use rich_text::{FrontMatter, IdPathResolver, LinkResolver, ReferenceRole};

use super::{Cover, Page, PageContent, appearance::usual_height};

/// Returns everything about a page that front matter can say, except the title.
pub fn front_matter(page: &Page) -> FrontMatter {
    let set = |flag: bool| flag.then_some(true);
    let front = FrontMatter {
        description: page.description.clone(),
        icon: page.icon.clone(),
        emoji: page.emoji.clone(),
        hidden: set(page.hidden),
        no_index: set(page.no_index),
        no_robots_index: set(page.no_robots_index),
        condition: page.condition.clone(),
        ..FrontMatter::default()
    };
    let PageContent::Document {
        document: _,
        layout,
        cover,
        variables,
        tags,
        other,
    } = &page.content
    else {
        return front;
    };
    FrontMatter {
        cover: cover.as_ref().and_then(picture),
        cover_y: cover.as_ref().map(|cover| cover.y),
        cover_height: cover
            .as_ref()
            .map(|cover| cover.height)
            .filter(|height| *height != usual_height()),
        layout: layout.clone(),
        tags: Some(tags.clone()).filter(|tags| !tags.is_empty()),
        variables: variables.clone(),
        other: other.clone(),
        ..front
    }
}

fn picture(cover: &Cover) -> Option<String> {
    let reference = match &cover.picture {
        ContentRefMedia::ContentRefFile(file) => ContentRef::ContentRefFile(file.clone()),
        ContentRefMedia::ContentRefUrl(url) => ContentRef::ContentRefUrl(url.clone()),
    };
    IdPathResolver.format_target(ReferenceRole::Media, &reference)
}
