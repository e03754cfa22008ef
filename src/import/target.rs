//! Where an import goes, and who its author is.

use anyhow::{Context, bail};
use entity::{
    ids::{NodeId, OrganizationId, UserId},
    members::{Column, Entity, MemberRole},
    nodes, users,
};
use sea_orm::{ColumnTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, Related};

use crate::{
    access::node_levels::Member,
    app::App,
    areas::organizations::{members, organizations},
};

/// Where people say that an import goes.
#[derive(Debug, Clone)]
pub enum Place {
    /// Takes the place of all that the space holds.
    Space(String),
    /// A new space in the organization of this id or title.
    New { organization: String, title: String },
}

/// The same, looked up.
#[derive(Clone)]
pub struct Target {
    pub(super) into: Found,
    /// The author.
    pub(super) member: Member,
}

#[derive(Clone)]
pub(super) enum Found {
    Space(nodes::Model),
    New(String),
}

impl Target {
    /// The author is the member who is named, or else the first admin of the organization.
    pub async fn find(app: &App, place: Place, author: Option<UserId>) -> anyhow::Result<Self> {
        let (organization, into) = match place {
            Place::Space(id) => {
                let node = space(app, &id).await?;
                (node.organization_id, Found::Space(node))
            }
            Place::New { organization, title } => (named(app, &organization).await?, Found::New(title)),
        };
        let author = match author {
            Some(author) => author,
            None => first_admin(app, organization).await?,
        };
        let row = members::store::find(app.db.read(), organization, author).await?;
        let Some(row) = row.filter(|row| !row.disabled) else {
            bail!("the author is no member of the organization");
        };
        let member = Member {
            organization,
            user: row.user_id,
            role: row.role,
        };
        Ok(Self { into, member })
    }
}

async fn space(app: &App, id: &str) -> anyhow::Result<nodes::Model> {
    let unknown = || format!("there is no space {id}");
    let id: NodeId = id.parse().ok().with_context(unknown)?;
    let found = nodes::Entity::find_by_id(id)
        .filter(nodes::Column::Kind.eq(nodes::NodeKind::Space))
        .filter(nodes::Column::DeletedAt.is_null());
    found.one(app.db.read()).await?.with_context(unknown)
}

async fn named(app: &App, name: &str) -> anyhow::Result<OrganizationId> {
    let all = organizations::list(app).await?;
    let id: Option<OrganizationId> = name.parse().ok();
    let mut found = all.iter().filter(|row| Some(row.id) == id || row.title == name);
    match (found.next(), found.next()) {
        (Some(found), None) => Ok(found.id),
        (None, _) => bail!("there is no organization {name}"),
        (Some(_), Some(_)) => bail!("several organizations are called {name}: name one by its id"),
    }
}

async fn first_admin(app: &App, organization: OrganizationId) -> anyhow::Result<UserId> {
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
        .one(app.db.read());
    found.await?.context("the organization has no admin: name the author")
}
