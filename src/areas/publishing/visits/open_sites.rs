//! Sites that are open to a visitor.

use entity::{
    identity::users,
    ids::{OrganizationId, SamlProviderId, ShareLinkId, SiteId, UserId},
    organizations::saml_providers,
    publishing::sites::{self, SiteVisibility, publishing_auth, share_links},
};
use platform::db::{QueryTemplate, ReadRows, positional};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use super::Visit;

use crate::areas::publishing::site_roles;

/// The site of a visit. `None`: the site is not published, or does not let the visitor in any more.
pub async fn open_site(db: &impl ReadRows, visit: &Visit) -> Result<Option<sites::Model>, DbErr> {
    if let Some(user) = visit.preview_of {
        return previewed_site(db, visit, user).await;
    }
    let site = sites::Entity::find_by_id(visit.site)
        .filter(sites::Column::OrganizationId.eq(visit.organization))
        .filter(sites::Column::Published.eq(true));
    let Some(site) = positional::model(db, site).await? else {
        return Ok(None);
    };
    // Claims are those of the key that signed them, whoever else the site lets in.
    let is_signed = match visit.key_number {
        Some(number) => key_number(db, site.id).await? == number,
        None => site.visibility != SiteVisibility::VisitorAuth,
    };
    let is_open = match site.visibility {
        SiteVisibility::Public | SiteVisibility::Unlisted | SiteVisibility::VisitorAuth => is_signed,
        SiteVisibility::ShareLink => match visit.share_link {
            Some(link) => is_signed && is_active(db, site.id, link).await?,
            None => false,
        },
    };
    Ok(is_open.then_some(site))
}

/// The site of a preview, while the user is a member who may read it. Where a membership requires single sign-on, the preview
/// ends with the provider, like the token that it was made with.
async fn previewed_site(db: &impl ReadRows, visit: &Visit, user: UserId) -> Result<Option<sites::Model>, DbErr> {
    let found = site_roles::find(db, visit.organization, visit.site, user).await?;
    let Some(found) = found.filter(|found| found.level.is_some()) else {
        return Ok(None);
    };
    if found.sso_required && !is_provider(db, visit.organization, visit.signed_in_at).await? {
        return Ok(None);
    }
    let user = users::Entity::find_by_id(user).filter(users::Column::SuspendedAt.is_null());
    let is_active = user.one(db).await?.is_some();
    Ok(is_active.then_some(found.site))
}

/// Returns whether an organization still has the provider at which somebody signed in.
async fn is_provider(
    db: &impl ReadRows,
    organization: OrganizationId,
    provider: Option<SamlProviderId>,
) -> Result<bool, DbErr> {
    let Some(provider) = provider else {
        return Ok(false);
    };
    let provider =
        saml_providers::Entity::find_by_id(provider).filter(saml_providers::Column::OrganizationId.eq(organization));
    Ok(provider.one(db).await?.is_some())
}

/// Returns whether a site has this share link, and it is on.
pub async fn is_active(db: &impl ReadRows, site: SiteId, link: ShareLinkId) -> Result<bool, DbErr> {
    let link = share_links::Entity::find_by_id(link)
        .filter(share_links::Column::SiteId.eq(site))
        .filter(share_links::Column::Active.eq(true));
    Ok(positional::model(db, link).await?.is_some())
}

/// The number of the key that signs the tokens of the visitors of a site.
async fn key_number(db: &impl ReadRows, site: SiteId) -> Result<i32, DbErr> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let row = positional::by_id::<publishing_auth::Entity>(db, &TEMPLATE, *site.as_uuid()).await?;
    Ok(row.map_or(0, |row| row.key_number))
}
