//! Proofs of access, which the guard passes to handlers with the rows that it loaded.

use std::sync::Arc;

use entity::{
    authoring::change_requests,
    identity::users,
    ids::{ChangeRequestId, NodeId, OrganizationId, RevisionId, SiteSpaceId},
    organizations::{members::MemberRole, teams},
    publishing::sites,
};
use expressions::VisitorClaims;
use openapi::guard::{OrganizationLevel, OwnershipLevel};

use super::{
    Caller, levels,
    rows::{CollectionRow, SpaceRow, TeamRef},
    visitors::Visit,
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
        Member {
            organization: self.organization,
            user: self.caller.user_id,
            role: self.role,
        }
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

/// The caller has a verified address in the domain.
pub struct EmailDomainAccess {
    pub caller: Caller,
    /// Lower-case.
    pub domain: String,
}

/// The caller belongs to the organization of the site.
pub struct SiteAccess {
    pub caller: Caller,
    pub member: Member,
    pub row: sites::Model,
}

/// The caller reads a site, as a member of its organization or as a visitor.
pub struct ReadableSiteAccess {
    pub caller: Caller,
    pub row: sites::Model,
    pub reader: SiteReader,
}

impl ReadableSiteAccess {
    /// The claims of a visitor. `None`: a member.
    pub fn claims(&self) -> Option<VisitorClaims> {
        match &self.reader {
            SiteReader::Member(_) => None,
            SiteReader::Visitor(visit) => Some(visit.claims_on(&self.row)),
        }
    }
}

/// The reader of a site.
pub enum SiteReader {
    /// Sees the spaces that they may read.
    Member(Member),
    /// Sees what the conditions of the site give.
    Visitor(Visit),
}

/// The caller has a level on the space.
pub struct SpaceAccess {
    pub caller: Caller,
    pub member: Member,
    pub row: SpaceRow,
    pub level: MemberRole,
    /// The claims of a visitor of a site. `None`: the caller is a user.
    pub claims: Option<VisitorClaims>,
    /// Where a visitor of a site sees the space. `None`: the caller is a user.
    pub place: Option<Arc<VisitedPlace>>,
}

/// The site spaces that show a space to a visitor of a site.
pub struct VisitedPlace {
    pub site: sites::Model,
    pub visit: Visit,
    pub site_spaces: Vec<SiteSpaceId>,
}

impl VisitedPlace {
    /// The revision of a space that the token of the visitor shows.
    pub fn revision_of(&self, space: NodeId) -> Option<RevisionId> {
        let (of, revision) = self.visit.shown?;
        (of == space).then_some(revision)
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
    EmailDomainAccess,
    OrganizationAccess,
    ReadableChangeRequestAccess,
    ReadableSiteAccess,
    ReadableUserAccess,
    RestorableSpaceAccess,
    SiteAccess,
    SpaceAccess,
    TargetAccess,
    TeamAccess,
    UserAccess
);

pub(crate) use name_caller;

/// Declares the guard of a context, which decides by the access that all contexts share.
macro_rules! context_guard {
    ($name:ident) => {
        pub struct $name {
            access: std::sync::Arc<$crate::access::AccessGuard>,
        }

        impl $name {
            pub fn new(access: &std::sync::Arc<$crate::access::AccessGuard>) -> Self {
                Self {
                    access: std::sync::Arc::clone(access),
                }
            }
        }

        impl openapi::guard::Guard for $name {
            type Caller = $crate::access::Caller;

            async fn after_body(&self, caller: &$crate::access::Caller) -> Result<(), openapi::error::ApiError> {
                self.access.after_body(caller).await
            }
        }
    };
}

pub(crate) use context_guard;
