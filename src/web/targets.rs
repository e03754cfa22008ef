//! The places that references of a page lead to.

use std::collections::HashMap;

use entity::ids::{NodeId, PageId};
use openapi::models::{BlockIntegration, ContentRef, DocumentBlock, RevisionFile};
use platform::secrets::Secrets;
use rich_text::has_scheme;
use serde_json::Value;
use web::{FileTarget, Href, Target, Targets};

use super::{blocks, site::Site, tree::Tree};

use crate::{
    app::App,
    areas::{
        authoring::reader::PageElsewhere,
        publishing::{layout::live, published_content::Here},
    },
};

/// What a page of a site leads to.
pub struct PageTargets<'a> {
    pub secrets: &'a Secrets,
    pub site: &'a Site,
    pub tree: &'a Tree,
    pub space: NodeId,
    pub files: HashMap<String, FileTarget>,
    pub elsewhere: HashMap<(NodeId, PageId), PageElsewhere>,
    /// OpenAPI documents by the names of their specifications.
    pub specifications: HashMap<String, Value>,
    /// Titles of embedded pages, and the names of their sites.
    pub embeds: HashMap<String, (String, String)>,
    pub search: Href,
    /// The language of the words around the content.
    pub language: &'static str,
}

impl<'a> PageTargets<'a> {
    /// The targets of links, without what HTML has beside them.
    pub fn of_links(
        app: &'a App,
        site: &'a Site,
        tree: &'a Tree,
        here: &Here,
        (files, elsewhere): (&[RevisionFile], HashMap<(NodeId, PageId), PageElsewhere>),
    ) -> Self {
        let files = files
            .iter()
            .filter_map(|file| Some((file.id.clone(), site.file(file)?)));
        Self {
            secrets: &app.kernel.secrets,
            site,
            tree,
            space: here.space,
            files: files.collect(),
            elsewhere,
            specifications: HashMap::new(),
            embeds: HashMap::new(),
            search: site.search(),
            language: "",
        }
    }
}

impl PageTargets<'_> {
    fn page(&self, space: Option<&str>, page: &str, anchor: Option<&str>) -> Target {
        let at = |href: Href| anchor.map_or(href.clone(), |anchor| href.at(anchor));
        let other = space.filter(|space| *space != self.space.to_string());
        let Some(space) = other else {
            return match self.tree.by_id(page) {
                Some(entry) => Target {
                    href: Some(at(entry.href.clone())),
                    title: Some(entry.title.clone()),
                    description: entry.description.clone(),
                    emoji: entry.emoji.clone(),
                    icon: entry.icon.clone(),
                },
                None => Target::default(),
            };
        };
        let ids = space.parse().ok().zip(page.parse().ok());
        let found = ids.and_then(|(space, page)| Some((space, self.elsewhere.get(&(space, page))?)));
        match found {
            Some((space, page)) => Target {
                href: self.site.in_space(space, &page.path).map(at),
                title: Some(page.title.clone()),
                ..Target::default()
            },
            None => Target::default(),
        }
    }
}

impl Targets for PageTargets<'_> {
    fn target(&self, reference: &ContentRef) -> Target {
        match reference {
            ContentRef::ContentRefUrl(url) => Target {
                // A path is what is left of a link that led nowhere when it was written.
                href: has_scheme(&url.url)
                    .then(|| Href::link(&self.site.local(&url.url)))
                    .flatten(),
                title: Some(url.url.clone()),
                ..Target::default()
            },
            ContentRef::ContentRefPage(it) => self.page(it.space.as_deref(), &it.page, None),
            ContentRef::ContentRefAnchor(it) => match &it.page {
                Some(page) => self.page(it.space.as_deref(), page, Some(&it.anchor)),
                None => Target {
                    href: Some(Href::anchor(&it.anchor)),
                    ..Target::default()
                },
            },
            ContentRef::ContentRefFile(it) => match self.file(&it.file) {
                Some(file) => Target {
                    href: Some(file.href.clone()),
                    title: Some(file.name.clone()),
                    ..Target::default()
                },
                None => Target::default(),
            },
            ContentRef::ContentRefSpace(it) => Target {
                href: it.space.parse().ok().and_then(|space| self.site.in_space(space, "")),
                ..Target::default()
            },
            ContentRef::ContentRefUser(_)
            | ContentRef::ContentRefCollection(_)
            | ContentRef::ContentRefReusableContent(_)
            | ContentRef::ContentRefTag(_)
            | ContentRef::ContentRefOpenApi(_) => Target::default(),
        }
    }

    fn file(&self, id: &str) -> Option<&FileTarget> {
        self.files.get(id)
    }

    // Their texts stand in their places already, unless they are of another space.
    fn reusable_content(&self, _: &ContentRef) -> Option<&[DocumentBlock]> {
        None
    }

    fn specification(&self, name: &str) -> Option<&Value> {
        self.specifications.get(name)
    }

    fn embed(&self, url: &str) -> Option<(&str, &str)> {
        let (title, site) = self.embeds.get(url)?;
        Some((title, site))
    }

    fn component(&self, block: &BlockIntegration) -> Option<Href> {
        blocks::href(self.secrets, self.site, (self.space, self.language), block)
    }

    fn search(&self) -> &Href {
        &self.search
    }
}

impl Site {
    /// The address of a path in a space of the site. `None`: the visitor does not see the space.
    pub fn in_space(&self, space: NodeId, path: &str) -> Option<Href> {
        let shown = live(&self.layout);
        let items = shown.site_spaces.iter().filter(|item| item.space_id == space);
        let item = items.min_by_key(|item| item.id)?;
        let path = super::tree::encoded(path);
        Some(self.href(&shown.path_in_site_space(item, &path)))
    }

    /// The path at which readers of the site reach an address of the server. `None`: the address is another one, or a proxy shows the site
    /// and nothing else of the server.
    pub fn own_path(&self, address: &str) -> Option<String> {
        let own = self.url.origin().ascii_serialization();
        if let Some(path) = address.strip_prefix(&own).filter(|path| path.starts_with('/')) {
            return Some(path.to_owned());
        }
        let path = address
            .strip_prefix(&self.server)
            .filter(|path| path.starts_with('/'))?;
        Some(path.to_owned()).filter(|_| !self.is_proxied())
    }

    pub fn is_proxied(&self) -> bool {
        let (proxy, host) = (self.visit.site.active_proxy.as_deref(), self.url.host_str());
        proxy
            .zip(host)
            .is_some_and(|(proxy, host)| proxy.split('/').next() == Some(host))
    }

    /// A file for readers.
    pub fn file(&self, file: &RevisionFile) -> Option<FileTarget> {
        let address = match self.own_path(&file.download_url) {
            Some(path) => Some(Href::path(&path)),
            None => Href::link(&file.download_url),
        };
        let size = file.dimensions.as_ref().and_then(|size| {
            let width = u32::try_from(size.width).ok()?;
            Some((width, u32::try_from(size.height).ok()?))
        });
        Some(FileTarget {
            href: address?,
            name: file.name.clone(),
            content_type: file.content_type.clone(),
            size: file.size,
            dimensions: size,
        })
    }
}
