//! Integrations in the database.

use entity::{
    ids::{IntegrationId, OrganizationId},
    integrations::{
        Column, Entity, IntegrationTarget as StoredTarget, IntegrationVisibility, Model, blobs as held,
        installations::{self, InstallationStatus},
        scripts,
    },
    timestamp::Timestamp,
};
use openapi::{
    enums::Enumeration,
    error::{ApiError, ErrorType},
    models::{IntegrationCategory, IntegrationScope, IntegrationTarget},
};
use platform::{
    blobs::{self, StoredBlob},
    db::{Keyset, Range, Ranges, Tx, contains, is_unique_violation, rows},
    hash::Hash,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select, Set,
    sea_query::{Expr, ExprTrait},
};
use serde::Serialize;

use crate::kernel::{audit::AuditTarget, wire::ToStored};

pub use crate::areas::integrations::integration_access::find_by_name;

/// The integrations of an organization.
pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// Finds an integration in a transaction in which no other one changes it.
pub async fn lock_by_name(tx: &Tx, name: &str) -> Result<Option<Model>, DbErr> {
    // PostgreSQL refuses texts with NUL, which no name has.
    if name.contains('\0') {
        return Ok(None);
    }
    let found = Entity::find().filter(Column::Name.eq(name));
    found.lock_exclusive().one(tx).await
}

/// A name in lower case. Two integrations do not have the same one.
pub fn name_key(name: &str) -> String {
    name.to_lowercase()
}

/// Finds the integration with a name, or with one that differs only in upper and lower case.
pub async fn find_by_key(db: &impl ConnectionTrait, name: &str) -> Result<Option<Model>, DbErr> {
    // PostgreSQL refuses texts with NUL, which no name has.
    let key = name_key(name).replace('\0', "?");
    Entity::find().filter(Column::NameKey.eq(key)).one(db).await
}

/// Finds the same integration in a transaction in which no other one changes it.
pub async fn lock_by_key(tx: &Tx, name: &str) -> Result<Option<Model>, DbErr> {
    let found = Entity::find().filter(Column::NameKey.eq(name_key(name)));
    found.lock_exclusive().one(tx).await
}

pub async fn find(db: &impl ConnectionTrait, integration: IntegrationId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(integration).one(db).await
}

/// The script of an integration.
pub async fn script(db: &impl ConnectionTrait, integration: IntegrationId) -> Result<Option<String>, DbErr> {
    let row = scripts::Entity::find_by_id(integration).one(db).await?;
    Ok(row.map(|row| row.script))
}

/// Finds an icon or a preview image of an integration.
pub async fn image(db: &impl ConnectionTrait, name: &str, hash: Hash) -> Result<Option<StoredBlob>, DbErr> {
    let Some(integration) = find_by_name(db, name).await? else {
        return Ok(None);
    };
    let row = held::Entity::find_by_id((integration.id, hash.to_vec()))
        .one(db)
        .await?;
    match row {
        Some(row) => blobs::load(db, &row.hash).await,
        None => Ok(None),
    }
}

/// Inserts an integration, or writes its new version.
pub async fn put(tx: &Tx, row: &Model, script: &str, images: &[Hash]) -> Result<(), ApiError> {
    rows::put(tx, row).await.map_err(|error| {
        // Another organization took the name at the same time.
        if is_unique_violation(&error) {
            name_taken()
        } else {
            error.into()
        }
    })?;
    let script = scripts::Model {
        integration_id: row.id,
        script: script.to_owned(),
    };
    rows::put(tx, &script).await?;
    held::Entity::delete_many()
        .filter(held::Column::IntegrationId.eq(row.id))
        .exec(tx)
        .await?;
    if images.is_empty() {
        return Ok(());
    }
    let images = images.iter().map(|hash| held::ActiveModel {
        integration_id: Set(row.id),
        hash: Set(hash.to_vec()),
    });
    held::Entity::insert_many(images).exec_without_returning(tx).await?;
    Ok(())
}

pub fn name_taken() -> ApiError {
    ApiError::new(
        ErrorType::NameTaken,
        "Another integration has the name, or one that differs only in upper and lower case.",
    )
}

/// Makes the active installations of an integration `pending` whose organizations have not approved all of these scopes. One
/// statement, which compares the scopes in the database: an installation that has approved them stays active.
pub async fn await_approval(
    tx: &Tx,
    integration: IntegrationId,
    scopes: &[IntegrationScope],
    now: Timestamp,
) -> Result<(), DbErr> {
    use installations::{Column, Entity};
    if scopes.is_empty() {
        return Ok(());
    }
    let unapproved = scopes.iter().fold(Condition::any(), |unapproved, scope| {
        unapproved.add(lists(Expr::col(Column::ApprovedScopes), scope.as_str()).not())
    });
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(InstallationStatus::Pending))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::IntegrationId.eq(integration))
        .filter(Column::Status.eq(InstallationStatus::Active))
        .filter(unapproved)
        .exec(tx)
        .await?;
    Ok(())
}

/// The integration in events of the audit log.
pub fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "integration", row.id).labelled(&row.name)
}

/// The newest first.
pub fn order() -> Keyset {
    Keyset::descending([(Entity, Column::Id)])
}

/// The integrations that everybody finds.
pub fn public() -> Range<Entity> {
    Range::with_values(
        Entity::find(),
        vec![(Column::Visibility, IntegrationVisibility::Public.into())],
    )
}

/// The public integrations, those of an organization, and those that are installed on it.
pub fn available_to(organization: OrganizationId) -> Ranges<Entity> {
    let others = || Entity::find().filter(Column::Visibility.ne(IntegrationVisibility::Public));
    let own = Range::with_values(others(), vec![(Column::OrganizationId, organization.into())]);
    let installed = installations::Entity::find()
        .select_only()
        .column(installations::Column::IntegrationId)
        .filter(installations::Column::OrganizationId.eq(organization));
    let installed = others()
        .filter(Column::OrganizationId.ne(organization))
        .filter(Column::Id.in_subquery(installed.into_query()));
    Ranges::new(vec![public(), own, installed.into()])
}

/// The filters of a list of integrations, which no index answers.
#[derive(Serialize)]
pub struct IntegrationFilters {
    pub search: Option<String>,
    pub category: Option<IntegrationCategory>,
    pub block_domain: Option<String>,
    pub blocks: Option<bool>,
    pub content_sources: Option<bool>,
    pub owner: Option<OrganizationId>,
    pub scope: Option<IntegrationScope>,
    pub target: Option<IntegrationTarget>,
}

impl IntegrationFilters {
    pub fn apply(&self, integrations: Select<Entity>) -> Select<Entity> {
        let search = self.search.as_deref();
        let domain = self.block_domain.as_deref();
        let category =
            |category: IntegrationCategory| lists(Expr::col((Entity, Column::Categories)), category.as_str());
        let scope = |scope: IntegrationScope| lists(Expr::col((Entity, Column::Scopes)), scope.as_str());
        let conditions = Condition::all()
            .add_option(search.map(|text| contains((Entity, Column::SearchText), text)))
            .add_option(self.category.map(category))
            .add_option(domain.map(has_block_for))
            .add_option(self.blocks.map(|has| Column::HasBlocks.eq(has)))
            .add_option(self.content_sources.map(|has| Column::HasContentSources.eq(has)))
            .add_option(self.owner.map(|owner| Column::OrganizationId.eq(owner)))
            .add_option(self.scope.map(scope))
            .add_option(self.target.map(may_be_installed_on));
        integrations.filter(conditions)
    }
}

/// Returns whether a JSON list of names has this one. Both databases compare its text, in which the names have quotes.
fn lists(list: Expr, name: &str) -> Expr {
    list.cast_as("text").like(format!("%\"{name}\"%"))
}

fn may_be_installed_on(target: IntegrationTarget) -> Expr {
    match target.to_stored() {
        StoredTarget::All => Column::Target.eq(StoredTarget::All),
        one => Column::Target.is_in([one, StoredTarget::All]),
    }
}

/// Returns whether a block is for addresses of this host, which may be named by a pattern such as `*.example.com`.
fn has_block_for(host: &str) -> Condition {
    let mut condition = Condition::any().add(contains((Entity, Column::BlockDomains), &between_lines(host)));
    let mut rest = host;
    while let Some((_, parent)) = rest.split_once('.') {
        let pattern = between_lines(&format!("*.{parent}"));
        condition = condition.add(contains((Entity, Column::BlockDomains), &pattern));
        rest = parent;
    }
    condition
}

fn between_lines(host: &str) -> String {
    format!("\n{host}\n")
}
