//! Pages as Markdown.

use entity::ids::PageId;
use openapi::{
    answer::Conditional,
    error::ApiError,
    models::{ContentPage, Dereferencing, ExpressionEvaluation, MarkdownRefs, TextFormat},
};
use poem::{Request, Response, http::StatusCode};
use rich_text::{IdPathResolver, LinkChange, LinkResolver, rewrite_links};
use serde_json::Value;
use web::Targets;

use super::{
    answer,
    content::reader,
    events::{self, Seen},
    not_found::missing,
    site::Site,
    targets::PageTargets,
    tree::{Entry, Tree},
};

use crate::{
    app::App,
    areas::{authoring::reader::PageForm, publishing::published_content::Here},
};

const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Pages of a part of `llms-full.txt`.
const PAGES_PER_PART: usize = 20;

/// Returns whether a program asks for the page as Markdown.
pub fn is_wanted(request: &Request) -> bool {
    let accepted = request.header("accept").unwrap_or_default();
    accepted.contains("text/markdown") && !accepted.contains("text/html")
}

pub async fn answer(
    app: &App,
    request: &Request,
    (site, here): (&Site, &Here),
    (tree, entry): (&Tree, Option<&Entry>),
) -> Result<Response, ApiError> {
    match entry {
        Some(entry) => {
            let text = text_of(app, (site, here), (tree, entry)).await?;
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
pub async fn at(app: &App, site: &Site, here: &Here) -> Result<Option<String>, ApiError> {
    let mut reader = reader(app, site, here).await?;
    let tree = Tree::new(reader.tree().await?, &site.paths(here));
    match tree.at(here) {
        Some(entry) => Ok(Some(text_of(app, (site, here), (&tree, entry)).await?)),
        None => Ok(None),
    }
}

async fn text_of(app: &App, (site, here): (&Site, &Here), (tree, entry): (&Tree, &Entry)) -> Result<String, ApiError> {
    let form = PageForm {
        format: TextFormat::Markdown,
        refs: MarkdownRefs::Relative,
        evaluated: ExpressionEvaluation::True,
        dereferenced: Dereferencing::True,
    };
    let id = entry.id.parse().map_err(|_| ApiError::not_found("page"))?;
    let text = match reader(app, site, here).await?.page(id, form).await? {
        Conditional::Fresh(tagged) => match tagged.body {
            ContentPage::DocumentPage(page) => page.markdown.unwrap_or_default(),
            ContentPage::GroupPage(_) | ContentPage::LinkPage(_) | ContentPage::ComputedPage(_) => String::new(),
        },
        // Texts with evaluated expressions are not kept.
        Conditional::NotModified(_) | Conditional::Written(_) => String::new(),
    };
    let has_ids = ["/files/", "/pages/", "/spaces/"]
        .iter()
        .any(|begin| text.contains(begin));
    match has_ids {
        true => with_addresses(app, (site, here), (tree, id), text).await,
        false => Ok(text),
    }
}

/// The text with addresses in the places of ids, which lead a reader nowhere. Links to pages beside it are relative already.
async fn with_addresses(
    app: &App,
    (site, here): (&Site, &Here),
    (tree, page): (&Tree, PageId),
    text: String,
) -> Result<String, ApiError> {
    let Some(shown) = reader(app, site, here).await?.shown_page(page).await? else {
        return Ok(text);
    };
    let targets = PageTargets::of_links(app, site, tree, here, (&shown.files, shown.elsewhere));
    let mut change = |target: &str, role| {
        let reference = IdPathResolver.parse_target(role, target);
        let href = targets.target(&reference).href.filter(|_| target.starts_with('/'));
        href.map_or(LinkChange::Keep, |href| {
            LinkChange::Replace(site.whole(&app.kernel.urls, href.as_str()))
        })
    };
    let computation = app.kernel.work.start(text.len()).await?;
    // A text that addresses make too long stays as it is.
    Ok(computation.run(|| rewrite_links(&text, &mut change)).unwrap_or(text))
}

/// The texts of a part of the pages of a space, with the address of the next part.
pub async fn whole(
    app: &App,
    request: &Request,
    (site, here): (&Site, &Here),
    tree: &Tree,
) -> Result<Response, ApiError> {
    let mut pairs = site.url.query_pairs();
    let part = pairs.find_map(|(name, value)| (name == "page").then(|| value.parse().ok()).flatten());
    let part: usize = part.unwrap_or(1).max(1);
    let shown: Vec<&Entry> = tree.entries.iter().filter(|entry| entry.is_shown).collect();
    let begin = (part - 1).saturating_mul(PAGES_PER_PART);
    let mut text = String::new();
    for entry in shown.iter().skip(begin).take(PAGES_PER_PART) {
        text.push_str(&text_of(app, (site, here), (tree, entry)).await?);
        text.push_str("\n\n---\n\n");
    }
    if begin.saturating_add(PAGES_PER_PART) < shown.len() {
        let next = site.path_in(here, "llms-full.txt");
        text.push_str(&format!("Next: {}?page={}\n", site.absolute(next.as_str()), part + 1));
    }
    Ok(answer::text(request, StatusCode::OK, MARKDOWN, text))
}
