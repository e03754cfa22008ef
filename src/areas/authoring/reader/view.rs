//! Wire types of pages, files and revisions.

use std::collections::{BTreeMap, BTreeSet};

use content::pages::{
    File, Forest, Layout, Page, PageContent, ReusableContent, Variable, wire_cover, wire_dimensions, wire_layout,
    wire_tags, wire_variables,
};
use content::{pages::ComputedPages, revisions::Revision};
use entity::{
    content::revisions::RevisionKind,
    ids::{NodeId, PageId, RevisionId},
};
use openapi::models::{
    self as wire, ChangeRequest, ComputedPage, ContentPage, ContentRef, DocumentPage, DocumentPageUrls, GitSyncBlob,
    GitSyncCommit, GroupPage, LinkPage, MergeRevision, PlainRevision, PlainRevisionType, RevisionFile,
    RevisionInContext, RevisionReusableContent, RevisionTag, RevisionType, RevisionUrls,
};
use uuid::Uuid;

use crate::{
    areas::{content::computed::ComputedTree, joins::git_state::GitBlobs},
    kernel::{
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    RevisionKind as RevisionType { Edits, Merge, Rollback, Update, Computed }
}

/// The content of a revision.
pub struct RevisionParts {
    pub forest: Forest,
    pub files: Vec<File>,
    pub reusable_contents: Vec<ReusableContent>,
    pub variables: Vec<Variable>,
}

/// Makes the wire type of a page from the members that pages of all types have, and from its other members.
macro_rules! wire_page {
    ($type:ident, $page:expr, { $($other:tt)* }) => {
        $type {
            id: $page.id.to_string(),
            title: $page.title.clone(),
            link_title: $page.link_title.clone(),
            emoji: $page.emoji.clone(),
            icon: $page.icon.clone(),
            created_at: $page.created_at.map(time),
            updated_at: $page.updated_at.map(time),
            r#type: Default::default(),
            $($other)*
        }
    };
}

/// Converts the content of a space to wire types.
pub struct ContentView<'a> {
    pub urls: &'a Urls,
    pub space: NodeId,
    /// The computed pages of the revision.
    pub computed: Option<&'a ComputedTree>,
    pub blobs: Option<&'a GitBlobs>,
}

impl<'a> ContentView<'a> {
    /// A view of stored content.
    pub fn stored(urls: &'a Urls, space: NodeId) -> Self {
        Self {
            urls,
            space,
            computed: None,
            blobs: None,
        }
    }

    fn blob(&self, id: &Uuid) -> Option<GitSyncBlob> {
        self.blobs?.get(id).cloned()
    }

    /// The subpages of a page with all their descendants. `path` is the path of the page.
    pub fn pages(&self, forest: &Forest, parent: Option<PageId>, path: &str) -> Vec<ContentPage> {
        let pages = forest.below(parent).iter();
        pages
            .map(|page| self.page(forest, page, &joined(path, &page.slug)))
            .collect()
    }

    /// A page with all its descendants, without its text.
    pub fn page(&self, forest: &Forest, page: &Page, path: &str) -> ContentPage {
        match &page.content {
            PageContent::Document {
                layout,
                cover,
                variables,
                tags,
                ..
            } => {
                let layout = Layout::from(layout.as_ref());
                let document = self.document(forest, page, path);
                ContentPage::DocumentPage(DocumentPage {
                    layout: wire_layout(&layout),
                    cover: cover.as_ref().map(wire_cover),
                    tags: wire_tags(tags),
                    variables: (!variables.is_empty()).then(|| wire_variables(variables)),
                    ..document
                })
            }
            PageContent::Group => ContentPage::GroupPage(self.group(forest, page, path)),
            PageContent::Link { target } => ContentPage::LinkPage(link(page, target)),
            PageContent::Computed { source } => ContentPage::ComputedPage(computed(page, source)),
        }
    }

    pub fn revision(
        &self,
        revision: &Revision,
        parts: RevisionParts,
        (merged_from, git): (Option<ChangeRequest>, Option<GitSyncCommit>),
    ) -> wire::Revision {
        let RevisionParts {
            forest,
            mut files,
            mut reusable_contents,
            variables,
        } = parts;
        let variables: BTreeMap<String, String> = variables.into_iter().map(|it| (it.name, it.value)).collect();
        files.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
        reusable_contents.sort_by(|one, other| (&one.title, one.id).cmp(&(&other.title, other.id)));
        let plain = PlainRevision {
            object: Default::default(),
            id: revision.id.to_string(),
            parents: revision.parents.iter().map(ToString::to_string).collect(),
            pages: self.pages(&forest, None, ""),
            files: files.iter().map(|file| self.file(file)).collect(),
            reusable_contents: reusable_contents
                .iter()
                .map(|content| self.reusable_content(content))
                .collect(),
            tags: tags(&forest),
            variables: (!variables.is_empty()).then(|| wire_variables(&variables)),
            created_at: time(revision.created_at),
            git,
            source_revision: self.computed.map(|_| revision.id.to_string()),
            urls: revision_urls(self.urls, self.space, revision.id),
            r#type: plain_type(revision.kind),
        };
        match merged_from {
            Some(merged_from) => wire::Revision::MergeRevision(merge(plain, merged_from)),
            None => wire::Revision::PlainRevision(plain),
        }
    }

    fn document(&self, forest: &Forest, page: &Page, path: &str) -> DocumentPage {
        let (computed, computed_seed) = self.computed.and_then(|computed| computed.source(page.id)).unzip();
        wire_page!(DocumentPage, page, {
            kind: Default::default(),
            urls: DocumentPageUrls {
                app: self.urls.page_page(self.space, page.id),
            },
            slug: page.slug.clone(),
            path: path.to_owned(),
            description: page.description.clone(),
            condition: page.condition.clone(),
            markdown: None,
            document: None,
            document_id: page.document().map(|document| document.to_string()),
            computed,
            computed_seed,
            pages: self.pages(forest, Some(page.id), path),
            git: self.blob(page.id.as_uuid()),
            layout: wire_layout(&Layout::default()),
            cover: None,
            tags: Vec::new(),
            variables: None,
            hidden: page.hidden,
            no_index: page.no_index,
            no_robots_index: page.no_robots_index,
        })
    }

    fn group(&self, forest: &Forest, page: &Page, path: &str) -> GroupPage {
        wire_page!(GroupPage, page, {
            kind: Default::default(),
            slug: page.slug.clone(),
            path: path.to_owned(),
            hidden: page.hidden,
            no_index: page.no_index,
            no_robots_index: page.no_robots_index,
            pages: self.pages(forest, Some(page.id), path),
        })
    }

    pub fn file(&self, file: &File) -> RevisionFile {
        RevisionFile {
            id: file.id.to_string(),
            name: file.name.clone(),
            content_type: file.content_type.clone(),
            download_url: self.urls.file(self.space, file),
            size: file.size,
            dimensions: file.dimensions.map(wire_dimensions),
            git: self.blob(file.id.as_uuid()),
        }
    }

    pub fn reusable_content(&self, content: &ReusableContent) -> RevisionReusableContent {
        RevisionReusableContent {
            id: content.id.to_string(),
            title: content.title.clone(),
            document: content.document.map(|document| document.to_string()),
            computed: None,
            computed_seed: None,
            git: self.blob(content.id.as_uuid()),
        }
    }
}

/// A revision without its content, as the context of something in it.
pub fn revision_in_context(
    urls: &Urls,
    space: NodeId,
    revision: &Revision,
    merged_from: Option<ChangeRequest>,
) -> RevisionInContext {
    RevisionInContext {
        object: Default::default(),
        id: revision.id.to_string(),
        r#type: match (revision.kind, &merged_from) {
            (RevisionKind::Merge, None) => RevisionType::Edits,
            (kind, _) => kind.to_wire(),
        },
        parents: revision.parents.iter().map(ToString::to_string).collect(),
        pages: Vec::new(),
        files: Vec::new(),
        reusable_contents: Vec::new(),
        created_at: time(revision.created_at),
        merged_from,
        urls: revision_urls(urls, space, revision.id),
    }
}

/// The tags that pages have, by their slugs.
fn tags(forest: &Forest) -> Vec<RevisionTag> {
    let mut slugs = BTreeSet::new();
    add_tags(forest, None, &mut slugs);
    let tag = |slug: &str| RevisionTag {
        slug: slug.to_owned(),
        label: slug.to_owned(),
        color: Default::default(),
    };
    slugs.into_iter().map(tag).collect()
}

/// Pages below one that was taken out are not reached, as in the list of the pages.
fn add_tags<'f>(forest: &'f Forest, parent: Option<PageId>, slugs: &mut BTreeSet<&'f str>) {
    for page in forest.below(parent) {
        slugs.extend(page.tags().iter().map(|tag| tag.tag.as_str()));
        add_tags(forest, Some(page.id), slugs);
    }
}

fn merge(plain: PlainRevision, merged_from: ChangeRequest) -> MergeRevision {
    MergeRevision {
        object: Default::default(),
        id: plain.id,
        parents: plain.parents,
        pages: plain.pages,
        files: plain.files,
        reusable_contents: plain.reusable_contents,
        tags: plain.tags,
        variables: plain.variables,
        created_at: plain.created_at,
        git: plain.git,
        source_revision: plain.source_revision,
        urls: plain.urls,
        r#type: Default::default(),
        merged_from,
    }
}

/// A merge whose change request was deleted has the type `edits`.
fn plain_type(kind: RevisionKind) -> PlainRevisionType {
    match kind {
        RevisionKind::Edits | RevisionKind::Merge => PlainRevisionType::Edits,
        RevisionKind::Rollback => PlainRevisionType::Rollback,
        RevisionKind::Update => PlainRevisionType::Update,
        RevisionKind::Computed => PlainRevisionType::Computed,
    }
}

pub fn revision_urls(urls: &Urls, space: NodeId, revision: RevisionId) -> RevisionUrls {
    RevisionUrls {
        app: urls.revision_page(space, revision),
        published: None,
        public: None,
    }
}

fn link(page: &Page, target: &ContentRef) -> LinkPage {
    wire_page!(LinkPage, page, {
        kind: Default::default(),
        target: target.clone(),
        href: match target {
            ContentRef::ContentRefUrl(target) => Some(target.url.clone()),
            _ => None,
        },
        hidden: page.hidden,
    })
}

fn computed(page: &Page, source: &ComputedPages) -> ComputedPage {
    wire_page!(ComputedPage, page, {
        computed: source.into(),
    })
}

fn joined(path: &str, slug: &str) -> String {
    if path.is_empty() {
        slug.to_owned()
    } else {
        format!("{path}/{slug}")
    }
}
