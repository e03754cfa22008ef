//! The content of pages as HTML.

use openapi::{error::ApiError, models::DocumentPage};
use web::{Content, Words, render};

use super::{
    embeds,
    site::Site,
    specifications,
    targets::PageTargets,
    tree::{Entry, Tree},
};

use crate::{
    app::App,
    areas::{
        authoring::reader::{RevisionReader, ShownPage},
        publishing::published_content::Here,
    },
};

pub async fn reader<'a>(app: &'a App, site: &Site, here: &Here) -> Result<RevisionReader<'a>, ApiError> {
    RevisionReader::open_on_site(&app.authoring, site.reader(), here.space, here.revision).await
}

/// The content of a page as HTML.
pub struct Made<'a> {
    pub page: DocumentPage,
    pub content: Content,
    pub targets: PageTargets<'a>,
    /// Whether all that the content is made from is in the key of the page.
    pub is_lasting: bool,
}

/// Makes the content of a page. `None`: the reader does not see it.
pub async fn make<'a>(
    app: &'a App,
    (site, here): (&'a Site, &Here),
    (tree, entry): (&'a Tree, &Entry),
    words: &'static Words,
    mut reader: RevisionReader<'_>,
) -> Result<Option<Made<'a>>, ApiError> {
    let id = entry.id.parse().map_err(|_| ApiError::not_found("page"))?;
    let Some(shown) = reader.shown_page(id).await? else {
        return Ok(None);
    };
    let ShownPage {
        page,
        document,
        files,
        elsewhere,
        is_of_revision,
    } = shown;
    let is_lasting = is_of_revision && rich_text::embedded(&document.nodes).is_empty();
    let (specifications, specified) = specifications::load(app, site, &document).await?;
    let targets = PageTargets {
        specifications,
        embeds: embeds::titles(app, site, &document).await,
        language: words.language,
        ..PageTargets::of_links(app, site, tree, here, (&files, elsewhere))
    };
    let computation = app
        .kernel
        .work
        .start(rich_text::text_bytes(&document).saturating_add(specified))
        .await?;
    let content = computation.run(|| render(&document.nodes, &targets, words));
    Ok(Some(Made {
        page,
        content,
        targets,
        is_lasting,
    }))
}
