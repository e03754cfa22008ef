//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::{
    ids::{Id, InviteId, NodeId, RevisionId, UserId},
    organizations::members::MemberRole,
};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, ContentLevel, OrganizationLevel},
};

use crate::{
    access::{
        Access, Caller, CollectionAccess, DeletableAccess, OrganizationAccess, RestorableSpaceAccess, SpaceAccess,
        TargetAccess, Visitor,
        authorize::{self, Authorized, load_node},
        grants::{context_guard, name_caller},
        levels,
        node_levels::Member,
        rows::{CollectionRow, SpaceRow, find_row},
    },
    areas::{
        library::{invite_links::InviteLink, targets},
        organizations::guard::OrganizationsGuard,
    },
};

context_guard!(LibraryGuard);

impl guard::LibraryGuard for LibraryGuard {
    type OrganizationsGuard = OrganizationsGuard;
    type SpaceAccess = SpaceAccess;
    type SpaceVisitorsAccess = SpaceAccess;
    type SpaceMembersOnlyAccess = SpaceAccess;
    type SpaceMayBeAbsentAccess = DeletableAccess;
    type SpaceRestorableAccess = RestorableSpaceAccess;
    type CollectionAccess = CollectionAccess;
    type CollectionMayBeAbsentAccess = DeletableAccess;
    type CollectionMembersOnlyAccess = CollectionAccess;
    type ContentParentAccess = TargetAccess;
    type InviteTargetAccess = TargetAccess;
    type InviteLinkAccess = InviteLinkAccess;
    type InviteLinkMayBeAbsentAccess = DeletableInviteLinkAccess;

    async fn space(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        level: ContentLevel,
        or_self: Option<UserId>,
    ) -> Result<SpaceAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let authorized = load_node::<SpaceRow>(&self.access, &caller, space_id).await?;
        let authorized = authorize::require(authorized, &caller, levels::required_role(level), or_self, "space")?;
        let caller = caller.allowed_by(authorized.basis());
        let Authorized { row, member, level } = authorized;
        Ok(SpaceAccess {
            caller,
            member,
            row,
            level,
            site: None,
        })
    }

    async fn space_visitors(&self, call: Call<'_>, space_id: NodeId) -> Result<SpaceAccess, ApiError> {
        match self.access.visitor(call, "space").await? {
            Some(visitor) => space_of_site(&self.access, call, visitor, space_id).await,
            None => self.space(call, space_id, ContentLevel::Read, None).await,
        }
    }

    async fn space_members_only(&self, call: Call<'_>, space_id: NodeId) -> Result<SpaceAccess, ApiError> {
        let access = self.space(call, space_id, ContentLevel::Read, None).await?;
        levels::refuse_guests(&access.member)?;
        Ok(access)
    }

    async fn space_may_be_absent(&self, call: Call<'_>, space_id: NodeId) -> Result<DeletableAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let authorized = load_node::<SpaceRow>(&self.access, &caller, space_id).await?;
        Ok(match authorize::require_admin_if_present(authorized, "space")? {
            Some(authorized) => DeletableAccess {
                caller: caller.allowed_by(authorized.basis()),
                node: Some(authorized.row.node),
            },
            None => DeletableAccess { caller, node: None },
        })
    }

    async fn space_restorable(&self, call: Call<'_>, space_id: NodeId) -> Result<RestorableSpaceAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let authorized = authorize::load_restorable_node::<SpaceRow>(&self.access, &caller, space_id).await?;
        let authorized = authorized.filter(|authorized| authorized.level == MemberRole::Admin);
        let authorized = authorized.ok_or_else(|| ApiError::not_found("space"))?;
        let caller = caller.allowed_by(authorized.basis());
        let Authorized { row, member, .. } = authorized;
        Ok(RestorableSpaceAccess { caller, member, row })
    }

    async fn collection(
        &self,
        call: Call<'_>,
        collection_id: NodeId,
        level: ContentLevel,
        or_self: Option<UserId>,
    ) -> Result<CollectionAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let authorized = load_node::<CollectionRow>(&self.access, &caller, collection_id).await?;
        let authorized = authorize::require(authorized, &caller, levels::required_role(level), or_self, "collection")?;
        let caller = caller.allowed_by(authorized.basis());
        let Authorized { row, member, level } = authorized;
        Ok(CollectionAccess {
            caller,
            member,
            row,
            level,
        })
    }

    async fn collection_may_be_absent(
        &self,
        call: Call<'_>,
        collection_id: NodeId,
    ) -> Result<DeletableAccess, ApiError> {
        let caller = self.access.authenticate(call).await?;
        let authorized = load_node::<CollectionRow>(&self.access, &caller, collection_id).await?;
        Ok(match authorize::require_admin_if_present(authorized, "collection")? {
            Some(authorized) => DeletableAccess {
                caller: caller.allowed_by(authorized.basis()),
                node: Some(authorized.row.node),
            },
            None => DeletableAccess { caller, node: None },
        })
    }

    async fn collection_members_only(
        &self,
        call: Call<'_>,
        collection_id: NodeId,
    ) -> Result<CollectionAccess, ApiError> {
        let access = self.collection(call, collection_id, ContentLevel::Read, None).await?;
        levels::refuse_guests(&access.member)?;
        Ok(access)
    }

    async fn content_parent(
        &self,
        within: OrganizationAccess,
        parent: Option<NodeId>,
    ) -> Result<TargetAccess, ApiError> {
        match parent {
            Some(parent) => targets::node::<CollectionRow>(&self.access, within, parent, MemberRole::Create).await,
            None => targets::organization(within, OrganizationLevel::Create),
        }
    }

    async fn invite_target(
        &self,
        within: OrganizationAccess,
        space: Option<NodeId>,
        collection: Option<NodeId>,
    ) -> Result<TargetAccess, ApiError> {
        match (space, collection) {
            (Some(space), _) => targets::node::<SpaceRow>(&self.access, within, space, MemberRole::Admin).await,
            (None, Some(node)) => targets::node::<CollectionRow>(&self.access, within, node, MemberRole::Admin).await,
            (None, None) => targets::organization(within, OrganizationLevel::Admin),
        }
    }

    async fn invite_link(&self, within: OrganizationAccess, invite_id: InviteId) -> Result<InviteLinkAccess, ApiError> {
        let found = targets::invite_link(&self.access, &within, invite_id).await?;
        let (link, basis) = found.ok_or_else(|| ApiError::not_found("invite"))?;
        Ok(InviteLinkAccess {
            member: within.member(),
            caller: within.caller.allowed_by(basis),
            link,
        })
    }

    async fn invite_link_may_be_absent(
        &self,
        within: OrganizationAccess,
        invite_id: InviteId,
    ) -> Result<DeletableInviteLinkAccess, ApiError> {
        let found = targets::invite_link(&self.access, &within, invite_id).await?;
        let member = within.member();
        Ok(match found {
            Some((link, basis)) => DeletableInviteLinkAccess {
                caller: within.caller.allowed_by(basis),
                member,
                link: Some(link),
            },
            None => DeletableInviteLinkAccess {
                caller: within.caller,
                member,
                link: None,
            },
        })
    }
}

/// A space that a site shows its visitor, with its published content.
pub async fn space_of_site(
    access: &Access,
    call: Call<'_>,
    visitor: Visitor,
    space: NodeId,
) -> Result<SpaceAccess, ApiError> {
    let Visitor { caller, site } = visitor;
    let unknown = || ApiError::not_found("space");
    if !site.shows(space).await? {
        return Err(unknown());
    }
    let row = match site.preview_of() {
        Some(_) => load_node(access, &caller, space).await?.map(|found| found.row),
        None => find_row(access.db.read(), site.organization(), space).await?,
    };
    let row: SpaceRow = row.ok_or_else(unknown)?;
    if let Some(revision) = call.path_parameter("revisionId") {
        let revision = RevisionId::parse_or_nil(revision);
        // The revision that was published when the token was issued stays readable while the token is valid. A preview shows what its
        // maker may read.
        if site.preview_of().is_none()
            && revision != row.space.revision_id
            && Some(revision) != site.shown_revision(space)
        {
            return Err(ApiError::not_found("revision"));
        }
    }
    Ok(SpaceAccess {
        member: Member::new(site.organization(), caller.user_id, None),
        caller,
        row,
        level: MemberRole::Read,
        site: Some(site),
    })
}

/// The caller administers the target of the link.
pub struct InviteLinkAccess {
    pub caller: Caller,
    pub member: Member,
    pub link: InviteLink,
}

/// The caller administers the target of the link, or there is no link for them.
pub struct DeletableInviteLinkAccess {
    pub caller: Caller,
    pub member: Member,
    pub link: Option<InviteLink>,
}

name_caller!(InviteLinkAccess, DeletableInviteLinkAccess);
