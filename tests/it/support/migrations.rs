//! Databases as they were before a migration.

use migration::Migrator;
use sea_orm::{Database, DatabaseConnection};
use sea_orm_migration::MigratorTrait;

/// Takes back a migration, whose name ends so, and all later ones.
pub async fn before(url: &str, name: &str) -> DatabaseConnection {
    let steps = Migrator::migrations();
    let step = steps.iter().position(|step| step.name().ends_with(name));
    let later = u32::try_from(steps.len() - step.unwrap()).unwrap();
    let connection = Database::connect(url).await.unwrap();
    Migrator::down(&connection, Some(later)).await.unwrap();
    connection
}

/// Applies all migrations again.
pub async fn apply(connection: &DatabaseConnection) {
    Migrator::up(connection, None).await.unwrap();
}
