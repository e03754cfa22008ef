//! Sites with the roles of members.

use entity::{
    ids::{OrganizationId, SiteId, UserId},
    organizations::members::{self, MemberRole},
    publishing::sites,
};
use platform::db::{
    QueryTemplate, ReadRows,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect, QueryTrait, RelationDef};
use uuid::Uuid;

use crate::access::{rows::organization_of_member, sso};

/// A site of an organization with the role of an active member of the organization.
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
        sites::Entity::find()
            .column(members::Column::Role)
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
    positional::row(db, statement).await
}

/// A site with the role of a member of its organization, and whether the membership requires single sign-on.
pub struct SiteRole {
    pub site: sites::Model,
    pub role: Option<MemberRole>,
    pub sso_required: bool,
}

impl FromColumns for SiteRole {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            site: columns.read_model()?,
            role: columns.read()?,
            sso_required: columns.read()?,
        })
    }
}
