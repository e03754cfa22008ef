//! New spaces with their first content.

use content::{
    draft::Draft,
    index::Index,
    initial,
    objects::Content,
    pages::{ComputedPages, Snapshot},
    revisions::{Origin, Revision},
};
use entity::{
    ids::JobId,
    library::{nodes, spaces},
};
use openapi::{error::ApiError, models::ApplyTemplate};
use platform::db::{Tx, rows};
use serde_json::{Value, json};

use crate::{
    access::node_levels::Member,
    areas::{
        content::{Contents, computed::IndexComputedPages},
        library::{
            templates::{AppliedTemplate, Destination},
            tree::{self, store::NewNode},
        },
    },
};

/// The first content of a space.
pub enum FirstContent {
    Nothing,
    /// An empty page.
    Page,
    /// The pages of the specification with this slug.
    Computed(String, ComputedPages),
    /// The content of a template, which stands at the pointer in the request.
    Template(ApplyTemplate, &'static str),
}

/// A space with its first content, ready to be inserted.
#[derive(Clone)]
pub struct NewSpace {
    node: NewNode,
    row: spaces::Model,
    draft: Draft,
    revision: Revision,
    /// `None`: the pages have no texts.
    index: Option<Index>,
    /// For the index of computed pages.
    job: Option<JobId>,
    /// Details of the space in the audit log.
    pub details: Value,
}

impl NewSpace {
    /// Makes the content of a space for its creator.
    pub async fn prepare(
        contents: &Contents,
        creator: &Member,
        (node, row): (NewNode, spaces::Model),
        content: FirstContent,
    ) -> Result<Self, ApiError> {
        let mut details = json!({});
        let (draft, index) = match content {
            FirstContent::Nothing => (initial::first(None)?, None),
            FirstContent::Page => (initial::first(Some(contents.kernel.ids.next()))?, None),
            FirstContent::Computed(name, pages) => {
                (initial::first_computed(contents.kernel.ids.next(), &name, pages)?, None)
            }
            FirstContent::Template(template, pointer) => {
                details = json! ( { "template" : & template . id } );
                let (draft, index) = from_template(contents, creator, &row, template, pointer).await?;
                (draft, Some(index))
            }
        };
        let origin = Origin::edits(row.id, vec![], creator.user);
        let revision = draft.revision(row.revision_id, origin, node.now);
        let is_computed = !revision.snapshot.placeholders.is_empty();
        Ok(Self {
            job: is_computed.then(|| contents.kernel.ids.next()),
            node,
            row,
            draft,
            revision,
            index,
            details,
        })
    }

    /// Inserts the space with its content; the caller wakes the jobs after the transaction.
    pub async fn insert(&self, tx: &Tx, creator: &Member) -> Result<nodes::Model, ApiError> {
        let node = tree::store::insert(tx, creator, self.node.clone()).await?;
        rows::insert(tx, &self.row).await?;
        self.draft.store(tx, &self.revision).await?;
        match &self.index {
            Some(index) => index.store(tx).await?,
            None => self.draft.index(tx, node.id, self.row.language).await?,
        }
        if let Some(job) = self.job {
            IndexComputedPages::enqueue(tx, job, node.id, self.node.now).await?;
        }
        Ok(node)
    }
}

async fn from_template(
    contents: &Contents,
    creator: &Member,
    space: &spaces::Model,
    template: ApplyTemplate,
    pointer: &'static str,
) -> Result<(Draft, Index), ApiError> {
    let destination = Destination {
        space: space.id,
        snapshot: Snapshot::default(),
        pointer,
    };
    let template = AppliedTemplate::prepare(contents, creator, template, destination).await?;
    let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space.id);
    let draft = template.draft(&mut content).await?; // On the heap, because every write that makes a space holds it.
    let index = Box::pin(Index::of_new_space(
        &contents.kernel.work,
        &mut content,
        space.id,
        space.language,
        &draft.changes,
    ))
    .await?;
    Ok((draft, index))
}
