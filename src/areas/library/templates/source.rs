//! Templates as the sources of content.

use std::{collections::HashMap, sync::Arc};

use content::{
    draft::Draft,
    objects::Content,
    pages::Pages,
    revisions::Revision,
    template::{CopyTarget, Parameter, Template, TemplateCopy, Unusable},
};
use entity::ids::{NodeId, PageId};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::ApplyTemplate,
};
use platform::db::Reads;

use super::{built_in, destination::Destination, store, values};

use crate::{
    access::node_levels::Member,
    areas::content::{Contents, computed::ComputedTree},
};

/// A template with values for its parameters, ready to be added to the content of its destination.
pub struct AppliedTemplate {
    id: String,
    copy: TemplateCopy,
    destination: Destination,
}

impl AppliedTemplate {
    /// Finds the template among those that the member may use, and checks the values of its parameters.
    pub async fn prepare(
        contents: &Contents,
        member: &Member,
        template: ApplyTemplate,
        destination: Destination,
    ) -> Result<Self, ApiError> {
        let ApplyTemplate { id, params } = template;
        let Found {
            content,
            parameters,
            computed,
        } = find(contents, member, &id, destination.pointer).await?;
        let references = params.and_then(|params| params.content_refs).unwrap_or_default();
        let values = values::check(contents, member, &parameters, references, &destination).await?;
        let computed_ids = |copies: &HashMap<PageId, PageId>| {
            let tree = computed.as_ref();
            tree.map(|tree| tree.copied(copies)).unwrap_or_default()
        };
        let target = CopyTarget {
            space: destination.space,
            values: &values,
            ids: &contents.kernel.ids,
            now: contents.kernel.clock.now(),
            computed: &computed_ids,
        };
        let computation = contents.kernel.work.start(content.text_bytes()).await?;
        let copy = computation.run(|| content.copy(&target))?;
        Ok(Self { id, copy, destination })
    }

    /// The content of the destination with that of the template.
    pub async fn draft(&self, content: &mut Content<'_, Reads>) -> Result<Draft, ApiError> {
        let before = self.destination.snapshot;
        let after = content.run(|objects| {
            let mut pages = Pages::of(objects, before);
            self.copy.add_to(&mut pages)?;
            pages.finish()
        });
        let after = after.await?;
        Draft::of(content, &before, after).await
    }

    /// The id of the template.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// A template that was found.
struct Found {
    content: Arc<Template>,
    parameters: Vec<Parameter>,
    /// `None`: it has no computed pages.
    computed: Option<Arc<ComputedTree>>,
}

async fn find(contents: &Contents, member: &Member, id: &str, pointer: &str) -> Result<Found, ApiError> {
    if let Some(found) = built_in::all().iter().find(|template| template.id == id) {
        return Ok(Found {
            content: Arc::clone(&found.content),
            parameters: found.parameters.clone(),
            computed: None,
        });
    }
    let space: Option<NodeId> = id.parse().ok();
    let row = match space {
        Some(space) => store::find_usable(contents.kernel.db.read(), member, space).await?,
        None => None,
    };
    let row = row.ok_or_else(|| unknown_template(pointer))?;
    let revision = contents
        .state
        .revision(&contents.kernel.db, row.space_id, row.revision_id)
        .await?;
    let revision = revision.ok_or_else(|| unknown_template(pointer))?;
    let template = load(contents, &revision).await?;
    Ok(Found {
        content: Arc::new(template),
        parameters: serde_json::from_value(row.parameters)?,
        computed: contents.computed_tree(&revision).await?,
    })
}

/// Loads the content of a revision, unless it exceeds the limits of templates.
pub async fn load(contents: &Contents, revision: &Revision) -> Result<Template, ApiError> {
    let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, revision.space);
    let template = Template::load(&mut content, revision.space, revision.snapshot).await?;
    template.map_err(unusable)
}

pub fn unusable(Unusable(message): Unusable) -> ApiError {
    ApiError::new(ErrorType::UnusableTemplate, message)
}

fn unknown_template(pointer: &str) -> ApiError {
    let message = "`id` is not a template that you may use.";
    ApiError::invalid_member(format!("{pointer}/id"), ErrorRule::UnknownTemplate, message)
}
