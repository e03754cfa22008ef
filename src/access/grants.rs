//! Proofs of access, which the guard passes to handlers with the rows that it loaded.

use std::sync::Arc;

use entity::{
    authoring::change_requests,
    identity::users,
    ids::{ChangeRequestId, NodeId, OrganizationId},
    organizations::{members::MemberRole, teams},
};
use expressions::VisitorClaims;
use openapi::guard::{OrganizationLevel, OwnershipLevel};

use super::{
    Caller, levels,
    rows::{CollectionRow, SpaceRow, TeamRef},
    site_reader::SiteReader,
};

use crate::access::node_levels::Member;

/// The caller belongs to the organization.
pub struct OrganizationAccess {
    pub caller: Caller,
    pub organization: OrganizationId,
    pub role: Option<MemberRole>,
    /// The number of members, including disabled ones; loaded here so that lists need no query for it.
    pub members_count: u64,
}

impl OrganizationAccess {
    pub fn level(&self) -> OrganizationLevel {
        levels::of_role(self.role)
    }

    pub fn member(&self) -> Member {
        self.caller.member(self.organization, self.role)
    }
}

/// The caller may see the team.
pub struct TeamAccess {
    pub caller: Caller,
    pub row: teams::Model,
    pub level: OwnershipLevel,
}

impl TeamAccess {
    pub fn team_ref(&self) -> TeamRef {
        TeamRef {
            organization: self.row.organization_id,
            team: self.row.id,
        }
    }
}

/// The caller may see the user.
pub struct UserAccess {
    pub caller: Caller,
    pub user: users::Model,
}

/// The caller may see the user, as somebody of the same organization or as a visitor of one of its sites.
pub struct ReadableUserAccess {
    pub caller: Caller,
    pub user: users::Model,
    pub by_visitor: bool,
}

/// The caller may read the change request, as somebody who may read the space or as a visitor of a preview.
pub struct ReadableChangeRequestAccess {
    pub caller: Caller,
    pub space: NodeId,
    pub request: ChangeRequestId,
    pub by_visitor: bool,
}

/// The caller has a level on the space.
pub struct SpaceAccess {
    pub caller: Caller,
    pub member: Member,
    pub row: SpaceRow,
    pub level: MemberRole,
    /// The site whose visitor the caller is. `None`: the caller is a user.
    pub site: Option<Arc<dyn SiteReader>>,
}

impl SpaceAccess {
    /// The claims of a visitor. `None`: the caller is a user.
    pub fn claims(&self) -> Option<&VisitorClaims> {
        self.site.as_deref().map(SiteReader::claims)
    }
}

/// The caller has a level on the space of the change request.
pub struct ChangeRequestAccess {
    pub caller: Caller,
    pub member: Member,
    pub row: SpaceRow,
    pub level: MemberRole,
    pub request: change_requests::Model,
}

/// The caller has a level on the collection.
pub struct CollectionAccess {
    pub caller: Caller,
    pub member: Member,
    pub row: CollectionRow,
    pub level: MemberRole,
}

/// The caller administers the space, which may be deleted.
pub struct RestorableSpaceAccess {
    pub caller: Caller,
    pub member: Member,
    pub row: SpaceRow,
}

/// The caller administers the node, or does not see a node with this id.
pub struct DeletableAccess {
    pub caller: Caller,
    pub node: Option<entity::library::nodes::Model>,
}

/// The caller has the required level on the target that the body names.
pub struct TargetAccess {
    pub caller: Caller,
    pub member: Member,
    /// `None`: the organization itself.
    pub node: Option<entity::library::nodes::Model>,
}

/// Names the caller of proofs.
macro_rules! name_caller {
    ($($proof:ty),*) => {
        $(impl AsRef<Caller> for $proof {
            fn as_ref(&self) -> &Caller {
                &self.caller
            }
        })*
    };
}

name_caller!(
    ChangeRequestAccess,
    CollectionAccess,
    DeletableAccess,
    OrganizationAccess,
    ReadableChangeRequestAccess,
    ReadableUserAccess,
    RestorableSpaceAccess,
    SpaceAccess,
    TargetAccess,
    TeamAccess,
    UserAccess
);

pub(crate) use name_caller;

/// Declares the guard of a context, which decides by the access that all contexts share, and by further fields that it needs.
macro_rules! context_guard {
    ($name:ident $(, $field:ident: $kind:ty)*) => {
        pub struct $name {
            access: std::sync::Arc<$crate::access::Access>,
            $($field: $kind,)*
        }

        impl $name {
            pub fn new(access: &std::sync::Arc<$crate::access::Access> $(, $field: &$kind)*) -> Self {
                Self {
                    access: std::sync::Arc::clone(access),
                    $($field: $field.clone(),)*
                }
            }
        }

        impl openapi::guard::Guard for $name {
            type Caller = $crate::access::Caller;

            async fn after_body(&self, caller: &$crate::access::Caller) -> Result<(), openapi::error::ApiError> {
                self.access.after_body(caller).await
            }

            async fn once(
                &self,
                caller: &$crate::access::Caller,
                request: openapi::idempotency::KeyedRequest,
                handling: openapi::idempotency::Handling<'_>,
            ) -> Result<poem::Response, openapi::error::ApiError> {
                let keys = &self.access.idempotency_keys;
                keys.once(&caller.credential(), request, handling).await
            }
        }
    };
}

pub(crate) use context_guard;
