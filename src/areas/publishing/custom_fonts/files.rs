//! The files of fonts, which need no token: their names are hashes, so only those know them who see the font or a site with it.

use entity::{
    ids::CustomFontId,
    publishing::custom_fonts::{FontFormat, faces},
};
use openapi::{
    enums::Enumeration,
    error::ApiError,
    models::{CustomizationFontSourceFormat, FontFace, FontSource},
};
use platform::{
    blobs::{self, StoredBlob},
    hash::Hash,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::kernel::{
    Kernel,
    wire::{ToStored, ToWire, wire_enums},
};

wire_enums! {
    FontFormat = CustomizationFontSourceFormat { Woff2, Woff }
}

/// A file in the store.
pub struct FontFile {
    pub blob: StoredBlob,
    pub content_type: &'static str,
}

/// Finds a file by its name, `{hash}.{format}`.
pub async fn find(kernel: &Kernel, font: &str, name: &str) -> Result<Option<FontFile>, ApiError> {
    let parts = name.split_once('.').and_then(|(hash, format)| {
        let format = CustomizationFontSourceFormat::from_text(format)?;
        let font: CustomFontId = font.parse().ok()?;
        Some((font, hash.parse::<Hash>().ok()?, format.to_stored()))
    });
    let Some((font, hash, format)) = parts else {
        return Ok(None);
    };
    let db = kernel.db.read();
    let face = faces::Entity::find()
        .filter(faces::Column::FontId.eq(font))
        .filter(faces::Column::Hash.eq(hash.to_vec()))
        .filter(faces::Column::Format.eq(format))
        .one(db)
        .await?;
    let Some(face) = face else {
        return Ok(None);
    };
    let blob = blobs::load(db, &face.hash).await?;
    Ok(blob.map(|blob| FontFile {
        blob,
        content_type: match format {
            FontFormat::Woff2 => "font/woff2",
            FontFormat::Woff => "font/woff",
        },
    }))
}

/// The files of a font on the wire.
pub fn view(kernel: &Kernel, faces: &[faces::Model]) -> Vec<FontFace> {
    let view = |face: &faces::Model| {
        let (hash, format) = (Hash::from_bytes(&face.hash)?, face.format.to_wire());
        let source = FontSource {
            url: kernel.urls.font_file(face.font_id, hash, format.as_str()),
            format: Some(format),
        };
        Some(FontFace {
            weight: u32::try_from(face.weight).unwrap_or_default(),
            sources: vec![source],
        })
    };
    faces.iter().filter_map(view).collect()
}
