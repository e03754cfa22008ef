//! Mails as jobs.

use entity::platform::jobs::{Column, Entity, Model};
use platform::{
    db::Db,
    jobs::JobKind,
    mail::{Mail, SendMail},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};

/// The jobs of mails, oldest first, whatever became of them.
pub async fn mail_jobs(db: &Db) -> Vec<Model> {
    let jobs = Entity::find().filter(Column::Kind.eq(SendMail::NAME));
    jobs.order_by_asc(Column::Id).all(db.read()).await.unwrap()
}

/// The mail of a job that has not succeeded.
pub fn mail_of(job: &Model) -> Mail {
    serde_json::from_value(job.payload.clone()).unwrap()
}
