//! The redirect for a path, and where it leads.

use entity::{
    ids::SiteId,
    publishing::sites::redirects::{Column, Entity, Model},
};
use openapi::{
    error::ApiError,
    models::{SiteRedirectDestination as Destination, SiteRedirectMatch},
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::{
    matching::{MAX_STEPS, appended, is_usable, normal_form, path_in_site, sources_of},
    targets::Targets,
    view,
};

use crate::areas::publishing::{Publishing, guard::ReadableSiteAccess};

/// Follows redirects from a path: one query for each of at most [`MAX_STEPS`] redirects, besides what their destinations need.
pub async fn follow(
    publishing: &Publishing,
    access: ReadableSiteAccess,
    source: String,
) -> Result<SiteRedirectMatch, ApiError> {
    let (db, site) = (publishing.kernel.db.read(), access.row.id);
    let source = normal_form(&source);
    let first = find(db, site, &source).await?.ok_or_else(unknown)?;
    let mut targets = Targets::for_reader(publishing, access).await?;
    let (mut path, mut redirect) = (source, first.clone());
    for _ in 0..MAX_STEPS {
        let destination: Destination = serde_json::from_value(redirect.destination.clone())?;
        targets.load(publishing, [destination.clone().into()]).await?;
        let target = targets.address(&destination, appended(&redirect, &path));
        let target = target.ok_or_else(unknown)?;
        let next = match path_in_site(&targets.site_address, &target) {
            Some(next) => find(db, site, &next).await?.map(|redirect| (next, redirect)),
            None => None,
        };
        match next {
            Some(next) => (path, redirect) = next,
            None => {
                let redirect = view(first)?;
                return Ok(SiteRedirectMatch { redirect, target });
            }
        }
    }
    Err(unknown())
}

/// The redirect for a path: that with the most specific source.
async fn find(db: &impl ConnectionTrait, site: SiteId, path: &str) -> Result<Option<Model>, DbErr> {
    let found = Entity::find()
        .filter(Column::SiteId.eq(site))
        .filter(Column::Draft.eq(false))
        .filter(Column::Source.is_in(sources_of(path)))
        .all(db)
        .await?;
    let usable = found.into_iter().filter(|redirect| is_usable(redirect, path));
    // The path itself comes before a wildcard of the same length.
    Ok(usable.max_by_key(|redirect| (redirect.source == path, redirect.source.len())))
}

fn unknown() -> ApiError {
    ApiError::not_found("redirect")
}
