//! The people who may create organizations.

use entity::{
    ids::UserId,
    organizations::members::{Column, Entity, MemberRole},
};
use platform::config::OrganizationCreation;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, SelectExt,
};

/// The rule of the server.
#[derive(Clone, Debug)]
pub struct OrganizationCreators {
    pub setting: OrganizationCreation,
    /// The email address of the operator, who may create organizations in any case.
    pub operator: String,
}

impl OrganizationCreators {
    pub async fn include(
        &self,
        db: &impl ConnectionTrait,
        user: UserId,
        email: &str,
        verified: bool,
    ) -> Result<bool, DbErr> {
        if verified && email == self.operator {
            return Ok(true);
        }
        match self.setting {
            OrganizationCreation::Admins => {
                let admin = memberships(user).filter(Column::Role.eq(MemberRole::Admin));
                admin.exists(db).await
            }
            OrganizationCreation::Everyone => {
                let roles = memberships(user).select_only().column(Column::Role);
                // One with a role suffices, and comes first.
                let first = roles.order_by_asc(Column::Role.is_null());
                let role: Option<Option<MemberRole>> = first.into_tuple().one(db).await?;
                Ok(role.is_none_or(|role| role.is_some()))
            }
        }
    }
}

fn memberships(user: UserId) -> Select<Entity> {
    Entity::find()
        .filter(Column::UserId.eq(user))
        .filter(Column::Disabled.eq(false))
}
