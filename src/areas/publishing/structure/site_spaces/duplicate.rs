//! Copies of site spaces with their spaces.

use entity::ids::SiteSpaceId;
use openapi::error::ApiError;
use platform::db::Tx;
use serde_json::json;

use super::unknown;

use crate::{
    access::{authorize::require_admin_if_present, load_node, rows::SpaceRow},
    areas::{
        library::spaces::copies::{ReadyCopy, SpaceCopy, copied_settings},
        publishing::{
            Publishing,
            guard::SiteAccess,
            layout::{Drafts, Layout},
            structure::{
                edit::At,
                site::{lock, target},
                store,
            },
        },
    },
    kernel::audit::Changed,
};

/// Copies the space of a site space, and shows the copy directly after the original.
pub async fn duplicate(
    publishing: &Publishing,
    access: &SiteAccess,
    original: SiteSpaceId,
    draft: bool,
) -> Result<SiteSpaceId, ApiError> {
    let layout = publishing.visits.layout(&access.row, Drafts::With).await?;
    let item = layout.site_space(original).ok_or_else(unknown)?;
    let space = load_node::<SpaceRow>(&publishing.access, &access.caller, item.space_id).await?;
    let space = require_admin_if_present(space, "space")?.ok_or_else(unknown)?;
    let copy = SpaceCopy {
        contents: &publishing.contents,
        creator: access.member,
        original: space.row.node,
        title: None,
        settings: copied_settings(),
    };
    let (organization, site, id) = (access.member.organization, access.row.id, publishing.kernel.ids.next());
    let write = |copy: ReadyCopy| {
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let before = Layout::load(&tx, site.id).await?;
            let item = before.site_space(original).ok_or_else(unknown)?;
            let Some(space) = copy.insert(&tx).await? else {
                return Ok(Changed::nothing(None));
            };
            let mut after = before.clone();
            after.add_site_space(site.id, id, item.section_id, &space, item.page_id)?;
            if let Some(added) = after.site_space_mut(id) {
                added.draft = draft;
                added.condition.clone_from(&item.condition);
                added.hidden = item.hidden;
                added.title.clone_from(&item.title);
                added.localized_title.clone_from(&item.localized_title);
            }
            after.move_site_space(id, At::After(original))?;
            store::save(&tx, &site, &before, &after).await?;
            Changed::of(target(&site), Some(())).with(json!({ "siteSpace": original, "copy": id }))
        };
        publishing.kernel.write(&access.caller, work)
    };
    copy.make(write).await?;
    Ok(id)
}
