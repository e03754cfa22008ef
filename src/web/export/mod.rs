//! A site as files for any web server: the answers of the server are kept, and the addresses in them become relative paths.

mod files;
mod index;
mod links;

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    path::Path,
};

use anyhow::{Context, bail, ensure};
use entity::{
    ids::SiteId,
    publishing::sites::{self, SiteVisibility},
};
use poem::{Request, Response, http::StatusCode};
use sea_orm::EntityTrait;
use url::Url;
use web::{bare_not_found, map_addresses, map_beginning, map_style_addresses, words};

pub use self::files::Folder;
use self::{
    files::{NOT_FOUND, page_file, plain_file},
    index::Searched,
    links::{Found, Place},
};
pub use super::frame::INDEX as SEARCH_INDEX;
use super::{
    answer::HTML,
    content,
    feed::NAME as FEED,
    frame::INDEX,
    rendered::Kept,
    route,
    site::{self, Opened, Site},
    tree::{Tree, encoded},
};

use crate::{app::App, areas::publishing::published_content::Located};

/// A path at which no site has a page.
const NOWHERE: &str = "~/404";

/// A public site that is to be written.
pub struct Export<'a> {
    app: &'a App,
    site: Site,
    kept: Kept,
    /// The places to which addresses lead. A place that was not asked for yet is missing.
    found: HashMap<Place, Found>,
    waiting: VecDeque<Place>,
    /// The written files with addresses of the server.
    linked: Vec<String>,
    searched: Vec<Searched>,
}

/// What was written.
pub struct Exported {
    pub pages: usize,
    pub files: usize,
}

impl<'a> Export<'a> {
    /// Opens a site as a visitor of whom nothing is known. `url`: where readers will find the files, if not at the address of the site.
    pub async fn open(app: &'a App, id: SiteId, url: Option<&Url>) -> anyhow::Result<Self> {
        let found = sites::Entity::find_by_id(id).one(app.kernel.db.read()).await?;
        let row = found.with_context(|| format!("no site has the id {id}"))?;
        ensure!(row.published, "the site is not published; publish it first");
        ensure!(
            row.visibility == SiteVisibility::Public,
            "the site is not public: files have no sign-in and no share links"
        );
        ensure!(
            !row.adaptive_content,
            "the site has adaptive content: files are the same for all visitors"
        );
        let address = Url::parse(&app.kernel.urls.sites().of(&row.basename))?;
        let opened = site::open(app, &anonymous(), &address).await?;
        let Some(Opened::Site(site)) = opened else {
            bail!("the site does not open at {address}");
        };
        let mut site = *site;
        site.is_static = true;
        if let Some(url) = url {
            site.address.canonical = format!("{}/", url.as_str().trim_end_matches('/'));
        }
        site.base = Url::parse(&site.address.canonical)?.path().to_owned();
        Ok(Self {
            app,
            site,
            kept: Kept::default(),
            found: HashMap::new(),
            waiting: VecDeque::new(),
            linked: Vec::new(),
            searched: Vec::new(),
        })
    }

    /// Writes all that visitors see into a directory, which is empty.
    pub async fn write(mut self, directory: &Path) -> anyhow::Result<Exported> {
        let mut folder = Folder::new(directory);
        self.start().await?;
        self.write_not_found(&mut folder).await?;
        while let Some(place) = self.waiting.pop_front() {
            let found = match &place {
                Place::Stored(file) => copied(folder.copy_file(self.app, file).await?),
                Place::Font(path) => copied(folder.copy_font(self.app, path).await?),
                Place::Path(path) => self.keep(&mut folder, path).await?,
            };
            self.found.insert(place, found);
        }
        for file in &self.linked {
            let text = folder.read(file).await?;
            let text = self.with_addresses(file, &text, |address| Some(self.address_in(file, address)));
            folder.write(file, text.as_bytes()).await?;
        }
        let index = index::make(self.app, &self.site, &self.searched, |address| self.file_at(address)).await?;
        folder.write(INDEX, index.as_bytes()).await?;
        // Without it, a well-known host of static sites leaves out names that begin with `~`.
        folder.write(".nojekyll", b"").await?;
        Ok(Exported {
            pages: self.linked.iter().filter(|file| file.ends_with(".html")).count(),
            files: folder.count(),
        })
    }

    /// Notes the pages of all site spaces, also those to which no other one leads, and the lists of pages.
    async fn start(&mut self) -> anyhow::Result<()> {
        // The index is written at the end.
        self.found
            .insert(Place::Path(INDEX.to_owned()), Found::File(INDEX.to_owned()));
        let layout = std::sync::Arc::clone(&self.site.layout);
        for path in ["robots.txt", "sitemap.xml"] {
            self.note(self.site.href(path).as_str().to_owned());
        }
        for item in layout.ordered_site_spaces() {
            let path = layout.path_in_site_space(item, "");
            let Some(Located::Here(here)) = self.site.locate(self.app, &path).await? else {
                continue;
            };
            let mut reader = content::reader(self.app, &self.site, &here).await?;
            let tree = Tree::new(reader.tree().await?, &self.site.paths(&here));
            let lists = ["", "llms.txt", "sitemap-pages.xml"];
            let lists = lists.map(|path| self.site.path_in(&here, path));
            let pages = tree.entries.iter().map(|entry| &entry.href);
            let addresses: Vec<String> = lists.iter().chain(pages).map(|href| href.as_str().to_owned()).collect();
            addresses.into_iter().for_each(|address| self.note(address));
            // As for the search of the server, which begins at the address of the site.
            if layout.is_default_site_space(item) && !item.hidden {
                self.searched.push(Searched::new(*here, &tree));
            }
        }
        Ok(())
    }

    /// Asks for what an address leads to later, unless that is known.
    fn note(&mut self, address: String) {
        let Some(place) = self.place(&address) else {
            return;
        };
        if let Entry::Vacant(entry) = self.found.entry(place.clone()) {
            entry.insert(Found::Missing);
            self.waiting.push_back(place);
        }
    }

    async fn ask(&mut self, path: &str) -> anyhow::Result<Response> {
        self.site.rest = encoded(path);
        let request = anonymous();
        let answer = route::answer(self.app, &self.kept, &request, &self.site);
        Ok(Box::pin(answer).await?)
    }

    /// Writes what is at a path of the site.
    async fn keep(&mut self, folder: &mut Folder<'_>, path: &str) -> anyhow::Result<Found> {
        let response = self.ask(path).await?;
        if let Some(to) = response.header("location").map(str::to_owned) {
            self.note(to.clone());
            return Ok(Found::Redirect(to));
        }
        if response.status() != StatusCode::OK {
            return Ok(Found::Missing);
        }
        let is_page = response.content_type() == Some(HTML);
        let bytes = response.into_body().into_bytes().await?;
        let file = if is_page { page_file(path) } else { plain_file(path) };
        let is_linked = is_page || [".xml", ".css", ".md"].iter().any(|end| path.ends_with(end));
        match std::str::from_utf8(&bytes) {
            Ok(text) if is_linked => self.keep_linked(folder, &file, text).await?,
            _ => folder.write(&file, &bytes).await?,
        }
        Ok(Found::File(file))
    }

    async fn keep_linked(&mut self, folder: &mut Folder<'_>, file: &str, text: &str) -> anyhow::Result<()> {
        let mut addresses = Vec::new();
        self.with_addresses(file, text, |address| {
            addresses.push(address.to_owned());
            None
        });
        addresses.into_iter().for_each(|address| self.note(address));
        self.linked.push(file.to_owned());
        folder.write(file, text.as_bytes()).await
    }

    /// Puts other addresses in the places of those in a file.
    fn with_addresses(&self, file: &str, text: &str, map: impl FnMut(&str) -> Option<String>) -> String {
        let is = |end: &str| file.ends_with(end);
        match () {
            () if is(".css") => map_style_addresses(text, map),
            () if is(".md") || is(FEED) => map_beginning(text, &format!("{}/files/", self.site.server), map),
            () => map_addresses(text, map),
        }
    }

    async fn write_not_found(&mut self, folder: &mut Folder<'_>) -> anyhow::Result<()> {
        let response = self.ask(NOWHERE).await?;
        let text = match response.status() {
            StatusCode::NOT_FOUND => response.into_body().into_string().await?,
            // A redirect for all paths.
            _ => bare_not_found(words("en")),
        };
        self.keep_linked(folder, NOT_FOUND, &text).await
    }
}

fn copied(file: Option<String>) -> Found {
    file.map_or(Found::Missing, Found::File)
}

/// A request of which no view is counted.
fn anonymous() -> Request {
    Request::builder().header("dnt", "1").finish()
}
