//! The program and its database: storage, jobs, HTTP, starts and stops.

mod blob_store;
mod connections;
mod db_cursor;
mod db_ids;
mod db_later;
mod db_migrate;
mod db_page;
mod db_ranges;
mod db_sqlite;
mod db_write;
pub mod durability;
mod first_run;
mod http;
mod job_command;
mod job_processes;
mod jobs;
mod kept_answers;
mod list_plans;
mod mails;
mod not_writable;
mod object_pages;
mod outage;
mod private_files;
mod schema;
mod stopping;
mod system;
mod unread_answers;
