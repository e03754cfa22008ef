//! Fonts in the database.

use std::collections::{BTreeMap, HashMap};

use entity::{
    ids::{CustomFontId, OrganizationId, UploadId},
    publishing::{
        custom_fonts::{Column, Entity, FontFormat, Model, faces},
        uploads::{self, UploadFormat},
    },
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::ErrorDetail,
};
use platform::db::Tx;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Select,
};

/// The weight that every font has.
const REGULAR: i32 = 400;

/// The most weights of a font, as many as the customization of a site takes.
const MAX_WEIGHTS: usize = 20;

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// The files of fonts, by font and in the order of their weights.
pub async fn faces(
    db: &impl ConnectionTrait,
    fonts: impl IntoIterator<Item = CustomFontId>,
) -> Result<HashMap<CustomFontId, Vec<faces::Model>>, DbErr> {
    let found = faces::Entity::find()
        .filter(faces::Column::FontId.is_in(fonts))
        .order_by_asc(faces::Column::Weight);
    let mut by_font: HashMap<_, Vec<_>> = HashMap::new();
    for face in found.all(db).await? {
        by_font.entry(face.font_id).or_default().push(face);
    }
    Ok(by_font)
}

/// Gives weights of a font the files of uploads, or removes weights, and returns all files of the font.
pub async fn change_faces(
    tx: &Tx,
    font: &Model,
    changes: &[(u32, Option<UploadId>)],
) -> Result<Vec<faces::Model>, ApiError> {
    let known = faces(tx, [font.id]).await?.remove(&font.id).unwrap_or_default();
    if changes.is_empty() {
        return Ok(known);
    }
    let keys = changes.iter().filter_map(|(_, key)| *key);
    let found = uploads::Entity::find()
        .filter(uploads::Column::OrganizationId.eq(font.organization_id))
        .filter(uploads::Column::Id.is_in(keys))
        .all(tx)
        .await?;
    let mut problems = Vec::new();
    let mut faces: BTreeMap<i32, faces::Model> = known.into_iter().map(|face| (face.weight, face)).collect();
    for (number, &(weight, key)) in changes.iter().enumerate() {
        let place = format!("/body/fontFaces/{number}");
        if changes.iter().take(number).any(|(earlier, _)| *earlier == weight) {
            let message = "Another file has this weight.";
            problems.push(problem(format!("{place}/weight"), ErrorRule::Unique, message));
        }
        let weight = i32::try_from(weight).unwrap_or(i32::MAX);
        let upload = found.iter().find(|upload| Some(upload.id) == key);
        match (key, upload.and_then(|upload| Some((upload, format(upload)?)))) {
            (None, _) => drop(faces.remove(&weight)),
            (Some(_), Some((upload, format))) => {
                let face = faces::Model {
                    font_id: font.id,
                    weight,
                    hash: upload.hash.clone(),
                    format,
                };
                faces.insert(weight, face);
            }
            (Some(_), None) => {
                let message = "The organization has no upload of a font with this key.";
                problems.push(problem(
                    format!("{place}/storageKey"),
                    ErrorRule::UnknownUpload,
                    message,
                ));
            }
        }
    }
    ApiError::refuse(problems)?;
    if !faces.contains_key(&REGULAR) || faces.len() > MAX_WEIGHTS {
        let message = format!("A font has a file of the weight {REGULAR}, and at most {MAX_WEIGHTS} weights.");
        return Err(ApiError::invalid_member(
            "/body/fontFaces",
            ErrorRule::FontWeights,
            message,
        ));
    }
    let faces: Vec<faces::Model> = faces.into_values().collect();
    let former = faces::Entity::delete_many().filter(faces::Column::FontId.eq(font.id));
    former.exec(tx).await?;
    let rows = faces.iter().map(|face| face.clone().into_active_model().reset_all());
    faces::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(faces)
}

/// `None`: the upload is not a font.
fn format(upload: &uploads::Model) -> Option<FontFormat> {
    match upload.format {
        UploadFormat::Woff2 => Some(FontFormat::Woff2),
        UploadFormat::Woff => Some(FontFormat::Woff),
        UploadFormat::Zip | UploadFormat::Markdown => None,
    }
}

fn problem(pointer: String, code: ErrorRule, message: &str) -> ErrorDetail {
    ErrorDetail {
        pointer,
        code,
        message: message.to_owned(),
    }
}
