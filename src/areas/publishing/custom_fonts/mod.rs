//! Fonts of organizations, which the customization of sites names.

pub mod files;
mod in_force;
mod store;

use entity::{
    ids::CustomFontId,
    publishing::custom_fonts::{Column, Model, faces},
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorType},
    guard::OrganizationLevel,
    models::{
        CreateCustomFont, CustomFontList, CustomFontPermissions, CustomizationFontDefinition, GenerateStorageUploadUrl,
        StorageUploadUrl, UpdateCustomFont,
    },
    operations::custom_fonts::{CustomFontsApi, ListCustomFontsQuery},
};
use platform::db::{Tx, rows};
use sea_orm::{ActiveModelTrait, ColumnTrait, IntoActiveModel, PaginatorTrait, QueryFilter, QuerySelect};
use serde_json::json;

pub use self::in_force::refresh;

use crate::{
    access::OrganizationAccess,
    areas::publishing::{Publishing, uploads::Upload},
    kernel::{
        audit::{AuditTarget, Changed},
        lists::List,
    },
};

/// The most fonts of an organization.
const MAX_FONTS: u64 = 50;

impl CustomFontsApi for Publishing {
    async fn list_custom_fonts(
        &self,
        access: OrganizationAccess,
        query: ListCustomFontsQuery,
    ) -> Result<CustomFontList, ApiError> {
        let organization = access.organization;
        let list = List::new(&self.kernel, ("custom-fonts", organization), query.page, query.limit);
        let views = async |rows: Vec<Model>| {
            let ids = rows.iter().map(|row| row.id);
            let mut faces = store::faces(self.kernel.db.read(), ids).await?;
            let view = |row: Model| {
                let faces = faces.remove(&row.id).unwrap_or_default();
                view(self, &access, row, &faces)
            };
            Ok(rows.into_iter().map(view).collect())
        };
        let found = store::of(organization);
        let page = list.load_descending(found, Column::Id, |row: &Model| row.id, views);
        Ok(page.await?.into())
    }

    async fn create_custom_font(
        &self,
        access: OrganizationAccess,
        body: CreateCustomFont,
    ) -> Result<Created<CustomizationFontDefinition>, ApiError> {
        let CreateCustomFont {
            font_family,
            font_faces,
        } = body;
        let row = Model {
            id: self.kernel.ids.next(),
            organization_id: access.organization,
            font_family,
        };
        let files = font_faces.iter().map(|face| (face.weight, Some(face.storage_key)));
        let files: Vec<_> = files.collect();
        let work = move |tx: Tx| async move {
            if store::of(row.organization_id).count(&tx).await? >= MAX_FONTS {
                let message = format!("An organization has at most {MAX_FONTS} fonts.");
                return Err(ApiError::new(ErrorType::TooManyFonts, message));
            }
            rows::insert(&tx, &row).await?;
            let faces = store::change_faces(&tx, &row, &files).await?;
            Ok(Changed::of(target(&row), (row, faces)))
        };
        let (row, faces) = self.kernel.write(&access.caller, work).await?;
        Ok(Created {
            location: self.kernel.urls.custom_font(row.organization_id, row.id),
            body: view(self, &access, row, &faces),
        })
    }

    async fn get_custom_font(
        &self,
        access: OrganizationAccess,
        font_id: CustomFontId,
    ) -> Result<CustomizationFontDefinition, ApiError> {
        let db = self.kernel.db.read();
        let row = rows::find(db, store::of(access.organization), font_id).await?;
        let row = row.ok_or_else(unknown)?;
        let faces = store::faces(db, [font_id]).await?.remove(&font_id);
        Ok(view(self, &access, row, &faces.unwrap_or_default()))
    }

    async fn update_custom_font(
        &self,
        access: OrganizationAccess,
        font_id: CustomFontId,
        body: UpdateCustomFont,
    ) -> Result<CustomizationFontDefinition, ApiError> {
        let organization = access.organization;
        let payload = json!({ "change": &body });
        let UpdateCustomFont {
            font_family,
            font_faces,
        } = body;
        let files = font_faces.into_iter().flatten();
        let files: Vec<_> = files.map(|face| (face.weight, face.storage_key.0)).collect();
        let work = move |tx: Tx| async move {
            let found = store::of(organization).filter(Column::Id.eq(font_id));
            let row = found.lock_exclusive().one(&tx).await?.ok_or_else(unknown)?;
            let faces = store::change_faces(&tx, &row, &files).await?;
            let row = Model {
                font_family: font_family.unwrap_or(row.font_family),
                ..row
            };
            let row = row.into_active_model().reset_all().update(&tx).await?;
            Changed::of(target(&row), (row, faces)).with(payload)
        };
        let (row, faces) = self.kernel.write(&access.caller, work).await?;
        Ok(view(self, &access, row, &faces))
    }

    async fn delete_custom_font(&self, access: OrganizationAccess, font_id: CustomFontId) -> Result<(), ApiError> {
        let organization = access.organization;
        let work = move |tx: Tx| async move {
            let removed = rows::remove(&tx, store::of(organization), font_id).await?;
            Ok(Changed::if_some(removed.as_ref().map(target)))
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn generate_storage_upload_url(
        &self,
        access: OrganizationAccess,
        body: GenerateStorageUploadUrl,
    ) -> Result<StorageUploadUrl, ApiError> {
        let upload = Upload::new(&self.kernel, access.organization, body);
        Ok(StorageUploadUrl {
            object: Default::default(),
            url: upload.url(&self.kernel),
            key: upload.id.to_string(),
        })
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("font")
}

fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "custom-font", row.id).labelled(&row.font_family)
}

fn view(
    publishing: &Publishing,
    access: &OrganizationAccess,
    row: Model,
    faces: &[faces::Model],
) -> CustomizationFontDefinition {
    CustomizationFontDefinition {
        id: row.id.to_string(),
        custom: true,
        font_family: row.font_family,
        font_faces: files::view(&publishing.kernel, faces),
        permissions: CustomFontPermissions {
            edit: access.level() >= OrganizationLevel::Create,
        },
    }
}
