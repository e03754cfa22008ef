//! Pages of spaces.

use std::sync::Arc;

use openapi::{
    error::ApiError,
    models::{ContentRefMedia, DocumentPage, PageLayoutWidth, PublishedContentSite},
};
use poem::{
    Request, Response,
    http::{StatusCode, header},
};
use serde_json::{Value, json};
use web::{Body, Content, Cover, Href, Icon, Page};

use super::{
    answer::{self, HTML, redirect},
    content::{self, Made},
    events::{self, Seen},
    feed, frame, languages, lists, markdown,
    not_found::{Around, missing},
    pdf, picture,
    rendered::{self, Kept, Rendered},
    site::Site,
    targets::PageTargets,
    tree::{Entry, Tree, emoji},
};

use crate::{
    app::App,
    areas::{
        authoring::reader::RevisionReader,
        publishing::published_content::{self, Here},
    },
};

/// Answers with a page of a space, or with a list of its pages.
pub async fn answer(app: &App, kept: &Kept, request: &Request, site: &Site, here: Here) -> Result<Response, ApiError> {
    let mut reader = content::reader(app, site, &here).await?;
    let profile = published_content::profile(&app.publishing, &site.access()).await?;
    if frame::settings(&profile, &here)
        .git
        .as_ref()
        .is_some_and(|git| git.show_edit_link)
    {
        reader = reader.with_edit_links().await?;
    }
    if let Some(to) = languages::preferred(request, site, &here, &profile) {
        return redirect(&to);
    }
    let key = match markdown::is_wanted(request) {
        true => None,
        false => rendered::key(site, &here, &profile, &mut reader).await?,
    };
    if let Some(page) = key.as_ref().and_then(|key| kept.pages.get(key)) {
        return Ok(send(app, request, (site, &here), &page));
    }
    let tree = Tree::new(reader.tree().await?, &site.paths(&here));
    match here.rest.as_str() {
        "sitemap-pages.xml" => return Ok(lists::sitemap(request, site, &tree)),
        "llms.txt" => {
            note_list(app, request, (site, &here), "standard");
            return Ok(lists::llms(request, site, &tree, &here));
        }
        "llms-full.txt" => {
            note_list(app, request, (site, &here), "full");
            return markdown::whole(app, request, (site, &here), &tree).await;
        }
        _ => {}
    }
    if let Some(entry) = tree.at(&here) {
        return match markdown::is_wanted(request) {
            true => markdown::answer(app, request, (site, &here), (&tree, Some(entry))).await,
            false => {
                let Some((page, is_lasting)) =
                    render_page(app, (site, &here), &profile, (&tree, entry), reader).await?
                else {
                    return missing(app, request, site, None).await;
                };
                let page = Arc::new(page);
                if let Some(key) = key.filter(|_| is_lasting) {
                    kept.pages.insert(key, Arc::clone(&page));
                }
                Ok(send(app, request, (site, &here), &page))
            }
        };
    }
    if let Some(path) = here.rest.strip_suffix(".md") {
        return markdown::answer(app, request, (site, &here), (&tree, tree.by_path(path))).await;
    }
    if let Some(path) = here.rest.strip_suffix(".pdf") {
        return pdf::answer(app, request, (site, &here), &profile, (&tree, path)).await;
    }
    if let Some(path) = here.rest.strip_suffix(".png") {
        return picture::answer(app, &kept.pictures, request, (site, &here), &profile, (&tree, path)).await;
    }
    if let Some(entry) = feed::page_of(&tree, &here) {
        return feed::answer(app, request, (site, &here), &profile, (&tree, entry)).await;
    }
    match tree.by_path(&here.rest) {
        // The path of a group leads to its first page.
        Some(entry) => redirect(entry.href.as_str()),
        None => {
            let frame = frame::make(site, &here, &profile, (&tree, ""));
            let around = Around {
                frame: &frame,
                tree: &tree,
            };
            missing(app, request, site, Some(around)).await
        }
    }
}

fn note_list(app: &App, request: &Request, (site, here): (&Site, &Here), variant: &str) {
    let seen = Seen {
        kind: "llms_request",
        context: "server",
        here: Some(here),
        page: None,
        members: json!({ "llmsVariant": variant }),
    };
    events::note(app, request, site, seen);
}

/// Renders a page. Returns it with whether what it is made from is all in its key. `None`: the reader does not see it.
async fn render_page(
    app: &App,
    (site, here): (&Site, &Here),
    profile: &PublishedContentSite,
    (tree, entry): (&Tree, &Entry),
    mut reader: RevisionReader<'_>,
) -> Result<Option<(Rendered, bool)>, ApiError> {
    let edit = match entry.id.parse() {
        Ok(id) => reader.edit_url(id).await?,
        Err(_) => None,
    };
    let frame = frame::make(site, here, profile, (tree, &entry.id));
    let Some(made) = content::make(app, (site, here), (tree, entry), frame.words, reader).await? else {
        return Ok(None);
    };
    let Made {
        page,
        content,
        targets,
        is_lasting,
    } = made;
    let policy = answer::policy("connect-src", &content.connects);
    let mut body = described(&page, &targets, content);
    (body.previous, body.next) = tree.neighbours(&entry.id);
    body.breadcrumbs = entry.above.clone();
    let is_home = tree.home(here).is_some_and(|home| home.id == entry.id);
    let canonical = if is_home {
        site.path_in(here, "")
    } else {
        entry.href.clone()
    };
    body.canonical = Some(site.absolute(canonical.as_str()));
    body.markdown = Some(site.path_in(here, &format!("{}.md", page.path)));
    let settings = frame::settings(profile, here);
    body.shows_markdown = settings.page_actions.markdown == Some(true);
    body.edit = edit.as_deref().and_then(Href::link);
    if !body.content.updates.is_empty() {
        body.feed = Some(site.path_in(here, &format!("{}/{}", page.path, feed::NAME)));
    }
    if pdf::is_offered(app, site, settings) {
        body.pdf = Some(site.path_in(here, &format!("{}.pdf", page.path)));
        body.book = Some(site.path_in(here, pdf::BOOK));
    }
    body.picture = picture::address(app, (site, here), settings, &page.path);
    body.is_listed = entry.is_listed && site.visit.visit.preview_of.is_none();
    let html = frame.page(&Body::Page(&body));
    let rendered = Rendered {
        tag: answer::tag_of(&html),
        html: html.into(),
        compressed: Arc::default(),
        policy,
        page: entry.id.clone(),
        href: entry.href.clone(),
    };
    Ok(Some((rendered, is_lasting)))
}

/// Counts a view, and answers with the page.
fn send(app: &App, request: &Request, (site, here): (&Site, &Here), page: &Rendered) -> Response {
    let seen = Seen {
        kind: "page_view",
        context: "site",
        here: Some(here),
        page: Some((&page.page, &page.href)),
        members: Value::Null,
    };
    events::note(app, request, site, seen);
    let mut response = answer::tagged(request, (StatusCode::OK, HTML), &page.tag, page.html.clone());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, page.policy.clone());
    response.extensions_mut().insert(Arc::clone(&page.compressed));
    response
}

fn described(page: &DocumentPage, targets: &PageTargets<'_>, content: Content) -> Page {
    let layout = &page.layout;
    Page {
        title: page.title.clone(),
        emoji: page.emoji.as_deref().and_then(emoji),
        icon: page.icon.as_deref().and_then(Icon::named),
        description: page.description.clone().filter(|text| !text.trim().is_empty()),
        content,
        cover: cover(page, targets),
        updated: page
            .updated_at
            .as_ref()
            .map(|time| time.to_string().chars().take(10).collect()),
        tags: if layout.tags {
            page.tags.iter().map(|tag| tag.tag.tag.clone()).collect()
        } else {
            Vec::new()
        },
        is_wide: layout.width == PageLayoutWidth::Wide,
        shows_title: layout.title,
        shows_description: layout.description,
        shows_outline: layout.outline,
        shows_contents: layout.table_of_contents,
        shows_pagination: layout.pagination,
        ..Page::default()
    }
}

fn cover(page: &DocumentPage, targets: &PageTargets<'_>) -> Option<Cover> {
    let cover = page.cover.as_ref().filter(|_| page.layout.cover)?;
    let image = |reference: &ContentRefMedia| match reference {
        ContentRefMedia::ContentRefFile(file) => Some(targets.files.get(&file.file)?.href.clone()),
        ContentRefMedia::ContentRefUrl(url) => Href::image(&url.url),
    };
    Some(Cover {
        light: cover.r#ref.as_ref().and_then(image)?,
        dark: cover.ref_dark.as_ref().and_then(image),
    })
}
