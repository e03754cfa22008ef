//! Pages of spaces.

use std::sync::Arc;

use openapi::{
    answer::Conditional,
    error::ApiError,
    models::{
        ContentPage, ContentRefMedia, Dereferencing, DocumentPage, ExpressionEvaluation, MarkdownRefs, PageLayoutWidth,
        PublishedContentSite, TextFormat,
    },
};
use poem::{Request, Response, http::StatusCode};
use serde_json::{Value, json};
use web::{Body, Content, Cover, Href, Page, render};

use super::{
    answer::{self, HTML, redirect},
    embeds,
    events::{self, Seen},
    frame, lists,
    not_found::{Around, missing},
    rendered::{self, Rendered, RenderedPages},
    site::Site,
    specifications,
    targets::PageTargets,
    tree::{Entry, Tree, emoji},
};

use crate::{
    app::App,
    areas::{
        authoring::reader::{PageForm, RevisionReader, ShownPage},
        publishing::published_content::{self, Here},
    },
};

const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Pages of a part of `llms-full.txt`.
const PAGES_PER_PART: usize = 20;

/// Answers with a page of a space, or with a list of its pages.
pub async fn answer(
    app: &App,
    rendered: &RenderedPages,
    request: &Request,
    site: &Site,
    here: Here,
) -> Result<Response, ApiError> {
    let mut reader = reader(app, site, &here).await?;
    let profile = published_content::profile(&app.publishing, &site.access()).await?;
    let key = match wants_markdown(request) {
        true => None,
        false => rendered::key(site, &here, &profile, &mut reader).await?,
    };
    if let Some(page) = key.as_ref().and_then(|key| rendered.get(key)) {
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
            return whole(app, request, (site, &here), &tree).await;
        }
        _ => {}
    }
    if let Some(path) = here.rest.strip_suffix(".md") {
        return markdown(app, request, (site, &here), tree.by_path(path)).await;
    }
    if let Some(entry) = tree.at(&here) {
        return match wants_markdown(request) {
            true => markdown(app, request, (site, &here), Some(entry)).await,
            false => {
                let Some((page, is_lasting)) =
                    render_page(app, (site, &here), &profile, (&tree, entry), reader).await?
                else {
                    return missing(app, request, site, None).await;
                };
                let page = Arc::new(page);
                if let Some(key) = key.filter(|_| is_lasting) {
                    rendered.insert(key, Arc::clone(&page));
                }
                Ok(send(app, request, (site, &here), &page))
            }
        };
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

async fn reader<'a>(app: &'a App, site: &Site, here: &Here) -> Result<RevisionReader<'a>, ApiError> {
    RevisionReader::open_on_site(&app.authoring, site.reader(), here.space, here.revision).await
}

/// Returns whether a program asks for the page as Markdown.
fn wants_markdown(request: &Request) -> bool {
    let accepted = request.header("accept").unwrap_or_default();
    accepted.contains("text/markdown") && !accepted.contains("text/html")
}

/// Renders a page. Returns it with whether what it is made from is all in its key. `None`: the reader does not see it.
async fn render_page(
    app: &App,
    (site, here): (&Site, &Here),
    profile: &PublishedContentSite,
    (tree, entry): (&Tree, &Entry),
    mut reader: RevisionReader<'_>,
) -> Result<Option<(Rendered, bool)>, ApiError> {
    let id = entry.id.parse().map_err(|_| ApiError::not_found("page"))?;
    let frame = frame::make(site, here, profile, (tree, &entry.id));
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
    let files = files
        .iter()
        .filter_map(|file| Some((file.id.clone(), site.file(file)?)));
    let (specifications, specified) = specifications::load(app, site, &document).await?;
    let targets = PageTargets {
        site,
        tree,
        space: here.space,
        files: files.collect(),
        elsewhere,
        specifications,
        embeds: embeds::titles(app, site, &document).await,
        search: frame.search.clone(),
    };
    let computation = app
        .kernel
        .work
        .start(rich_text::text_bytes(&document).saturating_add(specified))
        .await?;
    let content = computation.run(|| render(&document.nodes, &targets, frame.words));
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
    body.is_listed = entry.is_listed && site.visit.visit.preview_of.is_none();
    let html = frame.page(&Body::Page(&body));
    let rendered = Rendered {
        tag: answer::tag_of(&html),
        html: html.into(),
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
    answer::tagged(request, (StatusCode::OK, HTML), &page.tag, page.html.clone())
}

fn described(page: &DocumentPage, targets: &PageTargets<'_>, content: Content) -> Page {
    let layout = &page.layout;
    Page {
        title: page.title.clone(),
        emoji: page.emoji.as_deref().and_then(emoji),
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

async fn markdown(
    app: &App,
    request: &Request,
    (site, here): (&Site, &Here),
    entry: Option<&Entry>,
) -> Result<Response, ApiError> {
    match entry {
        Some(entry) => {
            let text = markdown_of(app, site, here, entry).await?;
            let seen = Seen {
                kind: "page_markdown_request",
                context: "server",
                here: Some(here),
                page: Some((&entry.id, &entry.href)),
                members: Value::Null,
            };
            events::note(app, request, site, seen);
            Ok(answer::text(request, StatusCode::OK, MARKDOWN, text))
        }
        None => missing(app, request, site, None).await,
    }
}

/// The page at a place as Markdown. `None`: there is no page.
pub async fn markdown_at(app: &App, site: &Site, here: &Here) -> Result<Option<String>, ApiError> {
    let mut reader = reader(app, site, here).await?;
    let tree = Tree::new(reader.tree().await?, &site.paths(here));
    match tree.at(here) {
        Some(entry) => Ok(Some(markdown_of(app, site, here, entry).await?)),
        None => Ok(None),
    }
}

async fn markdown_of(app: &App, site: &Site, here: &Here, entry: &Entry) -> Result<String, ApiError> {
    let form = PageForm {
        format: TextFormat::Markdown,
        refs: MarkdownRefs::Relative,
        evaluated: ExpressionEvaluation::True,
        dereferenced: Dereferencing::True,
    };
    let id = entry.id.parse().map_err(|_| ApiError::not_found("page"))?;
    Ok(match reader(app, site, here).await?.page(id, form).await? {
        Conditional::Fresh(tagged) => match tagged.body {
            ContentPage::DocumentPage(page) => page.markdown.unwrap_or_default(),
            ContentPage::GroupPage(_) | ContentPage::LinkPage(_) | ContentPage::ComputedPage(_) => String::new(),
        },
        // Texts with evaluated expressions are not kept.
        Conditional::NotModified(_) | Conditional::Written(_) => String::new(),
    })
}

/// The texts of a part of the pages of a space, with the address of the next part.
async fn whole(app: &App, request: &Request, (site, here): (&Site, &Here), tree: &Tree) -> Result<Response, ApiError> {
    let mut pairs = site.url.query_pairs();
    let part = pairs.find_map(|(name, value)| (name == "page").then(|| value.parse().ok()).flatten());
    let part: usize = part.unwrap_or(1).max(1);
    let shown: Vec<&Entry> = tree.entries.iter().filter(|entry| entry.is_shown).collect();
    let begin = (part - 1).saturating_mul(PAGES_PER_PART);
    let mut text = String::new();
    for entry in shown.iter().skip(begin).take(PAGES_PER_PART) {
        text.push_str(&markdown_of(app, site, here, entry).await?);
        text.push_str("\n\n---\n\n");
    }
    if begin.saturating_add(PAGES_PER_PART) < shown.len() {
        let next = site.path_in(here, "llms-full.txt");
        text.push_str(&format!("Next: {}?page={}\n", site.absolute(next.as_str()), part + 1));
    }
    Ok(answer::text(request, StatusCode::OK, MARKDOWN, text))
}
