//! Access to the resources of this context, which stubs ask for before a handler runs.

use entity::{
    ids::{NodeId, TranslationId},
    organizations::members::MemberRole,
};
use openapi::{
    error::ApiError,
    guard::{self},
};

use crate::{
    access::{OrganizationAccess, TargetAccess, grants::context_guard, rows::SpaceRow},
    areas::{
        languages::translation_access::{self, DeletableTranslationAccess, TranslationAccess},
        library::targets,
        organizations::guard::OrganizationsGuard,
    },
};

context_guard!(LanguagesGuard);

impl guard::LanguagesGuard for LanguagesGuard {
    type OrganizationsGuard = OrganizationsGuard;
    type TranslationAccess = TranslationAccess;
    type TranslationEditorsAccess = TranslationAccess;
    type TranslationMayBeAbsentAccess = DeletableTranslationAccess;
    type TranslationSourceAccess = TargetAccess;

    async fn translation(
        &self,
        within: OrganizationAccess,
        translation_id: TranslationId,
    ) -> Result<TranslationAccess, ApiError> {
        let found = translation_access::find(&self.access, &within, translation_id).await?;
        Ok(found.ok_or_else(translation_access::unknown)?.for_reading(within))
    }

    async fn translation_editors(
        &self,
        within: OrganizationAccess,
        translation_id: TranslationId,
    ) -> Result<TranslationAccess, ApiError> {
        let found = translation_access::find(&self.access, &within, translation_id).await?;
        found.ok_or_else(translation_access::unknown)?.for_editing(within)
    }

    async fn translation_may_be_absent(
        &self,
        within: OrganizationAccess,
        translation_id: TranslationId,
    ) -> Result<DeletableTranslationAccess, ApiError> {
        Ok(
            match translation_access::find(&self.access, &within, translation_id).await? {
                Some(found) => {
                    let TranslationAccess { caller, row, .. } = found.for_editing(within)?;
                    DeletableTranslationAccess { caller, row: Some(row) }
                }
                None => DeletableTranslationAccess {
                    caller: within.caller,
                    row: None,
                },
            },
        )
    }

    async fn translation_source(
        &self,
        within: OrganizationAccess,
        space: Option<NodeId>,
    ) -> Result<TargetAccess, ApiError> {
        let space = space.ok_or_else(|| ApiError::not_found("space"))?;
        targets::node::<SpaceRow>(&self.access, within, space, MemberRole::Read).await
    }
}
