//! Visits of sites: who comes with a token, the key of a share link or a preview, and what their site shows them.

mod keys;
mod open_sites;
mod open_visit;

use std::sync::Arc;

use entity::{
    ids::{TokenId, UserId},
    publishing::sites::{self, share_links},
    timestamp::Timestamp,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{call::Call, error::ApiError};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use uuid::Uuid;

pub use self::{
    keys::{Visit, VisitorKeys},
    open_sites::{is_active, open_site},
    open_visit::OpenVisit,
};

use super::layout::Layouts;

use crate::{
    access::{Access, Caller, SiteReader, Visitor, Visitors, basis::Basis, identity::Identity, tokens::bearer},
    areas::content::Contents,
    kernel::Kernel,
};

/// The query parameter with the key of a share link: who sends one reads as its visitors do.
const SHARE_KEY: &str = "shareKey";

/// The keys of visitors, and what is known of the sites that they visit. Cloning is cheap.
#[derive(Clone)]
pub struct Visits(Arc<State>);

struct State {
    kernel: Kernel,
    contents: Arc<Contents>,
    keys: VisitorKeys,
    layouts: Layouts,
}

impl Visits {
    pub fn new(kernel: &Kernel, contents: &Arc<Contents>) -> Self {
        Self(Arc::new(State {
            kernel: kernel.clone(),
            contents: Arc::clone(contents),
            keys: VisitorKeys::new(&kernel.secrets),
            layouts: Layouts::default(),
        }))
    }

    pub fn keys(&self) -> &VisitorKeys {
        &self.0.keys
    }

    /// The visitor whom a request comes from, like [`Visitors::visitor`].
    pub async fn visitor(
        &self,
        access: &Access,
        call: Call<'_>,
        object: &'static str,
    ) -> Result<Option<(Caller, Arc<OpenVisit>)>, ApiError> {
        let now = self.0.kernel.clock.now();
        let token = bearer(call.request).filter(|token| VisitorKeys::is_token(token));
        let visit = token.map(|token| self.keys().read(token, now).ok_or_else(ApiError::unauthorized));
        let visit = visit.transpose()?;
        let unknown = || ApiError::not_found(object);
        let (user, visit) = match call.query_parameter(SHARE_KEY) {
            None => (None, visit),
            Some(key) => {
                let user = match &visit {
                    Some(_) => None,
                    None => Some(access.authenticate(call).await?),
                };
                let by_link = self.visit_by_link(&key).await?.ok_or_else(unknown)?;
                let visit = match visit {
                    None => by_link,
                    Some(visit) if visit.site == by_link.site => Visit {
                        share_link: by_link.share_link,
                        ..visit
                    },
                    Some(_) => return Err(unknown()),
                };
                (user, Some(visit))
            }
        };
        let Some(visit) = visit else {
            return Ok(None);
        };
        let site = open_site(self.0.kernel.db.read(), &visit).await?;
        let open = Arc::new(OpenVisit::new(self.clone(), site.ok_or_else(unknown)?, visit));
        let caller = user.unwrap_or_else(|| self.caller(call, &open));
        Ok(Some((caller, open)))
    }

    /// Opens a site to a visitor whom it lets in.
    pub fn open(&self, call: Call<'_>, site: sites::Model, visit: Visit) -> (Caller, Arc<OpenVisit>) {
        let open = Arc::new(OpenVisit::new(self.clone(), site, visit));
        (self.caller(call, &open), open)
    }

    /// The visit of a preview whose token a request has, and the time at which the visit ends. `None`: the token is another one.
    pub async fn preview(&self, call: Call<'_>) -> Result<Option<(Caller, Visit, Timestamp)>, ApiError> {
        let now = self.0.kernel.clock.now();
        let preview = bearer(call.request).and_then(|token| self.keys().read_preview(token, now));
        let Some((visit, expires)) = preview else {
            return Ok(None);
        };
        let site = open_site(self.0.kernel.db.read(), &visit).await?;
        let site = site.ok_or_else(|| ApiError::not_found("published content"))?;
        let open = Arc::new(OpenVisit::new(self.clone(), site, visit.clone()));
        Ok(Some((self.caller(call, &open), visit, expires)))
    }

    /// A visit with the key of a share link alone. `None`: there is no such link, or it is off.
    async fn visit_by_link(&self, key: &str) -> Result<Option<Visit>, DbErr> {
        let Some(link) = self.keys().share_link(key) else {
            return Ok(None);
        };
        let found = share_links::Entity::find_by_id(link)
            .filter(share_links::Column::Active.eq(true))
            .find_also_related(sites::Entity)
            .one(self.0.kernel.db.read())
            .await?;
        let site = found.and_then(|(_, site)| site);
        Ok(site.map(|site| Visit {
            share_link: Some(link),
            ..Visit::to(&site)
        }))
    }

    /// The caller of a visit: the member whose preview it is, or nobody, because no user has the nil id.
    fn caller(&self, call: Call<'_>, open: &Arc<OpenVisit>) -> Caller {
        let nobody = UserId::from_uuid(Uuid::nil());
        let visit = &open.visit;
        let identity = Identity {
            user_id: visit.preview_of.unwrap_or(nobody),
            token_id: TokenId::from_uuid(Uuid::nil()),
            of_session: false,
            email: String::new(),
            email_verified: false,
            saml_provider: visit.signed_in_at,
            signed_in_to: visit.signed_in_at.map(|_| visit.organization),
            integration: None,
        };
        let basis = Basis::Visit(Arc::clone(open) as _);
        Caller::new(Arc::new(identity), call, self.0.kernel.clock.now()).allowed_by(basis)
    }
}

impl Visitors for Visits {
    fn visitor<'a>(
        &'a self,
        access: &'a Access,
        call: Call<'a>,
        object: &'static str,
    ) -> BoxFuture<'a, Result<Option<Visitor>, ApiError>> {
        async move {
            let found = self.visitor(access, call, object).await?;
            Ok(found.map(|(caller, site)| Visitor {
                caller,
                site: site as Arc<dyn SiteReader>,
            }))
        }
        .boxed()
    }
}
