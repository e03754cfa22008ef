//! Visitors of published sites: what their tokens let them read.

use std::sync::Arc;

use entity::{
    ids::{Id, NodeId, RevisionId, ShareLinkId, SiteId, TokenId, UserId},
    members::MemberRole,
    nodes,
    sites::{self, SiteVisibility, publishing_auth, sections, share_links, site_spaces},
};
use expressions::{Batch, Condition, Data};
use openapi::{call::Call, error::ApiError};
use platform::db::positional;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryTrait};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    Caller, SpaceAccess,
    identity::Identity,
    node_levels::Member,
    rows::{NodeRow, SpaceRow},
    state::AccessGuard,
    tokens::bearer,
    visitors::{Visit, Visitors},
};

impl AccessGuard {
    /// The visit of a request with the token of a visitor; 401 if the token is not valid. `None`: the token is of a user.
    pub(super) fn visit(&self, call: Call<'_>) -> Result<Option<Visit>, ApiError> {
        let Some(token) = bearer(call.request).filter(|token| Visitors::is_token(token)) else {
            return Ok(None);
        };
        let visit = self.visitors.read(token, self.clock.now());
        visit.map(Some).ok_or_else(ApiError::unauthorized)
    }

    /// A space that the site of a visitor shows them, with its published content.
    pub(super) async fn visited_space(
        &self,
        call: Call<'_>,
        visit: Visit,
        space: NodeId,
    ) -> Result<SpaceAccess, ApiError> {
        let unknown = || ApiError::not_found("space");
        let site = self.open_site(&visit).await?.ok_or_else(unknown)?;
        if !self.shows(&site, &visit.claims, space).await? {
            return Err(unknown());
        }
        let found = nodes::Entity::find_by_id(space)
            .filter(nodes::Column::OrganizationId.eq(site.organization_id))
            .filter(nodes::Column::DeletedAt.is_null());
        let db = self.db.read();
        let statement = SpaceRow::of(found).build(db.get_database_backend());
        let row = positional::row::<SpaceRow>(db, statement).await?.ok_or_else(unknown)?;
        if let Some(revision) = call.path_parameter("revisionId") {
            let revision = RevisionId::parse_or_nil(revision);
            // What was published when the visitor came stays readable until they ask again.
            if revision != row.space.revision_id && (space, revision) != visit.shown {
                return Err(ApiError::not_found("revision"));
            }
        }
        let caller = self.visiting(call);
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

    /// The site of a visit, while it is published and what let the visitor in still does.
    pub(super) async fn open_site(&self, visit: &Visit) -> Result<Option<sites::Model>, DbErr> {
        let db = self.db.read();
        let site = sites::Entity::find_by_id(visit.site)
            .filter(sites::Column::OrganizationId.eq(visit.organization))
            .filter(sites::Column::Published.eq(true))
            .one(db)
            .await?;
        let Some(site) = site else {
            return Ok(None);
        };
        let is_open = match site.visibility {
            SiteVisibility::Public | SiteVisibility::Unlisted => true,
            SiteVisibility::ShareLink => match visit.share_link {
                Some(link) => is_active(db, site.id, link).await?,
                None => false,
            },
            SiteVisibility::VisitorAuth => match visit.key_number {
                Some(number) => key_number(db, site.id).await? == number,
                None => false,
            },
        };
        Ok(is_open.then_some(site))
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

    /// A caller without an account: no user has the nil id.
    fn visiting(&self, call: Call<'_>) -> Caller {
        let identity = Identity {
            user_id: UserId::from_uuid(Uuid::nil()),
            token_id: TokenId::from_uuid(Uuid::nil()),
            email: String::new(),
            email_verified: false,
        };
        Caller::new(Arc::new(identity), call, self.clock.now())
    }
}

/// Returns whether a site has this share link, and it is on.
pub async fn is_active(db: &impl ConnectionTrait, site: SiteId, link: ShareLinkId) -> Result<bool, DbErr> {
    let link = share_links::Entity::find_by_id(link)
        .filter(share_links::Column::SiteId.eq(site))
        .filter(share_links::Column::Active.eq(true));
    Ok(link.one(db).await?.is_some())
}

/// The number of the key that signs the tokens of the visitors of a site.
async fn key_number(db: &impl ConnectionTrait, site: SiteId) -> Result<i32, DbErr> {
    let row = publishing_auth::Entity::find_by_id(site).one(db).await?;
    Ok(row.map_or(0, |row| row.key_number))
}
