//! The basis of a decision of the guard. Each write of the request checks it again in its own transaction, because a token,
//! a membership or a permission may end while a request is on its way.

use std::sync::Arc;

use entity::{
    identity::{tokens, users},
    ids::{NodeId, OrganizationId, SiteId, TeamId, UserId},
    library::nodes::{self, DefaultLevel, NodeKind},
    organizations::{
        members::{self, MemberRole},
        saml_providers,
        teams::members::{self as team_members, TeamMemberRole},
    },
    publishing::sites,
    timestamp::Timestamp,
};
use openapi::{call::Operation, error::ApiError, guard::OwnershipLevel};
use platform::db::{QueryTemplate, ReadRows, Tx, positional};
use poem::http::StatusCode;
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, FromQueryResult, JoinType, QueryFilter, QuerySelect, RelationDef,
    SelectModel, Selector,
    sea_query::{Expr, ExprTrait, IntoCondition},
};

use super::{
    identity::Identity,
    integration_callers::{ScopedIntegration, find_site},
    levels::{Member, on_team},
    node_levels,
    organization_creators::OrganizationCreators,
    rows::organization_of_member,
    site_levels,
    site_reader::SiteReader,
    sso,
};

/// What a caller had when the guard let them in.
#[derive(Clone)]
pub enum Basis {
    /// Only the token.
    Token,
    OrganizationCreator(OrganizationCreators),
    Organization(Member),
    Node {
        kind: NodeKind,
        member: Member,
        node: NodeId,
        level: MemberRole,
        /// Another node that the member has to see, unless it has been deleted.
        seen: Option<NodeId>,
    },
    Team {
        member: Member,
        team: TeamId,
        level: OwnershipLevel,
    },
    Site {
        member: Member,
        site: SiteId,
        /// By the role of the member or by a permission on the site.
        level: Option<MemberRole>,
    },
    /// The site of a visitor, who has no token of a user.
    Visit(Arc<dyn SiteReader>),
    /// A published site, whoever calls.
    Published(SiteId),
}

/// What has become of a basis.
enum Standing {
    Holds,
    /// The caller has less than they had.
    Lower,
    /// The caller does not see the object any more.
    Gone,
}

impl Basis {
    /// Refuses unless the token is valid and the caller has at least what they had, as the guard would refuse now. `tx`: `db`, if it is
    /// a transaction.
    pub async fn check(
        &self,
        db: &impl ReadRows,
        tx: Option<&Tx>,
        identity: &Identity,
        operation: &Operation,
        now: Timestamp,
    ) -> Result<(), ApiError> {
        if let Self::Visit(site) = self {
            return site.require_open(tx).await;
        }
        if let Self::Published(site) = self {
            return require_published(db, *site).await;
        }
        let standing = match &identity.integration {
            Some(integration) => {
                let current = ScopedIntegration::find(db, integration.subject()).await?;
                let current = current.ok_or_else(ApiError::unauthorized)?;
                current.require(operation)?;
                self.standing_of_integration(db, current.into_identity()).await?
            }
            None => {
                let current = self.load(identity).one(db).await?;
                let current = current.filter(|current| current.expires_at.is_none_or(|end| end > now));
                let current = current.ok_or_else(ApiError::unauthorized)?;
                self.standing(db, &current).await?
            }
        };
        match standing {
            Standing::Gone if operation.may_answer(StatusCode::NOT_FOUND) => Err(ApiError::not_found(self.object())),
            Standing::Gone => Err(changed()),
            // An operation that does not forbid asks for no more than that the object is visible.
            Standing::Lower if operation.may_forbid => Err(changed()),
            Standing::Lower | Standing::Holds => Ok(()),
        }
    }

    async fn standing(&self, db: &impl ReadRows, current: &Current) -> Result<Standing, DbErr> {
        let Some(before) = self.member() else {
            return Ok(match self {
                Self::OrganizationCreator(creators) => {
                    let included = creators.include(db, current.user, &current.email, current.email_verified);
                    match included.await? {
                        true => Standing::Holds,
                        false => Standing::Lower,
                    }
                }
                _ => Standing::Holds,
            });
        };
        let Some(member) = current.member() else {
            return Ok(Standing::Gone);
        };
        let of_object = match self {
            Self::Node { level, seen, .. } => match (compare(*level, current.level(db, &member).await?), seen) {
                (Standing::Holds, Some(seen)) if !sees(db, &member, *seen).await? => Standing::Gone,
                (standing, _) => standing,
            },
            Self::Team { level, .. } => compare(*level, on_team(member.role, current.team_role)),
            // Without a level, members see that there is a site.
            Self::Site { level, site, .. } => match site_levels::level(db, &member, *site).await? < *level {
                true => Standing::Lower,
                false => Standing::Holds,
            },
            Self::Token
            | Self::OrganizationCreator(_)
            | Self::Organization(_)
            | Self::Visit(_)
            | Self::Published(_) => Standing::Holds,
        };
        Ok(match of_object {
            Standing::Holds if member.role < before.role => Standing::Lower,
            other => other,
        })
    }

    /// What has become of the place in which an installation acts. The scope is what its level would be, and was checked.
    async fn standing_of_integration(&self, db: &impl ReadRows, current: Identity) -> Result<Standing, DbErr> {
        let installation = current.integration.and_then(|integration| integration.installation);
        let Some(installation) = installation else {
            return Ok(Standing::Holds);
        };
        let is_installed = match self {
            Self::Node { member, node, .. } => {
                let member = Member {
                    installation: Some(installation),
                    ..*member
                };
                node_levels::level_on(db, &member, *node, None).await?.is_some()
            }
            Self::Site { site, .. } => find_site(db, &installation, *site).await?.is_some(),
            Self::Token
            | Self::OrganizationCreator(_)
            | Self::Organization(_)
            | Self::Team { .. }
            | Self::Visit(_)
            | Self::Published(_) => true,
        };
        Ok(match is_installed {
            true => Standing::Holds,
            false => Standing::Gone,
        })
    }

    /// The object that is not found.
    fn object(&self) -> &'static str {
        match self {
            Self::Token | Self::OrganizationCreator(_) => "user",
            Self::Organization(_) => "organization",
            Self::Node { kind, .. } => kind.name(),
            Self::Team { .. } => "team",
            Self::Site { .. } | Self::Visit(_) | Self::Published(_) => "site",
        }
    }

    fn member(&self) -> Option<Member> {
        match self {
            Self::Token | Self::OrganizationCreator(_) | Self::Visit(_) | Self::Published(_) => None,
            Self::Organization(member)
            | Self::Node { member, .. }
            | Self::Team { member, .. }
            | Self::Site { member, .. } => Some(*member),
        }
    }

    /// One statement for everything but permissions: the token and its user, and the rows on which this basis rests.
    fn load(&self, identity: &Identity) -> Selector<SelectModel<Current>> {
        let organization = self.member().map(|member| member.organization);
        let (node, team) = match self {
            Self::Node { node, .. } => (Some(*node), None),
            Self::Team { team, .. } => (None, Some(*team)),
            Self::Token
            | Self::OrganizationCreator(_)
            | Self::Organization(_)
            | Self::Site { .. }
            | Self::Visit(_)
            | Self::Published(_) => (None, None),
        };
        tokens::Entity::find_by_id(identity.token_id)
            .select_only()
            .column(tokens::Column::ExpiresAt)
            .columns([users::Column::Id, users::Column::Email, users::Column::EmailVerified])
            .columns([members::Column::OrganizationId, members::Column::Role])
            .column(nodes::Column::EffectiveDefault)
            .column_as(nodes::Column::Id, "node")
            .column_as(team_members::Column::Role, "team_role")
            .column_as(sso::is_required(), "sso_required")
            .column_as(saml_providers::Column::OrganizationId, "signed_in_to")
            .inner_join(users::Entity)
            .left_join(saml_providers::Entity)
            .join(JoinType::LeftJoin, membership_in(organization))
            .join(JoinType::LeftJoin, organization_of_member())
            .join(JoinType::LeftJoin, node_of_organization(node))
            .join(JoinType::LeftJoin, membership_of(team))
            .filter(users::Column::SuspendedAt.is_null())
            .into_model()
    }
}

/// Refuses unless a site is published.
async fn require_published(db: &impl ReadRows, site: SiteId) -> Result<(), ApiError> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let found = positional::by_id::<sites::Entity>(db, &TEMPLATE, *site.as_uuid()).await?;
    let published = found.filter(|site| site.published);
    published.map(drop).ok_or_else(|| ApiError::not_found("site"))
}

/// Returns whether a member sees a node, or it has been deleted.
async fn sees(db: &impl ReadRows, member: &Member, node: NodeId) -> Result<bool, DbErr> {
    let found = nodes::Entity::find_by_id(node)
        .filter(nodes::Column::OrganizationId.eq(member.organization))
        .filter(nodes::Column::DeletedAt.is_null());
    match found.one(db).await? {
        Some(node) => Ok(node_levels::level(db, member, &node).await?.is_some()),
        None => Ok(true),
    }
}

fn compare<L: Ord>(before: L, now: Option<L>) -> Standing {
    match now {
        None => Standing::Gone,
        Some(now) if now < before => Standing::Lower,
        Some(_) => Standing::Holds,
    }
}

fn changed() -> ApiError {
    ApiError::forbidden("The caller's access changed while the request ran.")
}

/// No id matches no row.
fn membership_in(organization: Option<OrganizationId>) -> RelationDef {
    use members::{Column, Entity};
    let of_user: RelationDef = tokens::Entity::belongs_to(Entity)
        .from(tokens::Column::UserId)
        .to(Column::UserId)
        .into();
    of_user.on_condition(move |_, members| {
        Condition::all()
            .add(Expr::col((members.clone(), Column::OrganizationId)).eq(organization))
            .add(Expr::col((members, Column::Disabled)).eq(false))
    })
}

fn node_of_organization(node: Option<NodeId>) -> RelationDef {
    let nodes: RelationDef = members::Entity::belongs_to(nodes::Entity)
        .from(members::Column::OrganizationId)
        .to(nodes::Column::OrganizationId)
        .into();
    nodes.on_condition(move |_, nodes| Expr::col((nodes, nodes::Column::Id)).eq(node).into_condition())
}

fn membership_of(team: Option<TeamId>) -> RelationDef {
    use team_members::{Column, Entity};
    let of_member: RelationDef = members::Entity::belongs_to(Entity)
        .from(members::Column::UserId)
        .to(Column::UserId)
        .into();
    of_member.on_condition(move |_, members| Expr::col((members, Column::TeamId)).eq(team).into_condition())
}

/// The rows on which a basis rests, as they are in a transaction.
#[derive(FromQueryResult)]
struct Current {
    expires_at: Option<Timestamp>,
    #[sea_orm(from_alias = "id")]
    user: UserId,
    email: String,
    email_verified: bool,
    /// `None`: not an active member of the organization.
    organization_id: Option<OrganizationId>,
    role: Option<MemberRole>,
    node: Option<NodeId>,
    effective_default: Option<DefaultLevel>,
    team_role: Option<TeamMemberRole>,
    sso_required: Option<bool>,
    signed_in_to: Option<OrganizationId>,
}

impl Current {
    /// The level of the member on the node.
    async fn level(&self, db: &impl ReadRows, member: &Member) -> Result<Option<MemberRole>, DbErr> {
        match self.node {
            Some(node) => node_levels::level_on(db, member, node, self.effective_default).await,
            None => Ok(None),
        }
    }

    fn member(&self) -> Option<Member> {
        let counts = self.sso_required != Some(true) || self.signed_in_to == self.organization_id;
        self.organization_id
            .filter(|_| counts)
            .map(|organization| Member::new(organization, self.user, self.role))
    }
}
