//! Tests of the service as its users and its attackers see it: over HTTP, with a real database of either kind.

mod support;

mod access;
mod agent_instructions;
mod agreement;
mod db_cursor;
mod db_ids;
mod db_migrate;
mod db_page;
mod db_sqlite;
mod db_write;
mod document;
mod email_domains;
mod gates;
mod members;
mod organizations;
mod paging;
mod races;
mod schema;
mod statements;
mod system;
mod team_members;
mod teams;
mod tokens;
mod users;
mod validation;
