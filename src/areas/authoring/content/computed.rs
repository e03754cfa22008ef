//! Content that is computed for a request.

use content::{
    objects::Objects,
    pages::{ComputedPages, Page, PageContent, Pages, Snapshot},
};
use entity::ids::PageId;
use openapi::{
    error::{ApiError, ErrorRule},
    models::{
        ComputedDescriptionOrOperationsDoc as Doc, ComputedRevision, ComputedTextSource, ComputedTextSourceProps,
        Document, OpenApiDependency, PagesSource, ReadComputedDocument, ReadComputedRevision, TextSource,
    },
};
use platform::hash::Hash;
use specifications::PageText;
use uuid::Uuid;

use super::current;

use crate::{
    access::SpaceAccess,
    areas::{
        authoring::{
            Authoring,
            reader::{self, view::ContentView},
        },
        content::computed::{
            self, ComputedTree, Dependency, Origin, Specification, WantedSpecification, unknown_content_source,
            unknown_source,
        },
    },
};

const SOURCE: &str = "/body/source";

/// A text that is computed from a specification, or that an integration computed.
pub async fn document(
    authoring: &Authoring,
    access: &SpaceAccess,
    body: ReadComputedDocument,
) -> Result<Document, ApiError> {
    let ComputedTextSource {
        props, dependencies, ..
    } = match body.source {
        TextSource::ComputedTextSource(source) => source,
        TextSource::IntegrationPagesSource(source) => {
            let (space, contents) = (access.row.node.id, &authoring.contents);
            let markdown = match is_member(access) {
                true => contents.stored_text(space, &source.r#type, &source.props).await?,
                false => None,
            };
            return reader::parse(authoring, markdown.ok_or_else(|| unknown_content_source(SOURCE))?).await;
        }
    };
    let (dependency, _) = known_dependency(authoring, access, &dependencies.spec).await?;
    let text = match props {
        ComputedTextSourceProps::ComputedModels(_) => PageText::Models,
        ComputedTextSourceProps::ComputedDescriptionOrOperations(props) => match props.doc {
            Doc::Operations => PageText::Operations(props.page),
            Doc::Info => PageText::Info(props.page),
        },
    };
    let markdown = computed::markdown(&dependency, &text, page_of(&body.seed)).ok_or_else(|| {
        let message = "`page` is not a page of this kind in this version of the specification.";
        ApiError::invalid_member(format!("{SOURCE}/props/page"), ErrorRule::UnknownSource, message)
    })?;
    reader::parse(authoring, markdown).await
}

/// The pages that are computed from a source.
pub async fn revision(
    authoring: &Authoring,
    access: &SpaceAccess,
    body: ReadComputedRevision,
) -> Result<ComputedRevision, ApiError> {
    let (space, organization) = (access.row.node.id, access.row.node.organization_id);
    let placeholder = |title: String, source: &ComputedPages| Page {
        content: PageContent::Computed {
            source: Box::new(source.clone()),
        },
        ..Page::empty(
            page_of(&body.seed),
            Default::default(),
            title.clone(),
            title.to_lowercase(),
        )
    };
    let (placeholder, source, origin) = match body.source {
        PagesSource::ComputedPagesSource(source) => {
            let (dependency, found) = known_dependency(authoring, access, &source.dependencies.spec).await?;
            let known = authoring.contents.known_source(organization, SOURCE, &source);
            let source = known.await?.pages;
            (
                placeholder(found.slug, &source),
                source,
                Origin::Specification(dependency),
            )
        }
        source @ PagesSource::IntegrationPagesSource(_) => {
            let known = authoring.contents.known_pages((space, organization), SOURCE, source);
            let (title, source) = known.await?;
            let placeholder = placeholder(title, &source);
            let stored = authoring.contents.stored_pages_at(space, placeholder.clone()).await?;
            let stored = stored
                .filter(|_| is_member(access))
                .ok_or_else(|| unknown_content_source(SOURCE))?;
            (placeholder, source, Origin::Integration(stored))
        }
    };
    let digest = Hash::of(body.seed.as_bytes());
    let tree = ComputedTree::new(
        digest,
        &authoring.kernel.urls,
        std::iter::once((&placeholder, &source, origin)),
    );
    let objects = Objects::default();
    let pages = Pages::with_computed(&objects, Snapshot::default(), &tree.overlay);
    let forest = pages
        .forest()
        .map_err(|_| ApiError::internal("computed pages are not in memory"))?;
    let view = ContentView {
        computed: Some(&tree),
        ..ContentView::stored(&authoring.kernel.urls, access.row.node.id)
    };
    Ok(ComputedRevision {
        pages: view.pages(&forest, None, ""),
        files: Vec::new(),
        reusable_contents: Vec::new(),
    })
}

/// The id that a seed stands for: the placeholder with this id, or one that is nowhere.
fn page_of(seed: &str) -> PageId {
    let nowhere = || computed::page_id(PageId::from_uuid(Uuid::nil()), seed);
    seed.parse().unwrap_or_else(|_| nowhere())
}

/// A specification that the caller may read through the space.
async fn known_dependency(
    authoring: &Authoring,
    access: &SpaceAccess,
    wanted: &OpenApiDependency,
) -> Result<(Dependency, Specification), ApiError> {
    let wanted = WantedSpecification::from(wanted);
    let is_pinned = wanted.version.is_some();
    let found = authoring
        .contents
        .dependencies(&[access.row.node.id], vec![wanted])
        .await?;
    let found = found.into_iter().next().and_then(|dependency| {
        let specification = dependency.specification.clone()?;
        Some((dependency, specification))
    });
    let found = found.filter(|(_, specification)| specification.version.is_some() || !is_pinned);
    let (dependency, specification) = found.ok_or_else(|| unknown_source(SOURCE))?;
    if !is_member(access) && !is_used(authoring, access, &specification).await? {
        return Err(unknown_source(SOURCE));
    }
    Ok((dependency, specification))
}

fn is_member(access: &SpaceAccess) -> bool {
    access.site.is_none() && access.member.role.is_some()
}

/// Returns whether computed pages of the space that the caller sees are those of a specification.
async fn is_used(authoring: &Authoring, access: &SpaceAccess, specification: &Specification) -> Result<bool, ApiError> {
    let mut reader = current(authoring, access, None).await?;
    let revisions = std::slice::from_ref(&reader.revision);
    let mut placeholders = authoring.contents.placeholders_of(revisions, specification.id).await?;
    let placeholders = placeholders.remove(&reader.revision.space).unwrap_or_default();
    reader.sees_placeholder(&placeholders).await
}
