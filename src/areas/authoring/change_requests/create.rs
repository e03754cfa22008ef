//! New change requests.

use std::sync::Arc;

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    objects::Content,
    revisions::{Origin, Revision},
};
use entity::{
    authoring::change_requests::{Model, contributors::ContributorAction},
    ids::{ChangeRequestId, RevisionId},
};
use openapi::{
    error::ApiError,
    models::{ApplyTemplate, ChangeRequest, CreateChangeRequest},
};
use platform::db::{Tx, rows};
use serde_json::json;

use super::{Status, counters, load, record_contribution, store, target};
use crate::{
    access::SpaceAccess,
    areas::{
        authoring::editor::write::load_revision,
        content::Contents,
        library::{
            templates::{AppliedTemplate, Destination},
            tree,
        },
    },
    kernel::audit::Changed,
};

/// Creates a draft that starts from the current revision of the space.
pub async fn create(
    contents: &Contents,
    access: &SpaceAccess,
    body: Option<CreateChangeRequest>,
) -> Result<ChangeRequest, ApiError> {
    let members = body.map(|body| (body.subject, body.template, body.conversations_issues_cluster));
    let (subject, template, cluster) = members.unwrap_or_default();
    let subject = subject.unwrap_or_default();
    let (node, creator) = (access.row.node.clone(), access.caller.user_id);
    let (id, now, space) = (contents.kernel.ids.next(), contents.kernel.clock.now(), node.id);
    let content = match template {
        Some(template) => Some(NewContent::of(contents, access, id, template).await?),
        None => None,
    };
    let work = move |tx: Tx| async move {
        tree::reload(&tx, &node).await?;
        let cluster = store::present_cluster(&tx, node.organization_id, cluster).await?;
        let counted = counters::count_new(&tx, node.id).await?;
        let (revision_id, initial_id) = match &content {
            Some(content) => (content.revision.id, content.initial),
            None => (counted.revision_id, counted.revision_id),
        };
        let request = Model {
            id,
            space_id: node.id,
            number: counted.change_requests,
            status: Status::Draft,
            subject,
            description: None,
            links: None,
            created_by: creator,
            created_at: now,
            updated_at: now,
            revision_id,
            initial_id,
            ancestor_id: None,
            merged_id: None,
            merged_at: None,
            merged_by: None,
            organization_id: node.organization_id,
            conversations_issues_cluster_id: cluster,
        };
        rows::insert(&tx, &request).await?;
        let created = Changed::of(target(&node, &request), ());
        let Some(content) = content else {
            return created.with(json!({ "space": node.id, "number": request.number }));
        };
        content.store(&tx).await?;
        record_contribution(&tx, id, creator, ContributorAction::Edit, now).await?;
        created.with(json!({ "space": node.id, "number": request.number, "template": content.template }))
    };
    contents.kernel.write(&access.caller, work).await?;
    load(&contents.kernel, space, id).await
}

/// The content of a change request that starts with a template.
#[derive(Clone)]
struct NewContent {
    /// The revision of the space that the content starts from.
    initial: RevisionId,
    revision: Arc<Revision>,
    draft: Draft,
    index: Index,
    /// The id of the template.
    template: String,
}

impl NewContent {
    async fn of(
        contents: &Contents,
        access: &SpaceAccess,
        request: ChangeRequestId,
        template: ApplyTemplate,
    ) -> Result<Self, ApiError> {
        let space = access.row.node.id;
        let head = load_revision(contents, space, access.row.space.revision_id).await?;
        let destination = Destination {
            space,
            snapshot: head.snapshot,
            pointer: "/body/template",
        };
        let template = AppliedTemplate::prepare(contents, &access.member, template, destination).await?;
        let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space);
        let mut draft = template.draft(&mut content).await?;
        let context = (&contents.kernel.db, &contents.kernel.work);
        let index = Index::of(context, &mut content, space, &draft.changes, SearchUpdate::None).await?;
        draft.store_ahead(&contents.kernel.db, space).await?;
        let origin = Origin {
            change_request: Some(request),
            ..Origin::edits(space, vec![head.id], access.caller.user_id)
        };
        let revision = draft.revision(contents.kernel.ids.next(), origin, contents.kernel.clock.now());
        Ok(Self {
            initial: head.id,
            revision: Arc::new(revision),
            draft,
            index,
            template: template.id().to_owned(),
        })
    }

    async fn store(&self, tx: &Tx) -> Result<(), ApiError> {
        self.draft.store(tx, &self.revision).await?;
        self.index.store(tx).await?;
        Ok(())
    }
}
