//! Visitors of published sites: what their tokens let them read.

use std::sync::Arc;

use entity::{
    ids::{Id, NodeId, OrganizationId, RevisionId, SiteId, TokenId, UserId},
    members::MemberRole,
    nodes,
    sites::{self, sections, share_links, site_spaces},
};
use expressions::{Batch, Condition, Data};
use openapi::{call::Call, error::ApiError};
use platform::db::{ReadRows, positional};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryTrait};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    Caller, ReadableSiteAccess, SiteReader, SpaceAccess, authorize,
    basis::Basis,
    identity::Identity,
    node_levels::Member,
    open_sites::open_site,
    rows::{NodeRow, SpaceRow},
    state::AccessGuard,
    tokens::bearer,
    visitors::{Visit, Visitors},
};

/// The query parameter with the key of a share link: who sends one reads as its visitors do.
const SHARE_KEY: &str = "shareKey";

impl AccessGuard {
    /// The visitor whom a request comes from, by the token of a visitor or the key of a share link; 401 if the token, and 404
    /// if the key is not valid. `None`: a user.
    pub(super) async fn visitor(
        &self,
        call: Call<'_>,
        object: &'static str,
    ) -> Result<Option<(Caller, Visit)>, ApiError> {
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
            organization: site.organization_id,
            site: site.id,
            share_link: Some(link),
            key_number: None,
            preview_of: None,
            shown: None,
            claims: Map::new(),
        }))
    }

    /// The site of a visitor.
    pub(super) async fn visited_site(
        &self,
        (caller, visit): (Caller, Visit),
        organization: OrganizationId,
        site: SiteId,
    ) -> Result<ReadableSiteAccess, ApiError> {
        let open = match (visit.organization, visit.site) == (organization, site) {
            true => open_site(self.db.read(), &visit).await?,
            false => None,
        };
        Ok(ReadableSiteAccess {
            caller,
            row: open.ok_or_else(|| ApiError::not_found("site"))?,
            reader: SiteReader::Visitor(visit),
        })
    }

    /// A space that the site of a visitor shows them, with its published content.
    pub(super) async fn visited_space(
        &self,
        call: Call<'_>,
        (caller, visit): (Caller, Visit),
        space: NodeId,
    ) -> Result<SpaceAccess, ApiError> {
        let unknown = || ApiError::not_found("space");
        let db = self.db.read();
        let site = open_site(db, &visit).await?.ok_or_else(unknown)?;
        if !self.shows(&site, &visit.claims, space).await? {
            return Err(unknown());
        }
        let row = match visit.preview_of {
            Some(_) => authorize::load_node(self, &caller, space).await?.map(|found| found.row),
            None => published_space(db, &site, space).await?,
        };
        let row: SpaceRow = row.ok_or_else(unknown)?;
        if let Some(revision) = call.path_parameter("revisionId") {
            let revision = RevisionId::parse_or_nil(revision);
            // What was published when the visitor came stays readable until they ask again.
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
            claims: Some(visit.claims),
        })
    }

    /// Returns whether a site shows a space to a visitor with these claims in any of its places.
    async fn shows(&self, site: &sites::Model, claims: &Map<String, Value>, space: NodeId) -> Result<bool, ApiError> {
        let places = site_spaces::Entity::find()
            .find_also_related(sections::Entity)
            .filter(site_spaces::Column::SpaceId.eq(space))
            .filter(site_spaces::Column::SiteId.eq(site.id))
            .all(self.db.read())
            .await?;
        let conditions = places.into_iter().map(|(item, section)| {
            let of_section = section.and_then(|section| section.condition);
            [item.condition, of_section].into_iter().flatten().collect::<Vec<_>>()
        });
        let conditions: Vec<Vec<String>> = conditions.collect();
        if conditions.iter().any(Vec::is_empty) {
            return Ok(true);
        }
        let all: Vec<&str> = conditions.iter().flatten().map(String::as_str).collect();
        let mut holding = self.holding(site, claims, &all).await?.into_iter();
        let mut holds =
            |conditions: &Vec<String>| holding.by_ref().take(conditions.len()).fold(true, |all, it| all & it);
        Ok(conditions.iter().fold(false, |any, place| any | holds(place)))
    }

    /// Which of these conditions hold for a visitor of the site. Without adaptive content, none does.
    pub async fn holding(
        &self,
        site: &sites::Model,
        claims: &Map<String, Value>,
        conditions: &[&str],
    ) -> Result<Vec<bool>, ApiError> {
        const RETRY_AFTER: u32 = 2;
        if !site.adaptive_content || conditions.is_empty() {
            return Ok(vec![false; conditions.len()]);
        }
        let parsed: Vec<Option<Condition>> = conditions.iter().map(|source| Condition::parse(source).ok()).collect();
        let batch = Batch {
            conditions: parsed.iter().flatten().cloned().collect(),
            expressions: Vec::new(),
        };
        let data = Data::new(claims.clone(), &Map::new(), &Map::new());
        let overloaded = |_| ApiError::overloaded("The server evaluates too many conditions at present.", RETRY_AFTER);
        let outcome = self.expressions.evaluate(&batch, &data).await.map_err(overloaded)?;
        let mut holding = outcome.conditions.into_iter();
        let holds = |condition: &Option<Condition>| condition.is_some() && holding.next() == Some(true);
        Ok(parsed.iter().map(holds).collect())
    }

    /// The caller of a visit: the member whose preview it is, or nobody, because no user has the nil id.
    fn visiting(&self, call: Call<'_>, visit: &Visit) -> Caller {
        let nobody = UserId::from_uuid(Uuid::nil());
        let identity = Identity {
            user_id: visit.preview_of.unwrap_or(nobody),
            token_id: TokenId::from_uuid(Uuid::nil()),
            email: String::new(),
            email_verified: false,
        };
        let basis = Basis::Visit(Arc::new(visit.clone()));
        Caller::new(Arc::new(identity), call, self.clock.now()).allowed_by(basis)
    }
}

/// A space of the organization of a site.
async fn published_space(db: &impl ReadRows, site: &sites::Model, space: NodeId) -> Result<Option<SpaceRow>, DbErr> {
    let found = nodes::Entity::find_by_id(space)
        .filter(nodes::Column::OrganizationId.eq(site.organization_id))
        .filter(nodes::Column::DeletedAt.is_null());
    let statement = SpaceRow::of(found).build(db.get_database_backend());
    positional::row(db, statement).await
}
