//! Sites with the levels of members.

use entity::{
    ids::{OrganizationId, SiteId, UserId},
    organizations::members::{self, MemberRole},
    publishing::sites,
};
use platform::db::{
    QueryTemplate, ReadRows,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, QueryTrait, RelationDef,
    sea_query::{Expr, Func},
};
use uuid::Uuid;

use crate::access::{level_sql, levels::Member, rows::organization_of_member, sso};

/// A site of an organization with the level of an active member of the organization.
pub async fn find(
    db: &impl ReadRows,
    organization: OrganizationId,
    site: SiteId,
    user: UserId,
) -> Result<Option<SiteRole>, DbErr> {
    static TEMPLATE: QueryTemplate<3> = QueryTemplate::new();
    let query = |[organization, site, user]: [Uuid; 3]| {
        let members: RelationDef = sites::Entity::belongs_to(members::Entity)
            .from(sites::Column::OrganizationId)
            .to(members::Column::OrganizationId)
            .into();
        let granted = level_sql::highest_grant_on_site(Expr::col((sites::Entity, sites::Column::Id)));
        let granted: Expr = Func::coalesce([granted.into(), Expr::val(0)]).into();
        sites::Entity::find()
            .column(members::Column::Role)
            .expr(granted)
            .expr(sso::is_required())
            .join(JoinType::InnerJoin, members)
            .join(JoinType::InnerJoin, organization_of_member())
            .filter(sites::Column::Id.eq(site))
            .filter(sites::Column::OrganizationId.eq(organization))
            .filter(members::Column::UserId.eq(user))
            .filter(members::Column::Disabled.eq(false))
            .into_query()
    };
    let parameters = [*organization.as_uuid(), *site.as_uuid(), *user.as_uuid()];
    let statement = TEMPLATE.statement(db.get_database_backend(), parameters, query);
    let found: Option<Found> = positional::row(db, statement).await?;
    Ok(found.map(|found| SiteRole {
        member: Member::new(organization, user, found.role),
        level: Ord::max(
            found.site.level_by_default(found.role),
            level_sql::level_of_rank(found.granted),
        ),
        site: found.site,
        sso_required: found.sso_required,
    }))
}

/// A site with a member of its organization, and whether the membership requires single sign-on.
pub struct SiteRole {
    pub site: sites::Model,
    pub member: Member,
    /// The level of the member on the site. `None`: a guest without a permission.
    pub level: Option<MemberRole>,
    pub sso_required: bool,
}

struct Found {
    site: sites::Model,
    role: Option<MemberRole>,
    /// The rank of the highest permission on the site.
    granted: i32,
    sso_required: bool,
}

impl FromColumns for Found {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            site: columns.read_model()?,
            role: columns.read()?,
            granted: columns.read()?,
            sso_required: columns.read()?,
        })
    }
}
