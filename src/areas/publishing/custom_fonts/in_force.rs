//! The fonts of sites as they are now: settings keep a font as it was when it was chosen.

use std::collections::{BTreeSet, HashMap};

use entity::{
    ids::{CustomFontId, OrganizationId},
    publishing::custom_fonts::{Column, Model},
};
use openapi::{
    error::ApiError,
    models::{
        CustomizationFont, CustomizationFontDefinitionInput, CustomizationMonospaceFont, CustomizationStyling,
        CustomizationStylingHeadingFont, SiteCustomizationSettings,
    },
    values::Maybe,
};
use sea_orm::{ColumnTrait, QueryFilter};

use super::{files, store};

use crate::{areas::publishing::site_settings, kernel::Kernel};

/// Gives settings the fonts of the organization as they are now, and the default ones in place of deleted fonts. Two queries, and none for
/// settings without fonts of the organization.
pub async fn refresh(
    kernel: &Kernel,
    organization: OrganizationId,
    settings: Vec<&mut SiteCustomizationSettings>,
) -> Result<(), ApiError> {
    let chosen = settings.iter().flat_map(|settings| fonts(&settings.styling));
    let ids: BTreeSet<CustomFontId> = chosen.filter_map(|font| font.id.parse().ok()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let db = kernel.db.read();
    let rows = store::of(organization).filter(Column::Id.is_in(ids)).all(db).await?;
    let faces = store::faces(db, rows.iter().map(|row| row.id)).await?;
    let rows: HashMap<CustomFontId, Model> = rows.into_iter().map(|row| (row.id, row)).collect();
    let default = site_settings::view(site_settings::compose([]), None)?.styling;
    // Returns whether the font is there. Ids of other forms are those of renderers.
    let update = |font: &mut CustomizationFontDefinitionInput| {
        let Ok(id) = font.id.parse::<CustomFontId>() else {
            return true;
        };
        let Some((row, faces)) = rows.get(&id).zip(faces.get(&id)) else {
            return false;
        };
        font.font_family.clone_from(&row.font_family);
        font.font_faces = files::view(kernel, faces);
        true
    };
    for settings in settings {
        let styling = &mut settings.styling;
        if let CustomizationFont::Object(font) = &mut styling.font
            && !update(font)
        {
            styling.font = default.font.clone();
        }
        if let Maybe::Value(CustomizationStylingHeadingFont::Object(font)) = &mut styling.heading_font
            && !update(font)
        {
            styling.heading_font = Maybe::Absent;
        }
        if let CustomizationMonospaceFont::Object(font) = &mut styling.monospace_font
            && !update(font)
        {
            styling.monospace_font = default.monospace_font.clone();
        }
    }
    Ok(())
}

/// The fonts of settings that are there with their files.
fn fonts(styling: &CustomizationStyling) -> impl Iterator<Item = &CustomizationFontDefinitionInput> {
    let text = match &styling.font {
        CustomizationFont::Object(font) => Some(&**font),
        CustomizationFont::String(_) => None,
    };
    let heading = match &styling.heading_font {
        Maybe::Value(CustomizationStylingHeadingFont::Object(font)) => Some(&**font),
        _ => None,
    };
    let mono = match &styling.monospace_font {
        CustomizationMonospaceFont::Object(font) => Some(&**font),
        CustomizationMonospaceFont::String(_) => None,
    };
    [text, heading, mono].into_iter().flatten()
}
