//! Translations: spaces that are kept in other languages beside their sources.

mod create;
mod run;
mod store;
mod view;

use entity::languages::translations::{Entity, Model};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{CreateTranslation, SCANNED_TO, Translation, TranslationList, UpdateTranslation},
    operations::translations::{ListTranslationsQuery, TranslationsApi},
};
use platform::{
    db::{Page, Scan, Tx},
    jobs,
};
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Select};
use serde_json::json;

use crate::{
    access::{OrganizationAccess, TargetAccess},
    areas::languages::{
        Languages,
        translation_access::{DeletableTranslationAccess, TranslationAccess},
    },
    kernel::{
        audit::{AuditTarget, Changed},
        document_targets,
        lists::List,
    },
};

pub use run::{RunTranslation, start_job::StartTranslationRuns};

impl TranslationsApi for Languages {
    async fn list_translations(
        &self,
        access: OrganizationAccess,
        query: ListTranslationsQuery,
    ) -> Result<TranslationList, ApiError> {
        let (db, member) = (self.kernel.db.read(), access.member());
        let scope = ("translations", member.organization, member.user);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        let filter = |translations| store::visible_to(&member, translations);
        let scan = Scan::new(store::of(member.organization), store::order(), filter, SCANNED_TO);
        let run = |page: Select<Entity>| store::load_page(db, page);
        let (page, count) = list.load_scan(&scan, run, |row: &Model| row.id).await?;
        let editable = store::editable(db, &member, &page.items).await?;
        let view = |row: Model| {
            let may_edit = editable.contains(&row.id);
            view::translation(&self.kernel.urls, row, may_edit)
        };
        let views: Result<Vec<Translation>, ApiError> = page.items.into_iter().map(view).collect();
        let page = Page {
            items: views?,
            next: page.next,
        };
        Ok(list.answer(page, count, |item| item)?.into())
    }

    async fn create_translation(
        &self,
        access: TargetAccess,
        body: CreateTranslation,
    ) -> Result<Created<Translation>, ApiError> {
        let organization = access.member.organization;
        let row = create::create(&self.contents, access, body).await?;
        Ok(Created {
            location: self.kernel.urls.translation(organization, row.id),
            body: view::translation(&self.kernel.urls, row, true)?,
        })
    }

    async fn get_translation(&self, access: TranslationAccess) -> Result<Translation, ApiError> {
        view::translation(&self.kernel.urls, access.row, access.may_edit)
    }

    async fn update_translation(
        &self,
        access: TranslationAccess,
        body: UpdateTranslation,
    ) -> Result<Translation, ApiError> {
        let (organization, id, now) = (access.row.organization_id, access.row.id, self.kernel.clock.now());
        let UpdateTranslation { instructions, auto_run } = body;
        document_targets::require_safe("/body/instructions", &instructions)?;
        let instructions = serde_json::to_value(instructions)?;
        let work = move |tx: Tx| async move {
            let row = store::lock(&tx, organization, id).await?;
            let auto_run = auto_run.unwrap_or(row.auto_run);
            // What has changed before is due at once.
            let next_run_at = auto_run.then(|| row.next_run_at.unwrap_or(now));
            let changed = Model {
                instructions,
                next_run_at: if auto_run == row.auto_run {
                    row.next_run_at
                } else {
                    next_run_at
                },
                auto_run,
                updated_at: now,
                ..row
            };
            let row = changed.into_active_model().reset_all().update(&tx).await?;
            Ok(Changed::of(target(&row), row))
        };
        let row = self.kernel.write(&access.caller, work).await?;
        view::translation(&self.kernel.urls, row, access.may_edit)
    }

    async fn delete_translation(&self, access: DeletableTranslationAccess) -> Result<(), ApiError> {
        let Some(row) = access.row else {
            return Ok(());
        };
        let now = self.kernel.clock.now();
        let work = move |tx: Tx| async move {
            let found = store::find_locked(&tx, row.organization_id, row.id).await?;
            if let Some(row) = &found {
                jobs::cancel(&tx, row.job_id, now).await?;
                Entity::delete_by_id(row.id).exec(&tx).await?;
            }
            Changed::if_some(found.as_ref().map(target)).with(json!({ "result": row.result_space_id }))
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn run_translation(&self, access: TranslationAccess) -> Result<(), ApiError> {
        let (organization, id) = (access.row.organization_id, access.row.id);
        let (job, now) = (self.kernel.ids.next(), self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let row = store::lock(&tx, organization, id).await?;
            let target = target(&row);
            if !run::enqueue_run(&tx, row, job, now).await? {
                return Ok(Changed::nothing(()));
            }
            Changed::of(target, ()).with(json!({ "job": job }))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn cancel_translation_run(&self, access: DeletableTranslationAccess) -> Result<(), ApiError> {
        let Some(row) = access.row else {
            return Ok(());
        };
        let now = self.kernel.clock.now();
        let work = move |tx: Tx| async move {
            let Some(row) = store::find_locked(&tx, row.organization_id, row.id).await? else {
                return Ok(Changed::nothing(()));
            };
            let target = target(&row);
            let was_open = run::cancel(&tx, row, now).await?;
            Ok(Changed::if_some(was_open.then_some(target)))
        };
        self.kernel.write(&access.caller, work).await
    }
}

fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "translation", row.id)
}
