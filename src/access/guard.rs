//! The guard that generated stubs ask before they call a handler.

use chrono::TimeDelta;
use entity::{
    ids::{InviteId, NodeId, OrganizationId, SiteId, TeamId, TranslationId, UserId},
    members::MemberRole,
    users,
};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{ContentLevel, Guard, OrganizationLevel, OwnershipLevel},
};
use platform::db::count;
use sea_orm::EntityTrait;

use super::{
    Caller, ChangeRequestAccess, CollectionAccess, CustomHostnameAccess, CustomHostnameTargetAccess, DeletableAccess,
    DeletableCustomHostnameAccess, DeletableInviteLinkAccess, DeletableTranslationAccess, EmailDomainAccess,
    InviteLinkAccess, OrganizationAccess, ReadableChangeRequestAccess, ReadableSiteAccess, ReadableUserAccess,
    RestorableSpaceAccess, SiteAccess, SiteReader, SpaceAccess, SpecificationReaderAccess, TargetAccess, TeamAccess,
    TranslationAccess, UserAccess,
    basis::Basis,
    hostnames,
    levels::{self, Member},
    memberships::{membership, team_membership},
    people::sharing_organization,
    rows::{self, ChangeRequestRow, CollectionRow, SpaceRow},
    sso,
    state::AccessGuard,
    targets, translations,
};

use crate::access::authorize::{self, Authorized, is_caller};

/// Access is checked again for a request whose body takes longer than this. Writes check it in any case.
const LATE: TimeDelta = TimeDelta::seconds(1);

impl Guard for AccessGuard {
    type Caller = Caller;
    type CallerAccess = Caller;
    type ChangeRequestAccess = ChangeRequestAccess;
    type ChangeRequestForMembersAccess = ChangeRequestAccess;
    type CollectionAccess = CollectionAccess;
    type CollectionForMembersAccess = CollectionAccess;
    type ContentParentAccess = TargetAccess;
    type CustomHostnameAccess = CustomHostnameAccess;
    type CustomHostnameTargetAccess = CustomHostnameTargetAccess;
    type DeletableCollectionAccess = DeletableAccess;
    type DeletableCustomHostnameAccess = DeletableCustomHostnameAccess;
    type DeletableInviteLinkAccess = DeletableInviteLinkAccess;
    type DeletableSpaceAccess = DeletableAccess;
    type DeletableTranslationAccess = DeletableTranslationAccess;
    type EditableTranslationAccess = TranslationAccess;
    type EmailDomainAccess = EmailDomainAccess;
    type InviteLinkAccess = InviteLinkAccess;
    type InviteTargetAccess = TargetAccess;
    type OrganizationAccess = OrganizationAccess;
    type OrganizationCreatorAccess = Caller;
    type ReadableChangeRequestAccess = ReadableChangeRequestAccess;
    type ReadableSiteAccess = ReadableSiteAccess;
    type ReadableSpaceAccess = SpaceAccess;
    type ReadableUserAccess = ReadableUserAccess;
    type RestorableSpaceAccess = RestorableSpaceAccess;
    type ReviewableChangeRequestAccess = ChangeRequestAccess;
    type SiteAccess = SiteAccess;
    type SpaceAccess = SpaceAccess;
    type SpaceForMembersAccess = SpaceAccess;
    type SpecificationReaderAccess = SpecificationReaderAccess;
    type TeamAccess = TeamAccess;
    type TranslationAccess = TranslationAccess;
    type TranslationSourceAccess = TargetAccess;
    type UserAccess = UserAccess;

    async fn caller(&self, call: Call<'_>) -> Result<Caller, ApiError> {
        self.authenticate(call).await
    }

    async fn after_body(&self, caller: &Caller) -> Result<(), ApiError> {
        let now = self.clock.now();
        if caller.allowed_at.plus(LATE) > now {
            return Ok(());
        }
        caller.check_again(self.db.read(), now).await
    }

    async fn change_request(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
        level: ContentLevel,
    ) -> Result<ChangeRequestAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let authorized = match rows::matching_id_or_number(change_request_id) {
            Some(named) => authorize::load_node_where::<ChangeRequestRow>(self, &caller, space_id, named).await?,
            None => None,
        };
        let level = levels::required_role(level);
        let authorized = authorize::require(authorized, &caller, level, None, "change request")?;
        let caller = caller.allowed_by(authorized.basis());
        let Authorized { row, member, level } = authorized;
        let ChangeRequestRow { space, request } = row;
        Ok(ChangeRequestAccess {
            caller,
            member,
            row: space,
            level,
            request,
        })
    }

    async fn change_request_for_members(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
    ) -> Result<ChangeRequestAccess, ApiError> {
        let access = self
            .change_request(call, space_id, change_request_id, ContentLevel::Read)
            .await?;
        levels::refuse_guests(&access.member)?;
        Ok(access)
    }

    async fn collection(
        &self,
        call: Call<'_>,
        collection_id: NodeId,
        level: ContentLevel,
        or_self: Option<UserId>,
    ) -> Result<CollectionAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let authorized = authorize::load_node::<CollectionRow>(self, &caller, collection_id).await?;
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

    async fn collection_for_members(
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
            Some(parent) => targets::node::<CollectionRow>(self, within, parent, MemberRole::Create).await,
            None => targets::organization(within, OrganizationLevel::Create),
        }
    }

    async fn custom_hostname(&self, call: Call<'_>, hostname: &str) -> Result<CustomHostnameAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let found = hostnames::find(self.db.read(), hostname, &caller).await?;
        let (row, basis) = found.ok_or_else(|| ApiError::not_found("custom hostname"))?;
        Ok(CustomHostnameAccess {
            caller: caller.allowed_by(basis),
            row,
        })
    }

    async fn custom_hostname_target(
        &self,
        within: Caller,
        organization: Option<OrganizationId>,
        site: Option<SiteId>,
    ) -> Result<CustomHostnameTargetAccess, ApiError> {
        let member = match site {
            Some(site) => hostnames::member_of_site(self.db.read(), site, &within).await?,
            None => hostnames::member(self.db.read(), organization, &within).await?,
        };
        let object = if site.is_some() { "site" } else { "organization" };
        let member = member.ok_or_else(|| ApiError::not_found(object))?;
        levels::require_role(member.role, OrganizationLevel::Admin)?;
        Ok(CustomHostnameTargetAccess {
            caller: within.allowed_by(Basis::Organization(member)),
            member,
            site,
        })
    }

    async fn deletable_collection(&self, call: Call<'_>, collection_id: NodeId) -> Result<DeletableAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let authorized = authorize::load_node::<CollectionRow>(self, &caller, collection_id).await?;
        Ok(match authorize::require_admin_if_present(authorized, "collection")? {
            Some(authorized) => DeletableAccess {
                caller: caller.allowed_by(authorized.basis()),
                node: Some(authorized.row.node),
            },
            None => DeletableAccess { caller, node: None },
        })
    }

    async fn deletable_custom_hostname(
        &self,
        call: Call<'_>,
        hostname: &str,
    ) -> Result<DeletableCustomHostnameAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let found = hostnames::find(self.db.read(), hostname, &caller).await?;
        Ok(match found {
            Some((row, basis)) => DeletableCustomHostnameAccess {
                caller: caller.allowed_by(basis),
                row: Some(row),
            },
            None => DeletableCustomHostnameAccess { caller, row: None },
        })
    }

    async fn deletable_invite_link(
        &self,
        within: OrganizationAccess,
        invite_id: InviteId,
    ) -> Result<DeletableInviteLinkAccess, ApiError> {
        let found = targets::invite_link(self, &within, invite_id).await?;
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

    async fn deletable_space(&self, call: Call<'_>, space_id: NodeId) -> Result<DeletableAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let authorized = authorize::load_node::<SpaceRow>(self, &caller, space_id).await?;
        Ok(match authorize::require_admin_if_present(authorized, "space")? {
            Some(authorized) => DeletableAccess {
                caller: caller.allowed_by(authorized.basis()),
                node: Some(authorized.row.node),
            },
            None => DeletableAccess { caller, node: None },
        })
    }

    async fn deletable_translation(
        &self,
        within: OrganizationAccess,
        translation_id: TranslationId,
    ) -> Result<DeletableTranslationAccess, ApiError> {
        Ok(match translations::find(self, &within, translation_id).await? {
            Some(found) => {
                let TranslationAccess { caller, row, .. } = found.for_editing(within)?;
                DeletableTranslationAccess { caller, row: Some(row) }
            }
            None => DeletableTranslationAccess {
                caller: within.caller,
                row: None,
            },
        })
    }

    async fn editable_translation(
        &self,
        within: OrganizationAccess,
        translation_id: TranslationId,
    ) -> Result<TranslationAccess, ApiError> {
        let found = translations::find(self, &within, translation_id).await?;
        found.ok_or_else(translations::unknown)?.for_editing(within)
    }

    async fn email_domain(&self, call: Call<'_>, email_domain: &str) -> Result<EmailDomainAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let domain = email_domain.to_lowercase();
        if caller.identity.verified_domain() != Some(&domain) {
            return Err(ApiError::forbidden(
                "This needs a verified email address in the domain.",
            ));
        }
        let caller = caller.allowed_by(Basis::EmailDomain(domain.clone()));
        Ok(EmailDomainAccess { caller, domain })
    }

    async fn invite_link(&self, within: OrganizationAccess, invite_id: InviteId) -> Result<InviteLinkAccess, ApiError> {
        let found = targets::invite_link(self, &within, invite_id).await?;
        let (link, basis) = found.ok_or_else(|| ApiError::not_found("invite"))?;
        Ok(InviteLinkAccess {
            member: within.member(),
            caller: within.caller.allowed_by(basis),
            link,
        })
    }

    async fn invite_target(
        &self,
        within: OrganizationAccess,
        space: Option<NodeId>,
        collection: Option<NodeId>,
    ) -> Result<TargetAccess, ApiError> {
        match (space, collection) {
            (Some(space), _) => targets::node::<SpaceRow>(self, within, space, MemberRole::Admin).await,
            (None, Some(node)) => targets::node::<CollectionRow>(self, within, node, MemberRole::Admin).await,
            (None, None) => targets::organization(within, OrganizationLevel::Admin),
        }
    }

    async fn organization(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        level: OrganizationLevel,
        or_self: Option<UserId>,
    ) -> Result<OrganizationAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let unknown = || ApiError::not_found("organization");
        let found = membership(&self.db, organization_id, caller.user_id).await?;
        let found = found.filter(|member| !member.disabled).ok_or_else(unknown)?;
        sso::require(&caller.identity, organization_id, found.sso_required)?;
        let role = found.role;
        if !is_caller(&caller, or_self) {
            levels::require_role(role, level)?;
        }
        let member = Member {
            organization: organization_id,
            user: caller.user_id,
            role,
        };
        Ok(OrganizationAccess {
            caller: caller.allowed_by(Basis::Organization(member)),
            organization: organization_id,
            role,
            members_count: count(found.members_count),
        })
    }

    async fn organization_creator(&self, call: Call<'_>) -> Result<Caller, ApiError> {
        let caller = self.authenticate(call).await?;
        let creators = &self.organization_creators;
        let identity = &caller.identity;
        let included = creators.include(
            self.db.read(),
            identity.user_id,
            &identity.email,
            identity.email_verified,
        );
        if !included.await? {
            return Err(ApiError::forbidden("The caller may not create organizations."));
        }
        let basis = Basis::OrganizationCreator(creators.clone());
        Ok(caller.allowed_by(basis))
    }

    async fn readable_change_request(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
    ) -> Result<ReadableChangeRequestAccess, ApiError> {
        if let Some(visitor) = self.visitor(call, "change request").await? {
            return self
                .visited_change_request(call, visitor, space_id, change_request_id)
                .await;
        }
        let level = ContentLevel::Read;
        let access = self.change_request(call, space_id, change_request_id, level).await?;
        Ok(ReadableChangeRequestAccess {
            caller: access.caller,
            space: access.row.node.id,
            request: access.request.id,
            by_visitor: false,
        })
    }

    async fn readable_site(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        site_id: SiteId,
    ) -> Result<ReadableSiteAccess, ApiError> {
        if let Some(visitor) = self.visitor(call, "site").await? {
            return self.visited_site(visitor, organization_id, site_id).await;
        }
        let level = OrganizationLevel::Read;
        let SiteAccess { caller, member, row } = self.site(call, organization_id, site_id, level).await?;
        let reader = SiteReader::Member(member);
        Ok(ReadableSiteAccess { caller, row, reader })
    }

    async fn readable_space(&self, call: Call<'_>, space_id: NodeId) -> Result<SpaceAccess, ApiError> {
        match self.visitor(call, "space").await? {
            Some(visitor) => self.visited_space(call, visitor, space_id).await,
            None => self.space(call, space_id, ContentLevel::Read, None).await,
        }
    }

    async fn readable_user(&self, call: Call<'_>, user_id: UserId) -> Result<ReadableUserAccess, ApiError> {
        if let Some(visitor) = self.visitor(call, "user").await? {
            return self.visited_user(visitor, user_id).await;
        }
        let access = self.user(call, user_id, OwnershipLevel::View).await?;
        Ok(ReadableUserAccess {
            caller: access.caller,
            user: access.user,
            by_visitor: false,
        })
    }

    async fn restorable_space(&self, call: Call<'_>, space_id: NodeId) -> Result<RestorableSpaceAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let authorized = authorize::load_restorable_node::<SpaceRow>(self, &caller, space_id).await?;
        let authorized = authorized.filter(|authorized| authorized.level == MemberRole::Admin);
        let authorized = authorized.ok_or_else(|| ApiError::not_found("space"))?;
        let caller = caller.allowed_by(authorized.basis());
        let Authorized { row, member, .. } = authorized;
        Ok(RestorableSpaceAccess { caller, member, row })
    }

    async fn reviewable_change_request(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        change_request_id: &str,
    ) -> Result<ChangeRequestAccess, ApiError> {
        let access = self
            .change_request(call, space_id, change_request_id, ContentLevel::Comment)
            .await?;
        let may = access.level >= MemberRole::Review
            || rows::is_review_requested(self.db.read(), access.request.id, access.caller.user_id).await?;
        if !may {
            return Err(ApiError::forbidden(
                "This needs the level review on the space, or a request for a review by the caller.",
            ));
        }
        Ok(access)
    }

    async fn site(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        site_id: SiteId,
        level: OrganizationLevel,
    ) -> Result<SiteAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let found = rows::site_with_role(self.db.read(), organization_id, site_id, caller.user_id).await?;
        let rows::SiteWithRole {
            site: row,
            role,
            sso_required,
        } = found.ok_or_else(|| ApiError::not_found("site"))?;
        sso::require(&caller.identity, organization_id, sso_required)?;
        levels::require_role(role, level)?;
        let member = Member {
            organization: organization_id,
            user: caller.user_id,
            role,
        };
        Ok(SiteAccess {
            caller: caller.allowed_by(Basis::Organization(member)),
            member,
            row,
        })
    }

    async fn space(
        &self,
        call: Call<'_>,
        space_id: NodeId,
        level: ContentLevel,
        or_self: Option<UserId>,
    ) -> Result<SpaceAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let authorized = authorize::load_node::<SpaceRow>(self, &caller, space_id).await?;
        let authorized = authorize::require(authorized, &caller, levels::required_role(level), or_self, "space")?;
        let caller = caller.allowed_by(authorized.basis());
        let Authorized { row, member, level } = authorized;
        Ok(SpaceAccess {
            caller,
            member,
            row,
            level,
            claims: None,
            place: None,
        })
    }

    async fn space_for_members(&self, call: Call<'_>, space_id: NodeId) -> Result<SpaceAccess, ApiError> {
        let access = self.space(call, space_id, ContentLevel::Read, None).await?;
        levels::refuse_guests(&access.member)?;
        Ok(access)
    }

    async fn specification_reader(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
    ) -> Result<SpecificationReaderAccess, ApiError> {
        if let Some((caller, visit)) = self.visitor(call, "version").await? {
            let site = visit.site;
            let site = self.visited_site((caller, visit), organization_id, site).await?;
            return Ok(SpecificationReaderAccess {
                caller: site.caller.clone(),
                organization: organization_id,
                site: Some(site),
            });
        }
        let access = self
            .organization(call, organization_id, OrganizationLevel::Read, None)
            .await?;
        Ok(SpecificationReaderAccess {
            caller: access.caller,
            organization: access.organization,
            site: None,
        })
    }

    async fn team(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        team_id: TeamId,
        level: OwnershipLevel,
        or_self: Option<UserId>,
    ) -> Result<TeamAccess, ApiError> {
        let access = self
            .organization(call, organization_id, OrganizationLevel::Guest, None)
            .await?;
        let unknown = || ApiError::not_found("team");
        let found = team_membership(&self.db, access.organization, team_id, access.caller.user_id).await?;
        let found = found.ok_or_else(unknown)?;
        let effective = levels::on_team(access.role, found.role).ok_or_else(unknown)?;
        if effective < level && !is_caller(&access.caller, or_self) {
            return Err(ApiError::forbidden(
                "This needs the role owner in the team, or the role admin in the organization.",
            ));
        }
        let basis = Basis::Team {
            member: access.member(),
            team: team_id,
            level: effective,
        };
        Ok(TeamAccess {
            caller: access.caller.allowed_by(basis),
            row: found.team,
            level: effective,
        })
    }

    async fn translation(
        &self,
        within: OrganizationAccess,
        translation_id: TranslationId,
    ) -> Result<TranslationAccess, ApiError> {
        let found = translations::find(self, &within, translation_id).await?;
        Ok(found.ok_or_else(translations::unknown)?.for_reading(within))
    }

    async fn translation_source(
        &self,
        within: OrganizationAccess,
        space: Option<NodeId>,
    ) -> Result<TargetAccess, ApiError> {
        let space = space.ok_or_else(|| ApiError::not_found("space"))?;
        targets::node::<SpaceRow>(self, within, space, MemberRole::Read).await
    }

    async fn user(&self, call: Call<'_>, user_id: UserId, level: OwnershipLevel) -> Result<UserAccess, ApiError> {
        let caller = self.authenticate(call).await?;
        let unknown = || ApiError::not_found("user");
        let is_self = user_id == caller.user_id;
        if !is_self
            && sharing_organization(self.db.read(), &caller.identity, vec![user_id])
                .await?
                .is_empty()
        {
            return Err(unknown());
        }
        if level == OwnershipLevel::Own && !is_self {
            return Err(ApiError::forbidden("This needs to be the user's own account."));
        }
        let user = users::Entity::find_by_id(user_id).one(self.db.read()).await?;
        Ok(UserAccess {
            caller,
            user: user.ok_or_else(unknown)?,
        })
    }
}
