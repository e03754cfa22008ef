//! Email domains whose verified users may join an organization by themselves, once the organization has proven the domain.

use sea_orm::entity::prelude::*;

use crate::{ids::OrganizationId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "organization_email_domains")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// Lower-case.
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(253))")]
    pub domain: String,
    /// Where the domain stands in the organization's list.
    pub position: i32,
    /// The time at which it was proven that the domain is the organization's. `None`: it has no effect yet.
    pub verified_at: Option<Timestamp>,
    /// Whether a DNS record or an operator says that the domain is the organization's, and not only the address of an admin.
    #[sea_orm(default_value = false)]
    pub owned: bool,
    /// The time from which on a DNS record that proves the domain is looked for. `None`: proven, or older than that.
    pub asked_at: Option<Timestamp>,
    /// The time of the next lookup. `None`: there is none.
    #[sea_orm(indexed)]
    pub next_check_at: Option<Timestamp>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
