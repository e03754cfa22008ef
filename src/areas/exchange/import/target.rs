//! The target and the author of an import.

use anyhow::{Context, bail};
use entity::{
    identity::users,
    ids::{NodeId, OrganizationId, UserId},
    library::nodes,
    organizations::members::{Column, Entity, MemberRole},
};
use sea_orm::{ColumnTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, Related};

use crate::{
    access::node_levels::Member,
    areas::{
        exchange::Exchange,
        organizations::{members, organizations},
    },
};

/// The destination that the operator names.
#[derive(Debug, Clone)]
pub enum ImportDestination {
    /// Replaces the content of the space with this id.
    Space(String),
    /// A new space in the organization of this id or title.
    New { organization: String, title: String },
}

/// The destination and the author, looked up.
#[derive(Clone)]
pub struct ImportTarget {
    pub(super) space: TargetSpace,
    /// The author.
    pub member: Member,
}

#[derive(Clone)]
pub(super) enum TargetSpace {
    Existing(nodes::Model),
    New(String),
}

impl ImportTarget {
    /// The space, if there is one already.
    pub fn node(&self) -> Option<&nodes::Model> {
        match &self.space {
            TargetSpace::Existing(node) => Some(node),
            TargetSpace::New(_) => None,
        }
    }

    pub fn author(&self) -> UserId {
        self.member.user
    }

    /// Finds the target. The default author is the first admin of the organization.
    pub async fn find(
        exchange: &Exchange,
        destination: ImportDestination,
        author: Option<UserId>,
    ) -> anyhow::Result<Self> {
        let (organization, space) = match destination {
            ImportDestination::Space(id) => {
                let node = find_space(exchange, &id).await?;
                (node.organization_id, TargetSpace::Existing(node))
            }
            ImportDestination::New { organization, title } => (
                find_organization(exchange, &organization).await?,
                TargetSpace::New(title),
            ),
        };
        let author = match author {
            Some(author) => author,
            None => first_admin(exchange, organization).await?,
        };
        let row = members::store::find(exchange.kernel.db.read(), organization, author).await?;
        let Some(row) = row.filter(|row| !row.disabled) else {
            bail!("the author is not an enabled member of the organization; name another one with --user");
        };
        let member = Member::new(organization, row.user_id, row.role);
        Ok(Self { space, member })
    }
}

pub async fn find_space(exchange: &Exchange, id: &str) -> anyhow::Result<nodes::Model> {
    let unknown = || format!("no space has the id {id}");
    let id: NodeId = id.parse().ok().with_context(unknown)?;
    let found = nodes::Entity::find_by_id(id)
        .filter(nodes::Column::Kind.eq(nodes::NodeKind::Space))
        .filter(nodes::Column::DeletedAt.is_null());
    found.one(exchange.kernel.db.read()).await?.with_context(unknown)
}

pub async fn find_organization(exchange: &Exchange, name: &str) -> anyhow::Result<OrganizationId> {
    let all = organizations::list(&exchange.kernel).await?;
    let id: Option<OrganizationId> = name.parse().ok();
    let mut found = all.iter().filter(|row| Some(row.id) == id || row.title == name);
    match (found.next(), found.next()) {
        (Some(found), None) => Ok(found.id),
        (None, _) => bail!("no organization has the id or title {name}; `bindery org list` prints all organizations"),
        (Some(_), Some(_)) => {
            bail!("several organizations have the title {name}; use an id, which `bindery org list` prints")
        }
    }
}

pub async fn first_admin(exchange: &Exchange, organization: OrganizationId) -> anyhow::Result<UserId> {
    let found = Entity::find()
        .select_only()
        .column(Column::UserId)
        .join(JoinType::InnerJoin, <Entity as Related<users::Entity>>::to())
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Role.eq(MemberRole::Admin))
        .filter(Column::Disabled.eq(false))
        .filter(users::Column::SuspendedAt.is_null())
        .order_by_asc(Column::JoinedAt)
        .order_by_asc(Column::UserId)
        .limit(1)
        .into_tuple()
        .one(exchange.kernel.db.read());
    found
        .await?
        .context("the organization has no active admin; name the author with --user")
}
