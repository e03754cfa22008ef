//! What the processing of all conversations of an organization shares: the number of issues, the tokens of the language model, and
//! whether clusters wait for their upkeep.

use entity::{
    conversations::groupings::{Column, Entity, Model},
    ids::OrganizationId,
};
use platform::db::Tx;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::counters::day_of;
use crate::kernel::Kernel;

/// Makes other changes of the issues of an organization wait. Makes the row if there is none.
pub async fn lock(tx: &Tx, organization: OrganizationId) -> Result<Model, DbErr> {
    let first = Model {
        organization_id: organization,
        issues: 0,
        upkeep_queued: false,
        model_day: 0,
        model_tokens: 0,
    };
    Entity::insert_many([first.into_active_model().reset_all()])
        .on_conflict(OnConflict::column(Column::OrganizationId).do_nothing().to_owned())
        .exec_without_returning(tx)
        .await?;
    let row = Entity::find_by_id(organization).lock_exclusive().one(tx).await?;
    row.ok_or_else(|| DbErr::RecordNotFound("the grouping of the organization".to_owned()))
}

pub async fn set(tx: &Tx, organization: OrganizationId, issues: i64, upkeep_queued: bool) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::Issues, Expr::value(issues))
        .col_expr(Column::UpkeepQueued, Expr::value(upkeep_queued))
        .filter(Column::OrganizationId.eq(organization))
        .exec(tx)
        .await
        .map(drop)
}

/// Tokens of the language model that a request may take.
#[derive(Clone, Copy)]
pub struct ReservedTokens {
    organization: OrganizationId,
    day: i32,
    tokens: i64,
}

/// Reserves tokens of the day. `None`: so many are not left.
pub async fn reserve_tokens(
    kernel: &Kernel,
    organization: OrganizationId,
    tokens: i64,
    tokens_per_day: u64,
) -> Result<Option<ReservedTokens>, DbErr> {
    let day = day_of(kernel.clock.now());
    let limit = i64::try_from(tokens_per_day).unwrap_or(i64::MAX);
    let work = move |tx: Tx| async move {
        let row = lock(&tx, organization).await?;
        let used = if row.model_day == day { row.model_tokens } else { 0 };
        let used = used.saturating_add(tokens);
        if used > limit {
            return Ok::<_, DbErr>(None);
        }
        Entity::update_many()
            .col_expr(Column::ModelDay, Expr::value(day))
            .col_expr(Column::ModelTokens, Expr::value(used))
            .filter(Column::OrganizationId.eq(organization))
            .exec(&tx)
            .await?;
        Ok(Some(ReservedTokens {
            organization,
            day,
            tokens,
        }))
    };
    kernel.db.write(work).await
}

impl ReservedTokens {
    /// Counts the tokens that were used in place of those that were reserved.
    pub async fn settle(self, kernel: &Kernel, used: u64) -> Result<(), DbErr> {
        let difference = i64::try_from(used).unwrap_or(i64::MAX).saturating_sub(self.tokens);
        let work = move |tx: Tx| async move {
            Entity::update_many()
                .col_expr(Column::ModelTokens, Expr::col(Column::ModelTokens).add(difference))
                .filter(Column::OrganizationId.eq(self.organization))
                .filter(Column::ModelDay.eq(self.day))
                .exec(&tx)
                .await
                .map(drop)
        };
        kernel.db.write(work).await
    }
}
