//! Migrations and entities describe the same schema: one database is built from each, and they are compared.

use std::collections::BTreeSet;

use platform::db::Backend;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, QueryResult, Schema, Statement};

use crate::support::database::{TestDatabase, on_each_database};

on_each_database![migrations_equal_entities];

/// What the migrations add and entities cannot say: checks, and indexes over several columns.
const ONLY_IN_MIGRATIONS: &[&str] = &[
    "api_tokens check api_tokens_hash_whole",
    "api_tokens index (user_id, id)",
    "audit_events check audit_events_actor_type_known",
    "audit_events index (organization_id, action, occurred_at, id)",
    "audit_events index (organization_id, actor_id, occurred_at, id)",
    "audit_events index (organization_id, occurred_at, id)",
    "audit_events index (organization_id, target_id, occurred_at, id)",
    "audit_events index (user_id, occurred_at, id)",
    "blobs check blobs_size_not_negative",
    "blobs index (claimed_at)",
    "change_requests check change_requests_status_known",
    "change_requests index (organization_id, created_by, status, id)",
    "change_requests index (organization_id, status, id)",
    "change_requests index (space_id, created_by, status, id)",
    "change_requests index (space_id, status, id)",
    "comment_reactions index (comment_id, emoji, reacted_at, user_id)",
    "comment_repliers index (comment_id, replied_at, user_id)",
    "comments check comments_list_id_known",
    "comments check comments_status_known",
    "comments index (list_id, author_id, id)",
    "comments index (list_id, id)",
    "comments index (list_id, page_id, id)",
    "comments index (list_id, status, id)",
    "comments index (space_id, change_request_id, author_id)",
    "conflicts check conflicts_kind_known",
    "conflicts check conflicts_subject_known",
    "contributors check contributors_action_known",
    "contributors index (change_request_id, updated_at, user_id, action)",
    "contributors index (user_id, change_request_id)",
    "custom_hostnames check custom_hostnames_status_known",
    "custom_hostnames index (organization_id, site_id)",
    "glossary_entries index (organization_id, id)",
    "invitations check invitations_email_personal",
    "invitations check invitations_node_id_not_personal",
    "invitations check invitations_role_known",
    "invitations index (created_by)",
    "invitations index (expires_at)",
    "invitations index (organization_id, id) partial",
    "invitations index (organization_id, id)",
    "invitations index (organization_id, node_id)",
    "invitations unique (organization_id, invitee_id)",
    "jobs check jobs_state_known",
    "jobs index (kind, next_attempt_at, id, organization_id)",
    "jobs index (state, finished_at)",
    "members check members_role_known",
    "members check members_teams_count_not_negative",
    "members index (organization_id, joined_at, user_id) partial",
    "members index (organization_id, joined_at, user_id)",
    "members index (organization_id, last_seen_at, user_id)",
    "members index (organization_id, role, joined_at, user_id)",
    "members index (organization_id, role, last_seen_at, user_id)",
    "members index (organization_id, role, sort_name, user_id)",
    "members index (organization_id, sort_name, user_id) partial",
    "members index (organization_id, sort_name, user_id)",
    "members index (user_id, organization_id)",
    "node_ancestors index (ancestor_id, node_id)",
    "nodes check nodes_default_level_known",
    "nodes check nodes_effective_default_known",
    "nodes check nodes_kind_known",
    "nodes index (deleted_at, id) partial",
    "nodes index (organization_id, kind, id)",
    "nodes index (organization_id, kind, position, id) partial",
    "nodes index (organization_id, parent_id, kind, position, id) partial",
    "nodes index (organization_id, parent_id, position, id)",
    "openapi_spec_versions index (hash)",
    "openapi_spec_versions index (spec_id, id)",
    "openapi_specs check openapi_specs_error_code_known",
    "openapi_specs check openapi_specs_processing_state_known",
    "openapi_specs check openapi_specs_visibility_known",
    "openapi_specs index (next_fetch_at)",
    "openapi_specs index (organization_id, id)",
    "openapi_specs index (source_hash)",
    "openapi_specs unique (organization_id, slug)",
    "organization_email_domains index (domain, organization_id) partial",
    "organization_email_domains index (domain, owned, organization_id)",
    "organization_space_counts check organization_space_counts_default_level_known",
    "organizations check organizations_community_type_known",
    "organizations check organizations_default_role_known",
    "organizations check organizations_members_count_not_negative",
    "organizations check organizations_plan_known",
    "organizations check organizations_type_known",
    "organizations check organizations_use_case_known",
    "page_links check page_links_role_known",
    "page_links index (space_id) partial",
    "page_links index (target_id, expression, space_id, page_id, source, seq) partial",
    "pdf_exports check pdf_exports_state_known",
    "pdf_exports index (hash)",
    "pdf_exports index (organization_id, state)",
    "pdf_exports index (state, used_at)",
    "permissions check permissions_role_known",
    "permissions check permissions_subject_single",
    "permissions index (node_id, id) partial",
    "permissions index (organization_id, team_id, node_id)",
    "permissions index (organization_id, user_id, node_id)",
    "permissions unique (node_id, team_id)",
    "permissions unique (node_id, user_id)",
    "requested_reviewers index (change_request_id, created_at, user_id)",
    "requested_reviewers index (user_id, change_request_id)",
    "reviews check reviews_status_known",
    "reviews index (change_request_id, id)",
    "reviews index (change_request_id, revision_id, id)",
    "revisions check revisions_kind_known",
    "revisions index (space_id, change_request_id, id)",
    "revisions index (space_id, id) partial",
    "saml_providers check saml_providers_default_role_known",
    "saml_providers index (organization_id, id)",
    "saml_requests index (provider_id)",
    "saml_requests index (user_id)",
    "search_spaces check search_spaces_pages_count_not_negative",
    "search_spaces index (organization_id, id)",
    "search_spaces index (terms_version)",
    "sessions index (provider_id)",
    "sessions index (user_id, id)",
    "site_publishing_auth check site_publishing_auth_backend_known",
    "site_redirects index (site_id, draft, id)",
    "site_redirects index (site_id, draft, updated_at, id)",
    "site_redirects unique (site_id, draft, source)",
    "site_section_groups index (parent_id)",
    "site_section_groups index (site_id, parent_id)",
    "site_sections index (site_id, group_id)",
    "site_sections unique (site_id, path)",
    "site_share_links index (site_id, id)",
    "site_spaces index (site_id, section_id)",
    "site_spaces index (space_id, site_id)",
    "sites check sites_plan_known",
    "sites check sites_site_spaces_count_not_negative",
    "sites check sites_visibility_known",
    "sites index (organization_id, id)",
    "space_blobs index (hash)",
    "spaces check spaces_change_requests_draft_not_negative",
    "spaces check spaces_change_requests_not_negative",
    "spaces check spaces_change_requests_open_not_negative",
    "spaces check spaces_edit_mode_known",
    "spaces check spaces_language_known",
    "spaces check spaces_visibility_known",
    "team_members check team_members_role_known",
    "team_members index (organization_id, user_id, team_id)",
    "team_members index (team_id, added_at, user_id)",
    "teams check teams_members_count_not_negative",
    "teams index (organization_id, id)",
    "templates index (organization_id, space_id)",
    "translation_segments index (organization_id, created_at)",
    "translation_segments index (organization_id, job_id)",
    "translations check translations_engine_known",
    "translations check translations_status_known",
    "translations index (organization_id, id)",
    "translations index (result_space_id)",
    PARENT,
];

/// The one reference that only the migration makes, as each database writes it.
const PARENT_KEY: [&str; 2] = [
    "nodes references nodes (organization_id -> organization_id, parent_id -> id) on update CASCADE on delete CASCADE",
    "nodes FOREIGN KEY (organization_id, parent_id) REFERENCES nodes(organization_id, id) ON UPDATE CASCADE ON DELETE CASCADE",
];
const PARENT: &str = "nodes references its parent and cascades";

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
    let added: BTreeSet<&str> = from_migrations.difference(&from_entities).map(String::as_str).collect();
    let listed: BTreeSet<&str> = ONLY_IN_MIGRATIONS.iter().copied().collect();
    let unlisted: Vec<_> = added.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&added).collect();
    assert!(
        unlisted.is_empty() && gone.is_empty(),
        "migrations make what entities do not know and ONLY_IN_MIGRATIONS does not list: {unlisted:#?}, or it lists what none \
         makes: {gone:#?}"
    );
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
        .map(|fact| {
            if PARENT_KEY.contains(&fact.as_str()) {
                PARENT.to_owned()
            } else {
                fact
            }
        })
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
