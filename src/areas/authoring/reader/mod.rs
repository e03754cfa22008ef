//! Reads of a revision.

mod documents;
pub mod evaluation;
mod git_metadata;
mod hidden_targets;
mod linked_spaces;
mod markdown;
mod meta_links;
mod nodes;
mod parts;
mod printing;
mod shown_page;
mod specifications;
mod texts;
pub mod view;
mod visibility;

use std::sync::Arc;

use bytes::Bytes;
use content::{
    objects::{Content, Hash, Missing},
    pages::{File, Forest, Page, Pages, ReusableContent, Snapshot},
    revisions::Revision,
    semantic,
};
use entity::ids::{FileId, NodeId, PageId, ReusableContentId, RevisionId};
use expressions::VisitorClaims;
use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
    models::{
        self as wire, ContentPage, Dereferencing, Document, ExpressionEvaluation, MarkdownRefs, PageTree, PageWithPath,
        RevisionFile, RevisionFileList, RevisionReusableContent, RevisionSemanticChange, TextFormat,
    },
};
use platform::db::{Page as Rows, Reads};
use poem::Body;
use rich_text::BlockLanguages;

use self::{
    documents::part_with_blocks,
    evaluation::{ReadText, TextForm},
    git_metadata::GitMetadata,
    linked_spaces::LinkedSpaces,
    texts::{TextName, included},
    view::{ContentView, RevisionParts},
};
pub use self::{
    parts::document,
    shown_page::{PageElsewhere, ShownPage},
};

use crate::{
    access::{SiteReader, SpaceAccess},
    areas::{
        authoring::{Authoring, located_pages::PageName, page_answers::AnswerKey},
        content::computed::ComputedTree,
    },
    kernel::lists::List,
};

/// The form of the text of a page in an answer.
#[derive(Clone, Copy)]
pub struct PageForm {
    pub format: TextFormat,
    pub refs: MarkdownRefs,
    pub evaluated: ExpressionEvaluation,
    pub dereferenced: Dereferencing,
}

/// Reads one revision for a request, and answers conditional requests.
pub struct RevisionReader<'a> {
    pub authoring: &'a Authoring,
    pub revision: Arc<Revision>,
    content: Content<'a, Reads>,
    if_none_match: Option<String>,
    /// The claims of the visitor of a site for whom the content is read. `None`: a user reads.
    visitor: Option<VisitorClaims>,
    /// The site of the visitor.
    site: Option<Arc<dyn SiteReader>>,
    /// Other spaces that the site shows, of those that the text names.
    linked_spaces: LinkedSpaces,
    git: GitMetadata,
    /// The computed pages. `None`: the revision has no placeholders, or they are to be read as they are stored.
    computed: Option<Arc<ComputedTree>>,
}

impl<'a> RevisionReader<'a> {
    /// Opens a revision of a space.
    pub async fn open(
        authoring: &'a Authoring,
        space: NodeId,
        revision: RevisionId,
        if_none_match: Option<String>,
    ) -> Result<Self, ApiError> {
        let found = authoring
            .contents
            .state
            .revision(&authoring.kernel.db, space, revision)
            .await?;
        let revision = found.ok_or_else(|| ApiError::not_found("revision"))?;
        Ok(Self {
            authoring,
            content: Content::new(authoring.kernel.db.read(), &authoring.contents.state.objects, space),
            if_none_match,
            visitor: None,
            site: None,
            linked_spaces: LinkedSpaces::new(),
            git: GitMetadata::default(),
            computed: authoring.contents.computed_tree(&revision).await?,
            revision,
        })
    }

    /// Reads computed pages, or the placeholders as they are stored.
    pub fn with_computed(self, wanted: bool) -> Self {
        let computed = self.computed.filter(|_| wanted);
        Self { computed, ..self }
    }

    /// The computed pages of the revision.
    fn computed(&self) -> Option<&ComputedTree> {
        self.computed.as_deref()
    }

    /// The hash of all that the computed pages are made from.
    pub fn computed_from(&self) -> Option<Hash> {
        self.computed()?.digest
    }

    /// Opens a revision of a space that the caller may read, as the visitor of a site if they are one.
    pub async fn open_for(
        authoring: &'a Authoring,
        access: &SpaceAccess,
        revision: RevisionId,
        if_none_match: Option<String>,
    ) -> Result<Self, ApiError> {
        let reader = Self::open(authoring, access.row.node.id, revision, if_none_match).await?;
        let reader = reader.seen_by(access.claims().cloned());
        let site = access.site.clone();
        Ok(Self { site, ..reader })
    }

    /// Reads as the visitor of a site with these claims, if there is one.
    pub fn seen_by(self, visitor: Option<VisitorClaims>) -> Self {
        Self { visitor, ..self }
    }

    fn view(&self) -> ContentView<'_> {
        ContentView {
            urls: &self.authoring.kernel.urls,
            space: self.revision.space,
            computed: self.computed.as_deref(),
            blobs: Some(&self.git.blobs),
        }
    }

    /// Answers a conditional request for a part of the revision: `read` runs only if the caller does not have the part yet.
    async fn respond<T, F>(self, part: &str, read: impl FnOnce(Self) -> F) -> Result<Conditional<T>, ApiError>
    where
        F: Future<Output = Result<T, ApiError>>,
    {
        let tag = self.part_tag(part)?;
        if tag.is_kept(self.if_none_match.as_deref()) {
            return Ok(Conditional::NotModified(tag));
        }
        fresh(tag, read(self).await?)
    }

    pub async fn compute<T>(&mut self, compute: impl Fn(&Pages<'_>) -> Result<T, Missing>) -> Result<T, ApiError> {
        let snapshot = self.revision.snapshot;
        let computed = self.computed.clone();
        let found = self.content.run(|objects| match &computed {
            Some(computed) => compute(&Pages::with_computed(objects, snapshot, &computed.overlay)),
            None => compute(&Pages::of(objects, snapshot)),
        });
        Ok(found.await?)
    }

    async fn stored_text(&mut self, hash: Option<Hash>) -> Result<Option<String>, ApiError> {
        let text = self.compute(|pages| hash.map(|hash| pages.objects().text(&hash)).transpose());
        let text = text.await?;
        // It is copied, and read once.
        self.content.unload(hash.as_slice());
        Ok(text)
    }

    /// The full revision. `merged_from` is the change request that the revision merged.
    pub async fn revision(
        mut self,
        merged_from: Option<wire::ChangeRequest>,
    ) -> Result<Conditional<wire::Revision>, ApiError> {
        self.load_commit().await?;
        // A merged change request can still change, and a revision may be exported later.
        let part = match (&merged_from, &self.git.commit) {
            (None, None) => "revision".to_owned(),
            others => format!("revision.{}", digest(&others)?),
        };
        self.respond(&part, async |mut reader| reader.full_revision(merged_from).await)
            .await
    }

    /// The revision with all its pages, files and reusable content.
    pub async fn full_revision(
        &mut self,
        merged_from: Option<wire::ChangeRequest>,
    ) -> Result<wire::Revision, ApiError> {
        let forest = self.visible_forest().await?;
        let content = self.compute(|pages| {
            let (files, reusable) = (pages.files_after(None, usize::MAX), pages.all_reusable_contents());
            Ok((files?, reusable?, pages.stored_variables()?))
        });
        let (mut files, mut reusable_contents, variables) = content.await?;
        if let Some(seen) = self.seen_parts().await? {
            files.retain(|file| seen.has_part(*file.id.as_uuid()));
            reusable_contents.retain(|content| seen.has_part(*content.id.as_uuid()));
        }
        self.load_blobs(None).await?;
        let parts = RevisionParts {
            forest,
            files,
            reusable_contents,
            variables,
        };
        Ok(self
            .view()
            .revision(&self.revision, parts, (merged_from, self.git.commit.clone())))
    }

    /// The changes from an earlier snapshot to this revision: at most `limit`, and the number of further ones.
    pub async fn semantic_changes(
        &mut self,
        before: &Snapshot,
        limit: u32,
    ) -> Result<(Vec<RevisionSemanticChange>, Option<u64>), ApiError> {
        let (after, space, urls) = (self.revision.snapshot, self.revision.space, &self.authoring.kernel.urls);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let address = |file: &File| urls.file(space, file);
        let found = self
            .content
            .run(|objects| semantic::changes(objects, before, &after, limit, &address));
        let (changes, more) = found.await?;
        Ok((changes, u64::try_from(more).ok().filter(|more| *more > 0)))
    }

    pub async fn pages(self) -> Result<Conditional<PageTree>, ApiError> {
        self.respond("pages", async |mut reader| {
            let forest = reader.visible_forest().await?;
            reader.load_blobs(None).await?;
            let pages = reader.view().pages(&forest, None, "");
            Ok(PageTree { pages })
        })
        .await
    }

    /// A page by its id.
    pub async fn page(mut self, id: PageId, form: PageForm) -> Result<Conditional<ContentPage>, ApiError> {
        let found = self.require_page(PageName::Id(id)).await?;
        self.page_body(&found.page, form).await
    }

    /// Returns whether the page exists.
    pub async fn has_page(&mut self, id: PageId) -> Result<bool, ApiError> {
        self.compute(|pages| Ok(pages.page(id)?.is_some())).await
    }

    /// The text of a page; empty for a page without one. `None` if the page does not exist.
    pub async fn page_text(&mut self, id: PageId) -> Result<Option<String>, ApiError> {
        match self.compute(|pages| pages.page(id)).await? {
            Some(page) => Ok(Some(self.text_of(&page).await?.unwrap_or_default().markdown)),
            None => Ok(None),
        }
    }

    /// A page by its path.
    pub async fn page_by_path(mut self, path: &str, form: PageForm) -> Result<Conditional<PageWithPath>, ApiError> {
        let path = path.trim_matches('/');
        let found = self.require_page(PageName::Path(path.into())).await?;
        match self.page_body(&found.page, form).await? {
            Conditional::NotModified(tag) => Ok(Conditional::NotModified(tag)),
            // Only pages with a text are kept.
            Conditional::Written(answer) => Ok(Conditional::Written(answer)),
            Conditional::Fresh(Tagged { tag, body }) => match body {
                ContentPage::DocumentPage(page) => fresh(tag, PageWithPath::DocumentPage(page)),
                ContentPage::GroupPage(page) => fresh(tag, PageWithPath::GroupPage(page)),
                ContentPage::LinkPage(_) | ContentPage::ComputedPage(_) => Err(ApiError::not_found("page")),
            },
        }
    }

    /// A page without its text. `None`: there is no such page with a path.
    pub async fn page_without_text(
        mut self,
        find: impl Fn(&Pages<'_>) -> Result<Option<Page>, Missing>,
    ) -> Result<Option<PageWithPath>, ApiError> {
        let found = self.compute(|pages| {
            let Some(page) = find(pages)? else {
                return Ok(None);
            };
            Ok(Some((pages.subtree(&page)?, pages.path(&page)?, page)))
        });
        let Some((forest, path, page)) = found.await? else {
            return Ok(None);
        };
        Ok(match self.view().page(&forest, &page, &path) {
            ContentPage::DocumentPage(page) => Some(PageWithPath::DocumentPage(page)),
            ContentPage::GroupPage(page) => Some(PageWithPath::GroupPage(page)),
            ContentPage::LinkPage(_) | ContentPage::ComputedPage(_) => None,
        })
    }

    async fn page_body(mut self, page: &Page, form: PageForm) -> Result<Conditional<ContentPage>, ApiError> {
        let part = match (form.format, form.refs) {
            (TextFormat::Document, _) => "page.document",
            (TextFormat::Markdown, MarkdownRefs::Relative) => "page.file",
            (TextFormat::Markdown, MarkdownRefs::Stable) => "page.file.stable",
        };
        let languages = match form.format {
            TextFormat::Document => self.code_languages().await?,
            TextFormat::Markdown => Arc::default(),
        };
        let text = TextName::OfPage(page);
        let part = part_with_blocks(part, &languages)?;
        let tag = self.text_tag(&part, text, (form.evaluated, form.dereferenced)).await?;
        if tag.is_kept(self.if_none_match.as_deref()) {
            return Ok(Conditional::NotModified(tag));
        }
        let authoring = self.authoring;
        let key = AnswerKey {
            tag: tag.clone(),
            page: page.id,
            is_computed: self.computed.is_some(),
        };
        if let Some(json) = authoring.page_answers.get(&key) {
            return Ok(written(tag, json));
        }
        // Expressions may have another value at each evaluation.
        let is_lasting = self.form(form.evaluated) != TextForm::Evaluated;
        match self.make_page(tag, page, form, languages).await? {
            Conditional::Fresh(Tagged { tag, body }) if is_lasting && matches!(body, ContentPage::DocumentPage(_)) => {
                let json = Bytes::from(serde_json::to_vec(&body)?);
                authoring.page_answers.insert(key, json.clone());
                Ok(written(tag, json))
            }
            answer => Ok(answer),
        }
    }

    async fn make_page(
        self,
        tag: EntityTag,
        page: &Page,
        PageForm {
            format,
            refs,
            evaluated,
            dereferenced,
        }: PageForm,
        languages: Arc<BlockLanguages>,
    ) -> Result<Conditional<ContentPage>, ApiError> {
        let mut reader = self;
        let (forest, path): (Forest, String) = reader
            .compute(|pages| {
                let (forest, path) = (pages.subtree(page), pages.path(page));
                Ok((forest?, path?))
            })
            .await?;
        let (name, included) = (TextName::OfPage(page), included(dereferenced, evaluated));
        let text = reader.text_with_included(name, included).await?;
        let forest = reader.retain_visible(forest).await?;
        reader.load_page_blobs(page, &forest).await?;
        let mut answer = reader.view().page(&forest, page, &path);
        let ContentPage::DocumentPage(document_page) = &mut answer else {
            return fresh(tag, answer);
        };
        if format == TextFormat::Markdown {
            let file = reader.markdown_file(page, &path, text, (refs, evaluated)).await?;
            document_page.markdown = Some(file);
            return fresh(tag, answer);
        }
        let Some(text) = text else {
            return fresh(tag, answer);
        };
        let text = reader.evaluate(text, evaluated).await?.with_languages(languages);
        document_page.document = Some(nodes::document(&reader.authoring.kernel.work, text).await?);
        fresh(tag, answer)
    }

    pub async fn files(
        self,
        of: &'static str,
        page: Option<String>,
        limit: u32,
    ) -> Result<Conditional<RevisionFileList>, ApiError> {
        let authoring = self.authoring;
        let list = List::new(&authoring.kernel, ("files", of, self.revision.id), page, limit);
        let after: Option<FileId> = list.after()?;
        self.respond("files", async |mut reader| {
            let limit = usize::try_from(list.limit).unwrap_or(usize::MAX);
            let (mut items, count) = reader.files_after(after, limit.saturating_add(1)).await?;
            let more = items.len() > limit;
            items.truncate(limit);
            let next = if more { items.last().map(|file| file.id) } else { None };
            let ids = items.iter().map(|file| *file.id.as_uuid()).collect();
            reader.load_blobs(Some(ids)).await?;
            let view = reader.view();
            let page = list.answer(Rows { items, next }, count, |file: File| view.file(&file))?;
            Ok(page.into())
        })
        .await
    }

    pub async fn file(mut self, id: FileId) -> Result<Conditional<RevisionFile>, ApiError> {
        let found = self.compute(|pages| pages.file(id)).await?;
        let file = self.require_file(found).await?;
        self.respond("file", async |mut reader| {
            reader.load_blobs(Some(vec![*id.as_uuid()])).await?;
            Ok(reader.view().file(&file))
        })
        .await
    }

    pub async fn reusable_content(
        mut self,
        id: ReusableContentId,
    ) -> Result<Conditional<RevisionReusableContent>, ApiError> {
        let content = self.load_reusable_content(id).await?;
        self.respond("reusable-content", async |mut reader| {
            reader.load_blobs(Some(vec![*id.as_uuid()])).await?;
            Ok(reader.view().reusable_content(&content))
        })
        .await
    }

    async fn load_reusable_content(&mut self, id: ReusableContentId) -> Result<ReusableContent, ApiError> {
        let found = self.compute(|pages| pages.reusable_content(id)).await?;
        self.require_content(found).await
    }
}

/// Parses Markdown.
pub async fn parse(authoring: &Authoring, markdown: String) -> Result<Document, ApiError> {
    nodes::document(&authoring.kernel.work, ReadText::from(markdown)).await
}

/// The tag of a part of a revision. Conditional writes compare what is before the dot.
pub fn tag(revision: RevisionId, part: &str) -> EntityTag {
    EntityTag::new(format_args!("{revision}.{part}"))
}

fn fresh<T>(tag: EntityTag, body: T) -> Result<Conditional<T>, ApiError> {
    Ok(Conditional::Fresh(Tagged { tag, body }))
}

fn written<T>(tag: EntityTag, json: Bytes) -> Conditional<T> {
    let body = Body::from_bytes(json);
    Conditional::Written(Tagged { tag, body })
}

fn digest(value: &impl serde::Serialize) -> Result<Hash, ApiError> {
    Ok(Hash::of(&serde_json::to_vec(value)?))
}
