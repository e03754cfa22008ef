//! The steps that bring a database to the current schema, in order.
//!
//! One step per context makes the tables of the first release. Each change after it is a step of its own, `m<date>_<what>`.
//! A step that has been released never changes: it repeats what it needs instead of asking the entities, which move on.

mod authoring;
mod columns;
mod conversations;
mod exchange;
mod identity;
mod insights;
mod integrations;
mod languages;
mod library;
mod organizations;
mod platform;
mod publishing;
mod specifications;
mod tables;

use sea_orm_migration::prelude::*;

pub struct Migrator;

impl MigratorTrait for Migrator {
    /// Each step comes after those whose tables it refers to: `platform` after `library`, because `space_blobs` refers to spaces.
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(identity::Migration),
            Box::new(organizations::Migration),
            Box::new(conversations::Migration),
            Box::new(library::Migration),
            Box::new(platform::Migration),
            Box::new(authoring::Migration),
            Box::new(exchange::Migration),
            Box::new(publishing::Migration),
            Box::new(languages::Migration),
            Box::new(specifications::Migration),
            Box::new(integrations::Migration),
            Box::new(insights::Migration),
        ]
    }
}
