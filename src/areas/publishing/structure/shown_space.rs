//! The space that a new site space shows.

use entity::{
    ids::NodeId,
    library::nodes::{Model, NodeKind},
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::ApplyTemplate,
};
use platform::db::Tx;

use super::site::{Publication, check_publications};

use crate::{
    access::node_levels::Member,
    areas::{
        library::{
            spaces::{
                new_row,
                new_space::{FirstContent, NewSpace},
            },
            tree::{self, store::NewNode},
        },
        publishing::{Publishing, guard::SiteAccess},
    },
};

#[derive(Clone)]
pub enum ShownSpace {
    Existing(Publication),
    /// At the top level of the organization.
    New(Box<NewSpace>),
}

impl ShownSpace {
    pub fn existing(space: NodeId) -> Self {
        Self::Existing(Publication::of(space))
    }

    /// The space that a request names, or a new one with this title.
    pub async fn prepare(
        publishing: &Publishing,
        access: &SiteAccess,
        named: Option<NodeId>,
        title: Option<String>,
        template: Option<ApplyTemplate>,
    ) -> Result<Self, ApiError> {
        if let Some(space) = named {
            if template.is_some() {
                let message = "`template` is for a new space, with `spaceId` as null.";
                return Err(ApiError::invalid_member("/body/template", ErrorRule::Form, message));
            }
            return Ok(Self::existing(space));
        }
        let kernel = &publishing.kernel;
        let node = NewNode::new(kernel, NodeKind::Space, None, title.unwrap_or_default());
        let row = new_row(node.id, None, kernel.ids.next())?;
        let content = match template {
            Some(template) => FirstContent::Template(template, "/body/template"),
            None => FirstContent::Page,
        };
        let space = NewSpace::prepare(&publishing.contents, &access.member, (node, row), content).await?;
        Ok(Self::New(Box::new(space)))
    }

    /// The row of the space, which the member may publish.
    pub async fn publish(&self, tx: &Tx, member: &Member) -> Result<Option<Model>, ApiError> {
        match self {
            Self::Existing(publication) => {
                let publications = std::slice::from_ref(publication);
                Ok(check_publications(tx, member, publications).await?.into_iter().next())
            }
            Self::New(space) => {
                tree::require_create(tx, member, None).await?;
                Ok(Some(space.insert(tx, member).await?))
            }
        }
    }
}
