//! Migrations and entities describe the same schema: one database is built from each, and they are compared.

use std::{collections::BTreeSet, env, fs, path::Path};

use platform::db::Backend;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, QueryResult, Schema, Statement};

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![migrations_equal_entities];

/// The one reference that only the migration makes, as each database writes it.
const PARENT_KEY: [&str; 2] = [
    "nodes references nodes (organization_id -> organization_id, parent_id -> id) on update CASCADE on delete CASCADE",
    "nodes FOREIGN KEY (organization_id, parent_id) REFERENCES nodes(organization_id, id) ON UPDATE CASCADE ON DELETE CASCADE",
];

/// The full-text index: a virtual table and what it keeps its data in on SQLite, a table with a column that entities have no type for
/// on PostgreSQL; and words in the order of their bytes. `search_index.rs` tests what they do.
const FULL_TEXT: [&str; 2] = ["search_terms", "search_words"];

async fn create_from_entities(db: &DatabaseConnection) {
    let schema = Schema::new(db.get_database_backend());
    entity::register(schema.builder()).apply(db).await.unwrap();
}

async fn migrations_equal_entities(migrated: TestDatabase) {
    let backend = migrated.backend();
    let from_migrations = facts(backend, migrated.migrated().await.read()).await;

    let created = TestDatabase::new(backend);
    created.create().await;
    let suffix = if backend == Backend::Sqlite { "?mode=rwc" } else { "" };
    let connection = Database::connect(format!("{}{suffix}", created.url())).await.unwrap();
    create_from_entities(&connection).await;
    let from_entities = facts(backend, &connection).await;
    connection.close().await.unwrap();

    assert!(from_entities.len() > 60, "{from_entities:#?}");
    let missing: Vec<_> = from_entities.difference(&from_migrations).collect();
    assert!(
        missing.is_empty(),
        "entities expect what no migration makes: {missing:#?}"
    );
    let added = from_migrations.difference(&from_entities);
    let (of_migrations, added): (Vec<&String>, Vec<&String>) = added.partition(|fact| only_in_migrations(fact));
    equals_snapshot(backend, &of_migrations);
    assert!(
        matches!(*added, [parent] if PARENT_KEY.contains(&parent.as_str())),
        "migrations make what entities do not know: {added:#?}"
    );
}

/// Checks and indexes do not disappear by accident. `BLESS=1` rewrites the list.
fn equals_snapshot(backend: Backend, facts: &[&String]) {
    let name = match backend {
        Backend::Sqlite => "sqlite",
        Backend::Postgres => "postgres",
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/platform/schema_{name}.txt"));
    let facts: String = facts.iter().map(|fact| format!("{fact}\n")).collect();
    if env::var_os("BLESS").is_some() {
        fs::write(&file, &facts).unwrap();
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        facts,
        known,
        "run with BLESS=1 and look at the difference of {}",
        file.display()
    );
}

/// Returns whether the fact is of a kind that entities cannot state: checks, and indexes over several columns or part of the rows.
fn only_in_migrations(fact: &str) -> bool {
    [" check ", " index (", " unique ("]
        .iter()
        .any(|kind| fact.contains(kind))
}

/// The schema as sentences, one for each column, key, reference, index and check; names of indexes and keys left out.
async fn facts(backend: Backend, db: &impl ConnectionTrait) -> BTreeSet<String> {
    let facts = match backend {
        Backend::Sqlite => sqlite_facts(db).await,
        Backend::Postgres => postgres_facts(db).await,
    };
    facts
        .into_iter()
        .filter(|fact| !fact.starts_with("seaql_migrations ") && !FULL_TEXT.iter().any(|name| fact.starts_with(name)))
        // PostgreSQL quotes names that are words of its language.
        .map(|fact| fact.replace('"', ""))
        .collect()
}

async fn rows(db: &impl ConnectionTrait, sql: &str) -> Vec<QueryResult> {
    db.query_all_raw(Statement::from_string(db.get_database_backend(), sql))
        .await
        .unwrap()
}

/// Runs a query whose only column is a sentence.
async fn sentences(db: &impl ConnectionTrait, sql: &str) -> Vec<String> {
    rows(db, sql)
        .await
        .iter()
        .map(|row| row.try_get_by_index(0).unwrap())
        .collect()
}

async fn sqlite_facts(db: &impl ConnectionTrait) -> Vec<String> {
    let mut facts = sentences(
        db,
        "SELECT t.name || ' column ' || c.name || ' ' || c.type || iif(c.\"notnull\", '', ' null')
             || iif(c.pk, ' key ' || c.pk, '') || coalesce(' default ' || c.dflt_value, '')
         FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    .await;
    facts.extend(
        sentences(
            db,
            "SELECT t.name || iif(i.origin = 'pk', ' primary key (', iif(i.\"unique\", ' unique (', ' index ('))
                 || (SELECT group_concat(coalesce(name, 'expression'), ', ')
                     FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
                 || ')' || iif(i.partial, ' partial', '')
             FROM sqlite_schema t JOIN pragma_index_list(t.name) i WHERE t.type = 'table'",
        )
        .await,
    );
    facts.extend(
        sentences(
            db,
            "SELECT DISTINCT t.name || ' references ' || k.\"table\" || ' (' || group_concat(k.\"from\" || ' -> ' || k.\"to\", ', ')
                 OVER (PARTITION BY t.name, k.id) || ') on update ' || k.on_update || ' on delete ' || k.on_delete
             FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) k WHERE t.type = 'table'",
        )
        .await,
    );
    // SQLite lists checks nowhere but in the text of the table.
    for table in rows(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'").await {
        let (name, sql): (String, String) = (table.try_get("", "name").unwrap(), table.try_get("", "sql").unwrap());
        let named: Vec<_> = sql
            .split("CONSTRAINT \"")
            .skip(1)
            .filter_map(|rest| rest.split_once("\" CHECK"))
            .collect();
        assert_eq!(
            named.len(),
            sql.matches("CHECK").count(),
            "every check has a name: {sql}"
        );
        facts.extend(named.iter().map(|(check, _)| format!("{name} check {check}")));
    }
    facts
}

async fn postgres_facts(db: &impl ConnectionTrait) -> Vec<String> {
    let mut facts = sentences(
        db,
        "SELECT a.attrelid::regclass || ' column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
             || CASE WHEN a.attnotnull THEN '' ELSE ' null' END
             || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
         FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
             LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
         WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped",
    )
    .await;
    facts.extend(
        sentences(
            db,
            "SELECT i.indrelid::regclass || CASE WHEN i.indisprimary THEN ' primary key ('
                     WHEN i.indisunique THEN ' unique (' ELSE ' index (' END
                 || (SELECT string_agg(CASE WHEN i.indkey[n - 1] = 0 THEN 'expression'
                         ELSE pg_get_indexdef(i.indexrelid, n, true) END, ', ' ORDER BY n)
                     FROM generate_series(1, i.indnkeyatts) n)
                 || ')' || CASE WHEN i.indpred IS NULL THEN '' ELSE ' partial' END
             FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
             WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace",
        )
        .await,
    );
    facts.extend(
        sentences(
            db,
            "SELECT conrelid::regclass || CASE WHEN contype = 'c' THEN ' check ' || conname
                 ELSE ' ' || pg_get_constraintdef(oid) END
             FROM pg_constraint WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace",
        )
        .await,
    );
    facts
}
