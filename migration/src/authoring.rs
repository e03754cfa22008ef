//! Content and its history, change requests, comments, links, the search index and PDFs.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::{
    columns::{cascading, named},
    tables::prelude::*,
};

const SPACES: &str = "spaces";
const REQUESTS: &str = "change_requests";
const REVIEWS: &str = "reviews";
const COMMENTS: &str = "comments";
const SEARCH_SPACES: &str = "search_spaces";

const REVISION_KINDS: &[&str] = &["edits", "merge", "rollback", "update", "computed"];
const REQUEST_STATUSES: &[&str] = &["draft", "open", "archived", "merged"];
const CONFLICT_KINDS: &[&str] = &[
    "edit_edit",
    "metadata",
    "move_move",
    "edit_delete",
    "delete_edit",
    "move_delete",
    "delete_move",
    "file",
    "reusable_content",
];
const LINK_ROLES: &[&str] = &["link", "media", "file", "reusable", "specification"];

/// The name that the builder gives to an index of these columns is too long for PostgreSQL.
const CHANGED_BY_CREATOR: &str = "CREATE INDEX change_requests_changed_by_creator ON change_requests
    (organization_id, created_by, status, updated_at, id)";

const NO_ORGANIZATION: &str = "00000000-0000-0000-0000-000000000000";

/// The links to a page or file of a space, whether they name the space or not: by the linking page, so that each page is found
/// without its other links, then by the text that has or had the link.
const LINKS_BY_TARGET: &str = "CREATE INDEX page_links_by_target ON page_links
    (target_id, (COALESCE(target_space, space_id)), space_id, page_id, source, seq) WHERE target_id IS NOT NULL";

/// The terms of a page are words with spaces between them, made by the server: the tokenizer has nothing left to decide. The index
/// keeps neither the text nor where in it a word stands, and rows of it go with their pages.
const SQLITE_TERMS: &[&str] = &[
    r#"CREATE VIRTUAL TABLE search_terms USING fts5(
        terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '.'")"#,
    "CREATE TRIGGER search_terms_follow_pages AFTER DELETE ON search_pages
        BEGIN DELETE FROM search_terms WHERE rowid = old.id; END",
];

/// Terms are stored apart from the rows, which only lead to pages: a common word is in many of them. The planner does not know that
/// terms are dear to read, and would rather read all of them than ask the index: the function leaves it no choice.
const POSTGRES_TERMS: &[&str] = &[
    "CREATE TABLE search_terms (
        page_id bigint PRIMARY KEY REFERENCES search_pages (id) ON DELETE CASCADE, terms tsvector NOT NULL)
        WITH (toast_tuple_target = 128)",
    "CREATE INDEX search_terms_by_terms ON search_terms USING gin (terms)",
    "CREATE FUNCTION search_find(wanted tsquery, most bigint) RETURNS text LANGUAGE plpgsql STABLE
        SET enable_seqscan = off SET enable_indexscan = off SET jit = off AS $$
        BEGIN
            RETURN (SELECT string_agg(page_id::text, ',') FROM (
                SELECT page_id FROM search_terms WHERE terms @@ wanted LIMIT most) AS found);
        END $$",
];

/// Words are read by ranges, in the order of their bytes.
const SQLITE_WORDS: &str = "CREATE TABLE search_words (
    search_space_id integer NOT NULL REFERENCES search_spaces (id) ON DELETE CASCADE,
    word text NOT NULL, reversed text NOT NULL, PRIMARY KEY (search_space_id, word)) WITHOUT ROWID";
const POSTGRES_WORDS: &str = r#"CREATE TABLE search_words (
    search_space_id bigint NOT NULL REFERENCES search_spaces (id) ON DELETE CASCADE,
    word text COLLATE "C" NOT NULL, reversed text COLLATE "C" NOT NULL, PRIMARY KEY (search_space_id, word))"#;
const WORDS_BY_REVERSED: &str = "CREATE INDEX search_words_by_reversed ON search_words (search_space_id, reversed)";

tables![
    content_objects,
    computed_contents,
    revisions,
    change_requests,
    contributors,
    conflicts,
    reviews,
    requested_reviewers,
    comments,
    comment_reactions,
    comment_counts,
    comment_reaction_counts,
    commenters,
    comment_repliers,
    page_links,
    search_spaces,
    search_pages,
    pdf_exports,
];

fn content_objects() -> NewTable {
    table("content_objects")
        .col(uuid("space_id"))
        .col(binary_len("hash", 32))
        .col(blob("data"))
        .primary_key(&["space_id", "hash"])
        .cascading(&["space_id"], SPACES, &["id"])
}

fn computed_contents() -> NewTable {
    table("computed_contents")
        .col(uuid("space_id"))
        .col(binary_len("source", 32))
        .col(binary_len("hash", 32))
        .col(blob("pages"))
        .col(time("computed_at"))
        .primary_key(&["space_id", "source"])
        .cascading(&["space_id"], SPACES, &["id"])
}

fn revisions() -> NewTable {
    table("revisions")
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .one_of(string_len("kind", 16), REVISION_KINDS)
        .col(json("snapshot"))
        .col(json("parents"))
        .col(uuid_null("author_id"))
        .col(uuid_null("change_request_id"))
        .col(uuid_null("merged_from"))
        .col(time("created_at"))
        .cascading(&["space_id"], SPACES, &["id"])
        // The history of a space and of its change requests, the newest first.
        .index(&["space_id", "change_request_id", "id"])
        .partial_index(
            "revisions_of_spaces_by_space_id_id",
            &["space_id", "id"],
            "change_request_id IS NULL",
        )
}

fn change_requests() -> NewTable {
    let cluster = &["conversations_issues_cluster_id"];
    let mut of_cluster = cascading(REQUESTS, cluster, "issues_clusters", &["id"]);
    table(REQUESTS)
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .col(integer("number"))
        .one_of(string_len("status", 16), REQUEST_STATUSES)
        .col(string_len("subject", 100))
        .col(json_null("description"))
        .col(json_null("links"))
        .col(uuid("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(uuid("revision_id"))
        .col(uuid("initial_id"))
        .col(uuid_null("ancestor_id"))
        .col(uuid_null("merged_id"))
        .col(time_null("merged_at"))
        .col(uuid_null("merged_by"))
        .col(uuid("organization_id").default(NO_ORGANIZATION).take())
        .col(uuid_null("conversations_issues_cluster_id"))
        .cascading(&["space_id"], SPACES, &["id"])
        .foreign_key(of_cluster.on_delete(ForeignKeyAction::SetNull))
        .index(cluster)
        // Lists of a space and of an organization, the newest first.
        .index(&["space_id", "status", "id"])
        .index(&["space_id", "created_by", "status", "id"])
        .index(&["organization_id", "status", "id"])
        .index(&["organization_id", "created_by", "status", "id"])
        // The same lists, the last changed first.
        .index(&["space_id", "status", "updated_at", "id"])
        .index(&["space_id", "created_by", "status", "updated_at", "id"])
        .index(&["organization_id", "status", "updated_at", "id"])
        .sql(CHANGED_BY_CREATOR)
        .unique_index(&["space_id", "number"])
}

fn contributors() -> NewTable {
    table("contributors")
        .col(uuid("change_request_id"))
        .col(uuid("user_id"))
        .one_of(string_len("action", 8), &["edit", "comment"])
        .col(integer("count"))
        .col(time("updated_at"))
        .primary_key(&["change_request_id", "user_id", "action"])
        .cascading(&["change_request_id"], REQUESTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // The list, the latest first.
        .index(&["change_request_id", "updated_at", "user_id", "action"])
        .index(&["user_id", "change_request_id"])
}

fn conflicts() -> NewTable {
    table("conflicts")
        .col(uuid("change_request_id"))
        .col(uuid("subject_id"))
        .one_of(string_len("subject", 16), &["page", "file", "reusable_content"])
        .one_of(string_len("kind", 16), CONFLICT_KINDS)
        .col(uuid("base_id"))
        .col(uuid("ours_id"))
        .col(uuid("theirs_id"))
        .col(time("created_at"))
        .primary_key(&["change_request_id", "subject_id"])
        .cascading(&["change_request_id"], REQUESTS, &["id"])
}

fn reviews() -> NewTable {
    table(REVIEWS)
        .col(pk_uuid("id"))
        .col(uuid("change_request_id"))
        .col(uuid("revision_id"))
        .col(uuid("reviewer_id"))
        .col(uuid_null("requested_by"))
        .one_of(string_len("status", 32), &["changes-requested", "approved"])
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["change_request_id"], REQUESTS, &["id"])
        .cascading(&["reviewer_id"], "users", &["id"])
        .index(&["change_request_id", "id"])
        .index(&["change_request_id", "revision_id", "id"])
}

fn requested_reviewers() -> NewTable {
    table("requested_reviewers")
        .col(uuid("change_request_id"))
        .col(uuid("user_id"))
        .col(uuid("requested_by"))
        .col(uuid("revision_id"))
        .col(time("created_at"))
        .primary_key(&["change_request_id", "user_id"])
        .cascading(&["change_request_id"], REQUESTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // The list, the latest first.
        .index(&["change_request_id", "created_at", "user_id"])
        .index(&["user_id", "change_request_id"])
}

fn comments() -> NewTable {
    let list = Func::coalesce(["parent_id", "change_request_id", "space_id"].map(Expr::col));
    table(COMMENTS)
        .col(pk_uuid("id"))
        .col(uuid("space_id"))
        .col(uuid_null("change_request_id"))
        .col(uuid_null("review_id"))
        .col(uuid_null("parent_id"))
        .col(uuid("list_id").check(named(COMMENTS, "list_id", "known", Expr::col("list_id").eq(list))))
        .col(uuid("author_id"))
        .col(text("body"))
        .col(time("posted_at"))
        .col(time_null("edited_at"))
        .col(uuid("revision_id"))
        .col(uuid_null("page_id"))
        .col(string_len_null("node", 128))
        .col(string_len_null("cell_record", 128))
        .col(string_len_null("cell_definition", 128))
        .one_of(string_len("status", 8), &["open", "resolved"])
        .col(time_null("resolved_at"))
        .col(uuid_null("resolved_by"))
        .cascading(&["space_id"], SPACES, &["id"])
        .cascading(&["change_request_id"], REQUESTS, &["id"])
        .cascading(&["review_id"], REVIEWS, &["id"])
        .cascading(&["parent_id"], COMMENTS, &["id"])
        .cascading(&["author_id"], "users", &["id"])
        // The lists, with each of their filters.
        .index(&["list_id", "id"])
        .index(&["list_id", "status", "id"])
        .index(&["list_id", "page_id", "id"])
        .index(&["list_id", "author_id", "id"])
        // For listing commenters.
        .index(&["space_id", "change_request_id", "author_id"])
        // For deleting with the referenced row.
        .index(&["change_request_id"])
        .index(&["review_id"])
        .index(&["parent_id"])
}

fn comment_reactions() -> NewTable {
    table("comment_reactions")
        .col(uuid("comment_id"))
        .col(uuid("user_id"))
        .col(string_len("emoji", 160))
        .col(string_len("written", 50))
        .col(time("reacted_at"))
        .primary_key(&["comment_id", "user_id", "emoji"])
        .cascading(&["comment_id"], COMMENTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // The earliest, which answers name.
        .index(&["comment_id", "emoji", "reacted_at", "user_id"])
}

fn comment_counts() -> NewTable {
    table("comment_counts")
        .col(uuid("list_id"))
        .col(uuid("part_id"))
        .col(uuid("space_id"))
        .col(integer("comments"))
        .col(integer("open"))
        .primary_key(&["list_id", "part_id"])
        .cascading(&["space_id"], SPACES, &["id"])
        // The parts that are not summed up yet.
        .index(&["part_id"])
        // For deleting with the space.
        .index(&["space_id"])
}

fn comment_reaction_counts() -> NewTable {
    table("comment_reaction_counts")
        .col(uuid("comment_id"))
        .col(string_len("emoji", 160))
        .col(uuid("part_id"))
        .col(integer("reactions"))
        .primary_key(&["comment_id", "emoji", "part_id"])
        .cascading(&["comment_id"], COMMENTS, &["id"])
        // The parts that are not summed up yet.
        .index(&["part_id"])
}

fn commenters() -> NewTable {
    table("commenters")
        .col(uuid("content_id"))
        .col(uuid("user_id"))
        .col(uuid("space_id"))
        .primary_key(&["content_id", "user_id"])
        .cascading(&["user_id"], "users", &["id"])
        .cascading(&["space_id"], SPACES, &["id"])
        // For deleting with the space.
        .index(&["space_id"])
}

fn comment_repliers() -> NewTable {
    table("comment_repliers")
        .col(uuid("comment_id"))
        .col(uuid("user_id"))
        .col(integer("replies"))
        .col(time("replied_at"))
        .primary_key(&["comment_id", "user_id"])
        .cascading(&["comment_id"], COMMENTS, &["id"])
        .cascading(&["user_id"], "users", &["id"])
        // The latest, which answers name.
        .index(&["comment_id", "replied_at", "user_id"])
}

fn page_links() -> NewTable {
    table("page_links")
        .col(uuid("space_id"))
        .col(binary_len("source", 32))
        .col(uuid("page_id"))
        .col(integer("seq"))
        .col(uuid_null("target_space"))
        .col(uuid_null("target_id"))
        .one_of(string_len("role", 16), LINK_ROLES)
        .col(json("reference"))
        .col(string_len_null("node", 128))
        .col(text_null("conditions"))
        .primary_key(&["space_id", "source", "page_id", "seq"])
        .cascading(&["space_id"], SPACES, &["id"])
        .partial_index("page_links_with_conditions", &["space_id"], "conditions IS NOT NULL")
        .sql(LINKS_BY_TARGET)
}

fn search_spaces() -> NewTable {
    table(SEARCH_SPACES)
        .col(big_pk_auto("id"))
        .col(uuid_uniq("space_id"))
        .counter("pages_count")
        .col(string_len_null("language", 8))
        .col(integer("terms_version").default(0).take())
        .col(uuid("organization_id").default(NO_ORGANIZATION).take())
        .cascading(&["space_id"], "nodes", &["id"])
        .index(&["organization_id", "id"])
        // The spaces whose terms are to be made again.
        .index(&["terms_version"])
        .sql_on(DbBackend::Sqlite, &[SQLITE_WORDS])
        .sql_on(DbBackend::Postgres, &[POSTGRES_WORDS])
        .sql(WORDS_BY_REVERSED)
}

fn search_pages() -> NewTable {
    table("search_pages")
        .col(big_pk_auto("id"))
        .col(big_integer("search_space_id"))
        .col(uuid("page_id"))
        .col(text("title"))
        .col(integer("size"))
        .col(json("sections"))
        .cascading(&["search_space_id"], SEARCH_SPACES, &["id"])
        .unique_key(&["search_space_id", "page_id"])
        .sql_on(DbBackend::Sqlite, SQLITE_TERMS)
        .sql_on(DbBackend::Postgres, POSTGRES_TERMS)
}

fn pdf_exports() -> NewTable {
    table("pdf_exports")
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("space_id"))
        .col(binary_len("fingerprint", 32))
        .col(uuid("revision_id"))
        .col(json_null("parameters"))
        .one_of(string_len("state", 16), &["queued", "ready", "failed"])
        .col(binary_len_null("hash", 32))
        .col(text_null("problem"))
        .col(string_len("file_name", 320))
        .col(time("created_at"))
        .col(time("used_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        .cascading(&["space_id"], SPACES, &["id"])
        .restricting("hash", "blobs", "hash")
        .unique_index(&["space_id", "fingerprint"])
        // The exports of an organization that have not ended.
        .index(&["organization_id", "state"])
        // For finding the exports of a blob.
        .index(&["hash"])
        // Exports that are purged.
        .index(&["state", "used_at"])
}
