//! Lists of pages for programs: `sitemap.xml`, `robots.txt` and `llms.txt`.

use entity::publishing::sites::SiteVisibility;
use poem::{Request, Response, http::StatusCode};
use web::Html;

use super::{
    answer,
    site::Site,
    tree::{Entry, Tree},
};

use crate::areas::publishing::{layout::live, published_content::Here};

const TEXT: &str = "text/plain; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";

/// Whether search engines may list the pages of a site.
pub fn is_listed(site: &Site) -> bool {
    site.visit.site.visibility == SiteVisibility::Public && site.visit.visit.preview_of.is_none()
}

pub fn robots(request: &Request, site: &Site) -> Response {
    let text = match is_listed(site) {
        true => format!(
            "User-agent: *\nDisallow: {0}~/{2}\nDisallow: {0}*.pdf$\nSitemap: {1}sitemap.xml\n",
            site.base,
            site.canonical(),
            // Static sites have their files there, too.
            if site.is_static { "search/" } else { "" },
        ),
        false => "User-agent: *\nDisallow: /\n".to_owned(),
    };
    answer::text(request, StatusCode::OK, TEXT, text)
}

/// The sitemaps of all spaces of the site.
pub fn sitemap_index(request: &Request, site: &Site) -> Response {
    let layout = live(&site.layout);
    let items = layout
        .ordered_site_spaces()
        .into_iter()
        .filter(|item| !item.hidden && is_listed(site));
    let addresses = items.map(|item| {
        let path = layout.path_in_site_space(item, "sitemap-pages.xml");
        format!("{}{path}", site.canonical())
    });
    let mut xml = begin();
    xml.markup("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
    for address in addresses {
        xml.markup("<sitemap><loc>");
        xml.text(&address);
        xml.markup("</loc></sitemap>");
    }
    xml.markup("</sitemapindex>\n");
    answer::text(request, StatusCode::OK, XML, xml.as_str().to_owned())
}

/// The pages of a space.
pub fn sitemap(request: &Request, site: &Site, tree: &Tree) -> Response {
    let listed = tree
        .entries
        .iter()
        .filter(|entry| entry.is_listed && entry.is_shown && is_listed(site));
    let mut xml = begin();
    xml.markup("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
    for entry in listed {
        xml.markup("<url><loc>");
        xml.text(&site.absolute(entry.href.as_str()));
        xml.markup("</loc>");
        if let Some(updated) = &entry.updated {
            xml.markup("<lastmod>");
            xml.text(updated);
            xml.markup("</lastmod>");
        }
        xml.markup("</url>");
    }
    xml.markup("</urlset>\n");
    answer::text(request, StatusCode::OK, XML, xml.as_str().to_owned())
}

fn begin() -> Html {
    let mut xml = Html::default();
    xml.markup("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml
}

/// The pages of a space with the addresses of their Markdown.
pub fn llms(request: &Request, site: &Site, tree: &Tree, here: &Here) -> Response {
    let mut text = format!("# {}\n\n", here.title);
    for entry in tree.entries.iter().filter(|entry| entry.is_shown) {
        let indent = "  ".repeat(entry.above.iter().filter(|link| link.href.is_some()).count());
        text.push_str(&format!(
            "{indent}- [{}]({})",
            escaped(&entry.title),
            address(site, here, entry)
        ));
        if let Some(description) = &entry.description {
            text.push_str(&format!(": {}", description.replace('\n', " ")));
        }
        text.push('\n');
    }
    answer::text(request, StatusCode::OK, TEXT, text)
}

fn address(site: &Site, here: &Here, entry: &Entry) -> String {
    site.absolute(site.path_in(here, &format!("{}.md", entry.path)).as_str())
}

fn escaped(title: &str) -> String {
    title
        .replace('\\', "\\\\")
        .replace('[', "\\[")
        .replace(']', "\\]")
        .replace('\n', " ")
}

impl Site {
    /// The canonical address of a path on this host.
    pub fn absolute(&self, path: &str) -> String {
        match path.strip_prefix(&self.base) {
            Some(rest) => format!("{}{rest}", self.canonical()),
            None => path.to_owned(),
        }
    }
}
