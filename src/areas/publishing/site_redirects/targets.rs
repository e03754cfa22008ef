//! The addresses of destinations, which are loaded together.

use std::{collections::HashMap, sync::Arc};

use content::{objects::Missing, pages::Pages};
use entity::{
    ids::{Id, NodeId, OrganizationId, PageId, RevisionId, SiteSectionId},
    library::nodes::{self, NodeKind},
    publishing::sites::{Model as Site, site_spaces},
};
use expressions::VisitorClaims;
use openapi::{
    error::{ApiError, ErrorRule},
    models::{
        ErrorDetail, SiteRedirectDestination as Destination, SiteRedirectDestinationInput as NewDestination,
        SiteRedirectToPage, SiteRedirectToPath, SiteRedirectToSection, SiteRedirectToSiteSpace,
    },
};
use platform::db::positional;
use sea_orm::{ColumnTrait, QueryFilter, QueryTrait};

use super::matching::below;

use crate::{
    access::{
        node_levels::visible,
        rows::{NodeRow, SpaceRow},
    },
    areas::{
        authoring::reader::RevisionReader,
        library::{spaces, tree},
        publishing::{
            Publishing,
            guard::{ReadableSiteAccess, Reader, SiteAccess},
            layout::Layout,
        },
    },
    kernel::Kernel,
};

/// What a caller sees of the destinations that were loaded.
pub struct Targets {
    /// With the key of the share link that the caller reads with.
    pub site_address: String,
    organization: OrganizationId,
    reader: Reader,
    /// Those of a visitor.
    claims: Option<VisitorClaims>,
    layout: Arc<Layout>,
    /// The current revisions of spaces. `None`: the space is deleted or invisible.
    spaces: HashMap<NodeId, Option<RevisionId>>,
    /// The paths of pages in their spaces.
    paths: HashMap<(NodeId, PageId), String>,
    pages: HashMap<(NodeId, String), PageId>,
}

/// The pages to load of a space, by id and by path.
#[derive(Default)]
struct WantedPages {
    ids: Vec<PageId>,
    paths: Vec<String>,
}

impl Targets {
    /// The structure as it is now, for a member who changes redirects.
    pub async fn new(kernel: &Kernel, access: &SiteAccess) -> Result<Self, ApiError> {
        let layout = Layout::load(kernel.db.read(), access.row.id).await?;
        let address = kernel.urls.site_for_readers(&access.row);
        Ok(Self::of(
            &access.row,
            Reader::Member(access.member),
            Arc::new(layout),
            address,
        ))
    }

    /// The structure as a member or a visitor sees it.
    pub async fn for_reader(publishing: &Publishing, access: ReadableSiteAccess) -> Result<Self, ApiError> {
        let layout = access.layout(&publishing.visits).await?;
        let mut address = publishing.kernel.urls.site_for_readers(&access.row);
        if let Reader::Visitor(visit) = &access.reader {
            address.push_str(&visit.share_path());
        }
        let claims = access.claims().cloned();
        let targets = Self::of(&access.row, access.reader, layout, address);
        Ok(Self { claims, ..targets })
    }

    fn of(site: &Site, reader: Reader, layout: Arc<Layout>, site_address: String) -> Self {
        Self {
            site_address,
            organization: site.organization_id,
            reader,
            claims: None,
            layout,
            spaces: HashMap::new(),
            paths: HashMap::new(),
            pages: HashMap::new(),
        }
    }

    /// Loads what these destinations lead to: one query for all spaces, and a few for the pages of each space.
    pub async fn load(
        &mut self,
        publishing: &Publishing,
        destinations: impl IntoIterator<Item = NewDestination>,
    ) -> Result<(), ApiError> {
        let mut wanted: HashMap<NodeId, WantedPages> = HashMap::new();
        for destination in destinations {
            match destination {
                NewDestination::SiteRedirectToSection(_) | NewDestination::SiteRedirectToExternal(_) => {}
                NewDestination::SiteRedirectToSiteSpace(it) => {
                    if let Some(item) = self.site_space(&it.site_space_id) {
                        wanted.entry(item.space_id).or_default();
                    }
                }
                NewDestination::SiteRedirectToPage(it) => {
                    if let Some(item) = self.site_space(&it.site_space_id) {
                        let pages = wanted.entry(item.space_id).or_default();
                        pages.ids.push(PageId::parse_or_nil(&it.page_id));
                    }
                }
                NewDestination::SiteRedirectToPath(it) => {
                    let space = NodeId::parse_or_nil(&it.space_id);
                    if self.first_place(space).is_some() {
                        wanted.entry(space).or_default().paths.push(page_path(&it.path));
                    }
                }
            }
        }
        self.load_spaces(&publishing.kernel, wanted.keys().copied()).await?;
        for (space, pages) in wanted {
            self.load_pages(publishing, space, pages).await?;
        }
        Ok(())
    }

    async fn load_spaces(&mut self, kernel: &Kernel, spaces: impl Iterator<Item = NodeId>) -> Result<(), ApiError> {
        let new: Vec<NodeId> = spaces.filter(|space| !self.spaces.contains_key(space)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let these = tree::store::not_deleted(self.organization, NodeKind::Space);
        let these = these.filter(nodes::Column::Id.is_in(new.iter().copied()));
        let these = match &self.reader {
            Reader::Member(member) => visible(these, member),
            Reader::Visitor(visit) => {
                spaces::shown_to_visitor(kernel, self.organization, visit.visit.preview_of, these).await?
            }
        };
        let rows: Vec<SpaceRow> = positional::rows(kernel.db.read(), SpaceRow::of(these).as_query()).await?;
        self.spaces.extend(new.into_iter().map(|space| (space, None)));
        let found = rows.into_iter().map(|row| (row.space.id, Some(row.space.revision_id)));
        self.spaces.extend(found);
        Ok(())
    }

    async fn load_pages(
        &mut self,
        publishing: &Publishing,
        space: NodeId,
        wanted: WantedPages,
    ) -> Result<(), ApiError> {
        let Some(revision) = self.revision(space) else {
            return Ok(());
        };
        let WantedPages { ids, paths } = wanted;
        if ids.is_empty() && paths.is_empty() {
            return Ok(());
        }
        let reader = RevisionReader::open(&publishing.authoring, space, revision, None).await?;
        let mut reader = reader.seen_by(self.claims.clone());
        let (found_paths, found_pages) = reader
            .compute(|tree| {
                let found_paths = all(ids.iter().map(|id| path_of(tree, *id)));
                let found_pages = all(paths.iter().map(|path| tree.page_by_path(path)));
                Ok((found_paths?, found_pages?))
            })
            .await?;
        for (page, path) in ids.into_iter().zip(found_paths) {
            if let Some(path) = path
                && reader.sees(page).await?
            {
                self.paths.insert((space, page), path);
            }
        }
        let found_pages = paths.into_iter().zip(found_pages);
        self.pages
            .extend(found_pages.filter_map(|(path, page)| Some(((space, path), page?.id))));
        Ok(())
    }

    /// The address of a destination, or below it with a rest. `None`: it does not exist, or is invisible.
    pub fn address(&self, destination: &Destination, rest: &str) -> Option<String> {
        let path = match destination {
            Destination::SiteRedirectToExternal(it) => return Some(below(&it.url, rest)),
            Destination::SiteRedirectToSection(it) => {
                let section = self.layout.section(SiteSectionId::parse_or_nil(&it.site_section_id))?;
                self.layout.path_in_section(section, rest)
            }
            Destination::SiteRedirectToSiteSpace(it) => {
                let item = self.visible_site_space(&it.site_space_id)?;
                self.layout.path_in_site_space(item, rest)
            }
            Destination::SiteRedirectToPage(it) => {
                let item = self.visible_site_space(&it.site_space_id)?;
                let page = self.paths.get(&(item.space_id, PageId::parse_or_nil(&it.page_id)))?;
                self.layout.path_in_site_space(item, &below(page, rest))
            }
        };
        Some(format!("{}{path}", self.site_address))
    }

    /// The destination as it is stored; one that does not exist is refused. `pointer` is that of the destination.
    pub fn check(&self, sent: NewDestination, pointer: &str) -> Result<Destination, ErrorDetail> {
        if let NewDestination::SiteRedirectToPath(it) = sent {
            return self.page_at(&it, pointer);
        }
        let destination = Destination::try_from(sent).map_err(|_| no_item(pointer))?;
        if self.address(&destination, "").is_some() {
            return Ok(destination);
        }
        Err(match &destination {
            Destination::SiteRedirectToSection(SiteRedirectToSection { .. }) => {
                no_item(&format!("{pointer}/siteSectionId"))
            }
            Destination::SiteRedirectToPage(SiteRedirectToPage { site_space_id, .. })
                if self.visible_site_space(site_space_id).is_some() =>
            {
                no_page(format!("{pointer}/pageId"))
            }
            Destination::SiteRedirectToPage(_)
            | Destination::SiteRedirectToSiteSpace(SiteRedirectToSiteSpace { .. }) => {
                no_item(&format!("{pointer}/siteSpaceId"))
            }
            Destination::SiteRedirectToExternal(_) => no_item(pointer),
        })
    }

    fn page_at(&self, sent: &SiteRedirectToPath, pointer: &str) -> Result<Destination, ErrorDetail> {
        let space = NodeId::parse_or_nil(&sent.space_id);
        let item = self.first_place(space).filter(|_| self.revision(space).is_some());
        let item = item.ok_or_else(|| no_item(&format!("{pointer}/spaceId")))?;
        let page = self.pages.get(&(space, page_path(&sent.path)));
        let page = page.ok_or_else(|| no_page(format!("{pointer}/path")))?;
        Ok(Destination::SiteRedirectToPage(SiteRedirectToPage {
            kind: Default::default(),
            site_space_id: item.id.to_string(),
            page_id: page.to_string(),
        }))
    }

    fn site_space(&self, id: &str) -> Option<&site_spaces::Model> {
        self.layout.site_space(Id::parse_or_nil(id))
    }

    fn visible_site_space(&self, id: &str) -> Option<&site_spaces::Model> {
        self.site_space(id)
            .filter(|item| self.revision(item.space_id).is_some())
    }

    /// The first place in which the site shows a space.
    fn first_place(&self, space: NodeId) -> Option<&site_spaces::Model> {
        let mut items = self.layout.ordered_site_spaces().into_iter();
        items.find(|item| item.space_id == space)
    }

    fn revision(&self, space: NodeId) -> Option<RevisionId> {
        self.spaces.get(&space).copied().flatten()
    }
}

/// All results, or that something is missing: what all of them lack is loaded together.
fn all<T>(results: impl Iterator<Item = Result<T, Missing>>) -> Result<Vec<T>, Missing> {
    let results: Vec<Result<T, Missing>> = results.collect();
    results.into_iter().collect()
}

fn path_of(tree: &Pages<'_>, id: PageId) -> Result<Option<String>, Missing> {
    tree.page(id)?.map(|page| tree.path(&page)).transpose()
}

fn page_path(sent: &str) -> String {
    sent.trim_matches('/').to_owned()
}

fn no_item(pointer: &str) -> ErrorDetail {
    ErrorDetail {
        pointer: pointer.to_owned(),
        code: ErrorRule::SiteItem,
        message: "The site has no such item.".to_owned(),
    }
}

fn no_page(pointer: String) -> ErrorDetail {
    ErrorDetail {
        pointer,
        code: ErrorRule::Unknown,
        message: "The space has no such page.".to_owned(),
    }
}
