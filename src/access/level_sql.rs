//! The rule of [`super::levels`] as SQL.
//!
//! Expressions are made by asking the rule for each value that a column can have, so that they cannot differ from it.

use entity::{
    ids::OrganizationId,
    library::{
        nodes::{self, DefaultLevel, ancestors},
        permissions,
    },
    organizations::{
        members::{self, MemberRole},
        teams::members as team_members,
    },
    publishing::sites::permissions as site_permissions,
};
use sea_orm::{
    ActiveEnum, ColumnTrait, Condition, EntityTrait, Iterable, JoinType, QueryFilter, QuerySelect, QueryTrait,
    RelationDef, Select,
    sea_query::{CaseStatement, Expr, ExprTrait, Func, IntoIden, Query, SelectStatement, UnionType},
};

use super::levels::{Member, level_by_default};

/// The alias of subqueries for permissions.
pub const GRANTS: &str = "grants";
pub const USER: &str = "user_id";
const TEAM: &str = "team_id";
pub const NODE: &str = "node_id";
pub const ROLE: &str = "role";
pub const RANK: &str = "rank";

/// The number that orders levels in the database, which stores them as texts. 0: no level.
pub fn rank(level: Option<MemberRole>) -> i32 {
    let not_higher = MemberRole::iter().filter(|other| level >= Some(*other));
    i32::try_from(not_higher.count()).unwrap_or(i32::MAX)
}

/// The level with this rank.
pub fn level_of_rank(rank: i32) -> Option<MemberRole> {
    MemberRole::iter().find(|level| self::rank(Some(*level)) == rank)
}

/// The rank of a level for each role in a column; roles without a case of their own have the rank of no role.
fn rank_by_role(role: Expr, level: impl Fn(Option<MemberRole>) -> Option<MemberRole>) -> Expr {
    let otherwise = rank(level(None));
    let ranks = MemberRole::iter().map(|role| (role, rank(level(Some(role)))));
    let others: Vec<(MemberRole, i32)> = ranks.filter(|(_, rank)| *rank != otherwise).collect();
    if others.is_empty() {
        // A CASE without WHEN is not SQL.
        return Expr::val(otherwise);
    }
    let cases = others.into_iter().fold(CaseStatement::new(), |cases, (known, rank)| {
        cases.case(role.clone().eq(known.to_value()), rank)
    });
    cases.finally(otherwise).into()
}

/// A member's level on a node, in a query over members.
pub struct LevelOn {
    /// The rank of the level by default.
    by_default: Expr,
    /// The rank of the highest permission.
    granted: Expr,
}

impl LevelOn {
    pub fn node(node: &nodes::Model) -> Self {
        let by_default = |role| level_by_default(role, node.effective_default);
        Self::highest(node.organization_id, by_default, ancestors::Column::NodeId.eq(node.id))
    }

    /// The highest of the level that a role has by default, and of the permissions on the nodes of a condition on [`ancestors`].
    pub fn highest(
        organization: OrganizationId,
        by_default: impl Fn(Option<MemberRole>) -> Option<MemberRole>,
        nodes: Expr,
    ) -> Self {
        let role = Expr::col((members::Entity, members::Column::Role));
        let granted = highest_grant_on(organization, nodes);
        Self {
            by_default: rank_by_role(role, by_default),
            granted: Func::coalesce([granted.into(), Expr::val(0)]).into(),
        }
    }

    /// Counts the rank that a query over permissions elsewhere gives as well.
    pub fn or_granted(self, elsewhere: SelectStatement) -> Self {
        let elsewhere = Func::coalesce([elsewhere.into(), Expr::val(0)]).into();
        Self {
            granted: Func::greatest([self.granted, elsewhere]).into(),
            ..self
        }
    }

    pub fn rank(&self) -> Expr {
        Func::greatest([self.by_default.clone(), self.granted.clone()]).into()
    }

    /// Holds for members with a level of this rank or a higher one. The permissions of those who have it by default are not
    /// looked up.
    pub fn is_at_least(&self, rank: i32) -> Expr {
        let by_default = self.by_default.clone().gte(rank);
        by_default.or(self.granted.clone().gte(rank))
    }
}

/// Holds in a query over nodes for those that a member has a level on.
pub fn is_visible(member: &Member) -> Condition {
    // A value for each node instead of EXISTS, which PostgreSQL may answer by collecting all nodes that the grants reach.
    let granted = grants_to(member).map(|grants| {
        let on_node =
            Expr::col((ancestors::Entity, ancestors::Column::NodeId)).equals((nodes::Entity, nodes::Column::Id));
        let grants = grants
            .select_only()
            .column(permissions::Column::NodeId)
            .filter(on_node)
            .limit(1);
        Expr::from(grants.into_query()).is_not_null()
    });
    let visible = Condition::any().add(is_visible_by_default(member.role));
    granted.into_iter().fold(visible, Condition::add)
}

/// Holds for nodes whose default level gives a level to members with this role.
fn is_visible_by_default(role: Option<MemberRole>) -> Condition {
    let column = nodes::Column::EffectiveDefault;
    let hidden = DefaultLevel::iter().filter(|default| level_by_default(role, Some(*default)).is_none());
    hidden.fold(Condition::all().add(column.is_not_null()), |visible, default| {
        visible.add(column.ne(default))
    })
}

/// The permissions that reach a member, joined with the nodes that they reach: those of the member, and those of their
/// teams.
///
/// Two queries, because then a node costs one look into the index of each kind, however many permissions there are. SQLite
/// would read all of the node's with both in one condition, and all of the organization's with the organization in it,
/// which the node implies.
pub fn grants_to(member: &Member) -> [Select<permissions::Entity>; 2] {
    use permissions::{Column, Entity};
    let own = Column::UserId.eq(member.user);
    let by_teams = Column::TeamId.in_subquery(teams_of(member));
    [own, by_teams].map(|subject| {
        Entity::find()
            .join(JoinType::InnerJoin, reached_nodes())
            .filter(subject)
    })
}

/// The ids of the teams of a member.
pub fn teams_of(member: &Member) -> SelectStatement {
    team_members::Entity::find()
        .select_only()
        .column(team_members::Column::TeamId)
        .filter(team_members::Column::OrganizationId.eq(member.organization))
        .filter(team_members::Column::UserId.eq(member.user))
        .into_query()
}

/// A permission reaches its node and every node below it.
pub fn reached_nodes() -> RelationDef {
    permissions::Entity::belongs_to(ancestors::Entity)
        .from(permissions::Column::NodeId)
        .to(ancestors::Column::AncestorId)
        .into()
}

/// The rank of the highest permission of a member on some nodes or above them, directly or by a team. A value for each member of the
/// outer query, so that a page of members costs no more when more people have permissions.
fn highest_grant_on(organization: OrganizationId, nodes: Expr) -> SelectStatement {
    let above = ancestors::Entity::find()
        .select_only()
        .column(ancestors::Column::AncestorId)
        .filter(nodes)
        .into_query();
    let on_nodes = Expr::col((permissions::Entity, permissions::Column::NodeId)).in_subquery(above);
    highest_grant(permissions::Entity, &Expr::val(organization), &on_nodes)
}

/// The same of the permissions on a site, an id or a column of the outer query.
pub fn highest_grant_on_site(site: Expr) -> SelectStatement {
    use site_permissions::{Column, Entity};
    let organization = Expr::col((members::Entity, members::Column::OrganizationId));
    highest_grant(Entity, &organization, &Expr::col((Entity, Column::SiteId)).eq(site))
}

/// The rank of the highest of the permissions in a table that fulfil a condition, for the member in the outer query.
fn highest_grant(table: impl IntoIden, organization: &Expr, condition: &Expr) -> SelectStatement {
    let table = table.into_iden();
    let column = |name: &'static str| (table.clone(), name);
    let member = || Expr::col((members::Entity, members::Column::UserId));
    let select = || {
        Query::select()
            .expr_as(Expr::col(column(ROLE)), ROLE)
            .from(table.clone())
            .and_where(condition.clone())
            .take()
    };
    let of_team = Expr::col((team_members::Entity, team_members::Column::TeamId)).equals(column(TEAM));
    let by_team = select()
        .inner_join(team_members::Entity, of_team)
        .and_where(Expr::col((team_members::Entity, team_members::Column::OrganizationId)).eq(organization.clone()))
        .and_where(Expr::col((team_members::Entity, team_members::Column::UserId)).eq(member()))
        .take();
    let grants = select()
        .and_where(Expr::col(column(USER)).eq(member()))
        .union(UnionType::All, by_team)
        .take();
    Query::select()
        .expr(rank_by_role(Expr::col(ROLE), |role| role).max())
        .from_subquery(grants, GRANTS)
        .take()
}

/// The permissions by the users that they reach, directly or as members of a team, with the columns [`USER`], [`NODE`] and
/// [`ROLE`]. `condition` is given the columns of the user and of the organization in the table that names the user.
///
/// Joined to the left, so that SQLite begins with the users' teams where the condition names users: a team without a
/// permission is a row without a node.
pub fn grants_by_user(condition: impl Fn(Expr, Expr) -> Expr) -> SelectStatement {
    use permissions::{Column, Entity};
    let column = |column| Expr::col((Entity, column));
    let membership = |column| Expr::col((team_members::Entity, column));
    let select = |user: Expr, organization: Expr| {
        Query::select()
            .expr_as(user.clone(), USER)
            .expr_as(column(Column::NodeId), NODE)
            .expr_as(column(Column::Role), ROLE)
            .and_where(condition(user, organization))
            .take()
    };
    let of_team = column(Column::TeamId)
        .equals((team_members::Entity, team_members::Column::TeamId))
        .and(column(Column::OrganizationId).equals((team_members::Entity, team_members::Column::OrganizationId)));
    let by_team = select(
        membership(team_members::Column::UserId),
        membership(team_members::Column::OrganizationId),
    )
    .from(team_members::Entity)
    .left_join(Entity, of_team)
    .take();
    select(column(Column::UserId), column(Column::OrganizationId))
        .from(Entity)
        .union(UnionType::All, by_team)
        .take()
}
