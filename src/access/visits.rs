//! Visitors of published sites: what their tokens let them read.

use std::sync::Arc;

use entity::{
    identity::users,
    ids::{Id, NodeId, OrganizationId, RevisionId, SiteId, SiteSpaceId, TokenId, UserId},
    organizations::members::{self, MemberRole},
    publishing::sites::{self, share_links},
};
use expressions::VisitorClaims;
use openapi::{call::Call, error::ApiError};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::{
    Caller, ReadableChangeRequestAccess, ReadableSiteAccess, ReadableUserAccess, SiteReader, SpaceAccess, authorize,
    basis::Basis,
    grants::VisitedPlace,
    identity::Identity,
    node_levels::Member,
    rows::{ChangeRequestRow, SpaceRow, find_row, matching_id_or_number},
    state::AccessGuard,
    tokens::bearer,
    visitors::{Visit, Visitors},
};

/// The query parameter with the key of a share link: who sends one reads as its visitors do.
const SHARE_KEY: &str = "shareKey";

impl AccessGuard {
    /// The visitor whom a request comes from, by the token of a visitor or the key of a share link; 401 if the token, and 404
    /// if the key is not valid. `None`: a user.
    pub async fn visitor(&self, call: Call<'_>, object: &'static str) -> Result<Option<(Caller, Visit)>, ApiError> {
        let token = bearer(call.request).filter(|token| Visitors::is_token(token));
        let visit = token.map(|token| {
            self.visitors
                .read(token, self.clock.now())
                .ok_or_else(ApiError::unauthorized)
        });
        let visit = visit.transpose()?;
        let Some(key) = call.query_parameter(SHARE_KEY) else {
            return Ok(visit.map(|visit| (self.visiting(call, &visit), visit)));
        };
        let caller = match &visit {
            Some(visit) => self.visiting(call, visit),
            None => self.authenticate(call).await?,
        };
        let by_link = self.visit_by_link(&key).await?;
        let unknown = || ApiError::not_found(object);
        let by_link = by_link.ok_or_else(unknown)?;
        let visit = match visit {
            None => by_link,
            Some(visit) if visit.site == by_link.site => Visit {
                share_link: by_link.share_link,
                ..visit
            },
            Some(_) => return Err(unknown()),
        };
        Ok(Some((caller, visit)))
    }

    /// A visit with the key of a share link alone. `None`: there is no such link, or it is off.
    async fn visit_by_link(&self, key: &str) -> Result<Option<Visit>, DbErr> {
        let Some(link) = self.visitors.share_link(key) else {
            return Ok(None);
        };
        let found = share_links::Entity::find_by_id(link)
            .filter(share_links::Column::Active.eq(true))
            .find_also_related(sites::Entity)
            .one(self.db.read())
            .await?;
        let site = found.and_then(|(_, site)| site);
        Ok(site.map(|site| Visit {
            share_link: Some(link),
            ..Visit::to(&site)
        }))
    }

    /// The site of a visitor.
    pub async fn visited_site(
        &self,
        (caller, visit): (Caller, Visit),
        organization: OrganizationId,
        site: SiteId,
    ) -> Result<ReadableSiteAccess, ApiError> {
        let open = match (visit.organization, visit.site) == (organization, site) {
            true => self.open_sites.of(&self.db, &visit, self.clock.now()).await?,
            false => None,
        };
        Ok(ReadableSiteAccess {
            caller,
            row: open.ok_or_else(|| ApiError::not_found("site"))?,
            reader: SiteReader::Visitor(visit),
        })
    }

    /// A space that the site of a visitor shows them, with its published content.
    pub async fn visited_space(
        &self,
        call: Call<'_>,
        (caller, visit): (Caller, Visit),
        space: NodeId,
    ) -> Result<SpaceAccess, ApiError> {
        let unknown = || ApiError::not_found("space");
        let site = self
            .open_sites
            .of(&self.db, &visit, self.clock.now())
            .await?
            .ok_or_else(unknown)?;
        let claims = visit.claims_on(&site);
        let site_spaces = self.showing(&site, &claims, space).await?;
        if site_spaces.is_empty() {
            return Err(unknown());
        }
        let row = match visit.preview_of {
            Some(_) => authorize::load_node(self, &caller, space).await?.map(|found| found.row),
            None => find_row(self.db.read(), site.organization_id, space).await?,
        };
        let row: SpaceRow = row.ok_or_else(unknown)?;
        if let Some(revision) = call.path_parameter("revisionId") {
            let revision = RevisionId::parse_or_nil(revision);
            // The revision that was published when the token was issued stays readable while the token is valid.
            if revision != row.space.revision_id && Some((space, revision)) != visit.shown {
                return Err(ApiError::not_found("revision"));
            }
        }
        Ok(SpaceAccess {
            member: Member {
                organization: site.organization_id,
                user: caller.user_id,
                role: None,
            },
            caller,
            row,
            level: MemberRole::Read,
            claims: Some(claims),
            place: Some(Arc::new(VisitedPlace {
                site,
                visit,
                site_spaces,
            })),
        })
    }

    /// A change request of a space that a preview shows.
    pub async fn visited_change_request(
        &self,
        call: Call<'_>,
        (caller, visit): (Caller, Visit),
        space: NodeId,
        change_request: &str,
    ) -> Result<ReadableChangeRequestAccess, ApiError> {
        let unknown = || ApiError::not_found("change request");
        let named = matching_id_or_number(change_request).filter(|_| visit.preview_of.is_some());
        let named = named.ok_or_else(unknown)?;
        let shown = self.visited_space(call, (caller, visit), space).await?;
        let found = authorize::load_node_where::<ChangeRequestRow>(self, &shown.caller, space, named).await?;
        Ok(ReadableChangeRequestAccess {
            caller: shown.caller,
            space,
            request: found.ok_or_else(unknown)?.row.request.id,
            by_visitor: true,
        })
    }

    /// A member of the organization of a site.
    pub async fn visited_user(
        &self,
        (caller, visit): (Caller, Visit),
        user: UserId,
    ) -> Result<ReadableUserAccess, ApiError> {
        let unknown = || ApiError::not_found("user");
        self.open_sites
            .of(&self.db, &visit, self.clock.now())
            .await?
            .ok_or_else(unknown)?;
        let found = members::Entity::find_by_id((visit.organization, user))
            .filter(members::Column::Disabled.eq(false))
            .find_also_related(users::Entity)
            .one(self.db.read())
            .await?;
        let found = found.and_then(|(_, user)| user);
        Ok(ReadableUserAccess {
            caller,
            user: found.filter(|user| user.suspended_at.is_none()).ok_or_else(unknown)?,
            by_visitor: true,
        })
    }

    /// Returns whether a site shows a space to a visitor with these claims.
    pub async fn shows(&self, site: &sites::Model, claims: &VisitorClaims, space: NodeId) -> Result<bool, ApiError> {
        Ok(!self.showing(site, claims, space).await?.is_empty())
    }

    /// The places where a site shows a space to a visitor with these claims.
    async fn showing(
        &self,
        site: &sites::Model,
        claims: &VisitorClaims,
        space: NodeId,
    ) -> Result<Vec<SiteSpaceId>, ApiError> {
        let layout = self.site_layouts.of(self.db.read(), site).await?;
        let places = layout.site_spaces.iter().filter(|item| item.space_id == space);
        let conditions = places.map(|item| {
            let section = layout
                .sections
                .iter()
                .find(|section| Some(section.id) == item.section_id);
            let of_section = section.and_then(|section| section.condition.as_ref());
            let conditions = [item.condition.as_ref(), of_section].into_iter().flatten().collect();
            (item.id, conditions)
        });
        let conditions: Vec<(SiteSpaceId, Vec<&String>)> = conditions.collect();
        let all = conditions.iter().flat_map(|(_, conditions)| conditions).copied();
        let holding = self.holding(claims, all.collect()).await?;
        let holds = |conditions: &[&String]| conditions.iter().all(|condition| holding.contains(*condition));
        let places = conditions.iter().filter(|(_, conditions)| holds(conditions));
        Ok(places.map(|(id, _)| *id).collect())
    }

    /// The caller of a visit: the member whose preview it is, or nobody, because no user has the nil id.
    fn visiting(&self, call: Call<'_>, visit: &Visit) -> Caller {
        let nobody = UserId::from_uuid(Uuid::nil());
        let identity = Identity {
            user_id: visit.preview_of.unwrap_or(nobody),
            token_id: TokenId::from_uuid(Uuid::nil()),
            email: String::new(),
            email_verified: false,
            saml_provider: visit.signed_in_at,
            signed_in_to: visit.signed_in_at.map(|_| visit.organization),
        };
        let basis = Basis::Visit(Arc::new(visit.clone()));
        Caller::new(Arc::new(identity), call, self.clock.now()).allowed_by(basis)
    }
}
