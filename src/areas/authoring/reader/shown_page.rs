//! Pages as visitors of a site open them: the text as nodes, with what its references lead to.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use content::{objects, pages::Page};
use entity::ids::{FileId, NodeId, PageId, RevisionId};
use openapi::{
    conditional::EntityTag,
    error::ApiError,
    models::{ContentPage, ContentRef, Document, DocumentPage, ExpressionEvaluation, RevisionFile},
    work::acquire_large_for_text,
};

use super::{RevisionReader, documents::part_with_blocks, nodes, parts::published, texts::TextName};

use crate::{
    access::SiteReader,
    areas::authoring::{
        Authoring,
        located_pages::{LocatedPage, PageName},
        page_links::page_of,
    },
};

/// Files of one page.
const MAX_FILES: usize = 1_000;

/// Other spaces, and pages of each, to which links of one page lead.
const MAX_SPACES: usize = 20;
const MAX_PAGES: usize = 200;

/// A page with its text.
pub struct ShownPage {
    pub page: DocumentPage,
    pub document: Document,
    /// The files that the page shows or leads to.
    pub files: Vec<RevisionFile>,
    /// The pages of other spaces to which the page leads, and which the visitor sees.
    pub elsewhere: HashMap<(NodeId, PageId), PageElsewhere>,
    /// Whether all of this is the same for the same [`RevisionReader::shown_tag`]: nothing is from other spaces or specifications, and
    /// no condition and no expression has been evaluated.
    pub is_of_revision: bool,
}

/// A page of another space.
pub struct PageElsewhere {
    pub title: String,
    /// The path in its space.
    pub path: String,
}

impl<'a> RevisionReader<'a> {
    /// Opens a revision of a space as the visitor of a site.
    pub async fn open_on_site(
        authoring: &'a Authoring,
        site: Arc<dyn SiteReader>,
        space: NodeId,
        revision: RevisionId,
    ) -> Result<Self, ApiError> {
        let reader = Self::open(authoring, space, revision, None).await?;
        let reader = reader.seen_by(Some(site.claims().clone()));
        let site = Some(site);
        Ok(Self { site, ..reader })
    }

    /// All pages that the reader sees, without their texts.
    pub async fn tree(&mut self) -> Result<Vec<ContentPage>, ApiError> {
        let forest = self.visible_forest().await?;
        Ok(self.view().pages(&forest, None, ""))
    }

    /// The path of a page. `None`: there is no such page that the reader sees.
    pub async fn path_of(&mut self, id: PageId) -> Result<Option<String>, ApiError> {
        match self.find_page(PageName::Id(id)).await? {
            Some(found) => Ok(Some(self.compute(|pages| pages.path(&found.page)).await?)),
            None => Ok(None),
        }
    }

    /// A page with its text. `None`: there is no such page that the reader sees, or it has no text.
    pub async fn shown_page(&mut self, id: PageId) -> Result<Option<ShownPage>, ApiError> {
        let Some(found) = self.find_page(PageName::Id(id)).await? else {
            return Ok(None);
        };
        let content = self.compute(|pages| Ok((pages.subtree(&found.page)?, pages.path(&found.page)?)));
        let (forest, path) = content.await?;
        let ContentPage::DocumentPage(page) = self.view().page(&forest, &found.page, &path) else {
            return Ok(None);
        };
        let (document, is_of_revision) = self.shown_document(&found.page).await?;
        let mut references = rich_text::references(&document.nodes);
        let covers = page.cover.iter().flat_map(|cover| [&cover.r#ref, &cover.ref_dark]);
        references.extend(covers.flatten().map(rich_text::from_media));
        let files = self.files_of(&references).await?;
        let elsewhere = self.pages_elsewhere(&references).await?;
        let is_of_revision = is_of_revision && references.iter().all(|reference| self.is_own(reference));
        Ok(Some(ShownPage {
            is_of_revision,
            page,
            document,
            files,
            elsewhere,
        }))
    }

    /// The tag of the pages of the revision as the reader sees them.
    pub async fn shown_tag(&mut self) -> Result<EntityTag, ApiError> {
        let languages = self.code_languages().await?;
        self.part_tag(&part_with_blocks("shown-page", &languages)?)
    }

    /// Returns whether a reference leads to something in the space, or to another server.
    fn is_own(&self, reference: &ContentRef) -> bool {
        let own = self.revision.space.to_string();
        let space = match reference {
            ContentRef::ContentRefUrl(_) => return true,
            ContentRef::ContentRefFile(it) => &it.space,
            ContentRef::ContentRefPage(it) => &it.space,
            ContentRef::ContentRefAnchor(it) => &it.space,
            ContentRef::ContentRefTag(it) => &it.space,
            ContentRef::ContentRefUser(_)
            | ContentRef::ContentRefCollection(_)
            | ContentRef::ContentRefSpace(_)
            | ContentRef::ContentRefReusableContent(_)
            | ContentRef::ContentRefOpenApi(_) => return false,
        };
        space.as_ref().is_none_or(|space| *space == own)
    }

    /// The text, with reusable contents in their places and with the values of expressions, and whether it has none of these and names no
    /// other space.
    async fn shown_document(&mut self, page: &Page) -> Result<(Document, bool), ApiError> {
        let evaluated = ExpressionEvaluation::True;
        let name = TextName::OfPage(page);
        self.find_linked_spaces(name).await?;
        let languages = self.code_languages().await?;
        let text = self.text(name).await?.unwrap_or_default();
        let names_others = text.markdown.contains("/spaces/") || text.markdown.contains("/reusable-contents/");
        let text = self.include_texts(text, evaluated).await?;
        acquire_large_for_text(text.markdown.len()).await?;
        let text = self.evaluate(text, evaluated).await?;
        let is_of_revision = !names_others && text.values.is_none();
        let document = nodes::document(&self.authoring.kernel.work, text.with_languages(languages)).await?;
        Ok((document, is_of_revision))
    }

    async fn files_of(&mut self, references: &[ContentRef]) -> Result<Vec<RevisionFile>, ApiError> {
        let own = self.revision.space.to_string();
        let ids = references.iter().filter_map(|reference| match reference {
            ContentRef::ContentRefFile(file) if file.space.as_ref().is_none_or(|space| *space == own) => {
                file.file.parse::<FileId>().ok()
            }
            _ => None,
        });
        let ids: BTreeSet<FileId> = ids.take(MAX_FILES).collect();
        let files = self
            .compute(|pages| objects::all(ids.iter().map(|id| pages.file(*id))))
            .await?;
        let view = self.view();
        Ok(files.into_iter().flatten().map(|file| view.file(&file)).collect())
    }

    async fn pages_elsewhere(
        &mut self,
        references: &[ContentRef],
    ) -> Result<HashMap<(NodeId, PageId), PageElsewhere>, ApiError> {
        let mut wanted: BTreeMap<NodeId, BTreeSet<PageId>> = BTreeMap::new();
        for (space, page) in references.iter().filter_map(page_of) {
            if let Some(space) = space.filter(|space| *space != self.revision.space) {
                wanted.entry(space).or_default().insert(page);
            }
        }
        let Some(site) = self.site.clone().filter(|_| !wanted.is_empty()) else {
            return Ok(HashMap::new());
        };
        let mut found = HashMap::new();
        let spaces: BTreeSet<NodeId> = wanted.keys().copied().collect();
        for (space, revision) in published(self.authoring, site.as_ref(), spaces, MAX_SPACES).await? {
            let mut reader = Self::open_on_site(self.authoring, Arc::clone(&site), space, revision).await?;
            let pages = wanted.remove(&space).unwrap_or_default();
            let pages: Vec<PageId> = pages.into_iter().take(MAX_PAGES).collect();
            // All that is missing is loaded together.
            let located = |id: &PageId| PageName::Id(*id);
            reader
                .compute(|all| objects::all(pages.iter().map(|id| LocatedPage::find(all, &located(id)))))
                .await?;
            for id in pages {
                let Some(page) = reader.find_page(PageName::Id(id)).await? else {
                    continue;
                };
                let path = reader.compute(|all| all.path(&page.page)).await?;
                let title = page.page.title.clone();
                found.insert((space, id), PageElsewhere { title, path });
            }
        }
        Ok(found)
    }
}
