//! Pictures of pages, which other programs show beside links to them.

use std::sync::Arc;

use bytes::Bytes;
use content::cache::ByteCache;
use openapi::{
    error::ApiError,
    models::{PublishedContentSite, SiteCustomizationSettings},
};
use platform::{
    blobs::{self, StoredBlob},
    hash::Hash,
};
use poem::{Request, Response, http::StatusCode};
use tokio::sync::Semaphore;
use web::style::Color;

use super::{
    answer, frame,
    not_found::missing,
    rendered::Picture,
    site::Site,
    tree::{Entry, Tree},
};

use crate::{
    app::App,
    areas::{authoring::pictures::PageCard, publishing::published_content::Here},
};

const PNG: &str = "image/png";

/// Bytes of a logo.
const MAX_LOGO: u64 = 2 * 1024 * 1024;

/// Characters that fit a picture.
const MAX_TITLE: usize = 120;
const MAX_DESCRIPTION: usize = 140;

/// Pictures are made one after the other: each is a process.
static TURN: Semaphore = Semaphore::const_new(1);

/// Requests that wait for a picture, and the seconds after which others may try again.
static WAITING: Semaphore = Semaphore::const_new(16);
const RETRY_AFTER: u32 = 5;

/// The address of the picture of a page. `None`: it has none.
pub fn address(
    app: &App,
    (site, here): (&Site, &Here),
    settings: &SiteCustomizationSettings,
    path: &str,
) -> Option<String> {
    if let Some(url) = &settings.social_preview.url {
        let is_there = !site.is_static || site.own_path(url).is_none();
        return Some(url.clone()).filter(|_| is_there);
    }
    let is_shown = here.content.is_empty() && site.visit.visit.preview_of.is_none() && !site.is_static;
    (is_shown && app.authoring.printer.is_there())
        .then(|| site.absolute(site.path_in(here, &format!("{path}.png")).as_str()))
}

/// Answers with the picture of the page at a path.
pub async fn answer(
    app: &App,
    pictures: &ByteCache<Hash, Picture>,
    request: &Request,
    (site, here): (&Site, &Here),
    profile: &PublishedContentSite,
    (tree, path): (&Tree, &str),
) -> Result<Response, ApiError> {
    let Some(entry) = tree
        .at_path(path)
        .filter(|_| here.content.is_empty() && !site.is_static)
    else {
        return missing(app, request, site, None).await;
    };
    let card = card(app, (site, here), profile, entry).await?;
    let key = card.hash()?;
    let tag = answer::tag_of(&key.to_string());
    let bytes = match tag.is_kept(request.header("if-none-match")) {
        true => Some(Bytes::new()),
        false => drawn(app, pictures, key, card).await?.0.clone(),
    };
    match bytes {
        Some(bytes) => Ok(answer::tagged(request, (StatusCode::OK, PNG), &tag, bytes)),
        None => missing(app, request, site, None).await,
    }
}

async fn drawn(
    app: &App,
    pictures: &ByteCache<Hash, Picture>,
    key: Hash,
    mut card: PageCard,
) -> Result<Arc<Picture>, ApiError> {
    if let Some(picture) = pictures.get(&key) {
        return Ok(picture);
    }
    let Ok(_waiting) = WAITING.try_acquire() else {
        let message = "Too many pictures are being made at present.";
        return Err(ApiError::overloaded(message, RETRY_AFTER));
    };
    let turn = TURN.acquire().await;
    let _turn = turn.map_err(|error| ApiError::internal(error.to_string()))?;
    // Another request may have been faster.
    if let Some(picture) = pictures.get(&key) {
        return Ok(picture);
    }
    let mut png = card.draw(&app.authoring).await?;
    // The logo may take too much.
    if png.is_none() && card.logo.take().is_some() {
        png = card.draw(&app.authoring).await?;
    }
    let picture = Arc::new(Picture(png.map(Bytes::from)));
    pictures.insert(key, Arc::clone(&picture));
    Ok(picture)
}

async fn card(
    app: &App,
    (site, here): (&Site, &Here),
    profile: &PublishedContentSite,
    entry: &Entry,
) -> Result<PageCard, ApiError> {
    let settings = frame::settings(profile, here);
    let color = &settings.styling.primary_color.light;
    let Color(color) = Color::parse(color).unwrap_or(Color([0x80; 3]));
    let logo = settings.header.logo.as_ref().map(|logo| logo.light.as_str());
    Ok(PageCard {
        title: cut(&entry.title, MAX_TITLE),
        description: entry.description.as_ref().map(|text| cut(text, MAX_DESCRIPTION)),
        site: cut(frame::title(profile, settings), MAX_TITLE),
        language: frame::language(here, settings),
        color,
        logo: match logo {
            Some(address) => stored(app, site, address).await?,
            None => None,
        },
    })
}

/// The bytes at an address, if this server has them.
async fn stored(app: &App, site: &Site, address: &str) -> Result<Option<StoredBlob>, ApiError> {
    let urls = &app.kernel.urls;
    let path = site.stored(urls, address).and_then(|path| path.split_once('?'));
    let Some(file) = path.and_then(|(path, query)| urls.files().read(path, Some(query))) else {
        return Ok(None);
    };
    let blob = blobs::find(app.kernel.db.read(), file.space, file.hash).await?;
    Ok(blob.filter(|blob| blob.size <= MAX_LOGO))
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
