//! Sites that are open to a visitor.

use entity::{
    ids::{ShareLinkId, SiteId, UserId},
    sites::{self, SiteVisibility, publishing_auth, share_links},
    users,
};
use platform::db::ReadRows;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::{rows, visitors::Visit};

/// The site of a visit, while what let the visitor in still does.
pub async fn open_site(db: &impl ReadRows, visit: &Visit) -> Result<Option<sites::Model>, DbErr> {
    if let Some(user) = visit.preview_of {
        return previewed_site(db, visit, user).await;
    }
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

/// The site of a preview, while the user is a member who may read it.
async fn previewed_site(db: &impl ReadRows, visit: &Visit, user: UserId) -> Result<Option<sites::Model>, DbErr> {
    let found = rows::site_with_role(db, visit.organization, visit.site, user).await?;
    let found = found.filter(|(_, role)| role.is_some());
    let user = users::Entity::find_by_id(user).filter(users::Column::SuspendedAt.is_null());
    let is_active = user.one(db).await?.is_some();
    Ok(found.filter(|_| is_active).map(|(site, _)| site))
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
