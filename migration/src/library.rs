//! Spaces and collections, who may do what to them, and invitations to them and to organizations.

use sea_orm_migration::prelude::*;

use crate::{
    columns::{cascading, counter, named},
    tables::prelude::*,
};

const ORGANIZATIONS: &str = "organizations";
const MEMBERS: &str = "members";
const NODES: &str = "nodes";
const ANCESTORS: &str = "node_ancestors";
const SPACES: &str = "spaces";
const PERMISSIONS: &str = "permissions";
const INVITATIONS: &str = "invitations";

const ROLES: &[&str] = &["read", "comment", "edit", "review", "create", "admin"];
const DEFAULT_LEVELS: &[&str] = &["inherit", "read", "comment", "edit", "review", "create", "admin"];
const VISIBILITIES: &[&str] = &[
    "public",
    "unlisted",
    "share-link",
    "visitor-auth",
    "in-collection",
    "private",
];
const LANGUAGES: &[&str] = &[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl", "pl", "tr",
    "sv", "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv",
    "et", "sl",
];

tables![
    nodes,
    ancestors,
    collections,
    spaces,
    templates,
    permissions,
    invitations,
    invitation_mails,
];

fn nodes() -> NewTable {
    let mut parent = cascading(
        NODES,
        &["organization_id", "parent_id"],
        NODES,
        &["organization_id", "id"],
    );
    // Of nodes that were deleted together, the last ones come first: most of them have nothing below them.
    let purged = "CREATE INDEX nodes_by_deleted_at_id_desc ON nodes (deleted_at, id DESC) WHERE deleted_at IS NOT NULL";
    table(NODES)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .one_of(string_len("kind", 16), &["space", "collection"])
        .col(uuid_null("parent_id"))
        .col(big_integer("position"))
        .col(string_len("title", 50))
        .one_of(string_len_null("default_level", 16), DEFAULT_LEVELS)
        .one_of(string_len_null("effective_default", 16), DEFAULT_LEVELS)
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_null("deleted_at"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        // The content of a collection moves to another organization with it.
        .foreign_key(parent.name("fk_nodes_parent").on_update(ForeignKeyAction::Cascade))
        .unique_key(&["id", "organization_id"])
        // Lists of an organization, the newest first.
        .index(&["organization_id", "kind", "id"])
        // For listing the content of a collection in its order.
        .index(&["organization_id", "parent_id", "position", "id"])
        .partial_index(
            "nodes_held_by_organization_id_parent_id_kind_position_id",
            &["organization_id", "parent_id", "kind", "position", "id"],
            "parent_id IS NOT NULL AND deleted_at IS NULL",
        )
        // For listing the top level. PostgreSQL sorts the rows without a parent if the parent is a column of the index.
        .partial_index(
            "nodes_at_top_by_organization_id_kind_position_id",
            &["organization_id", "kind", "position", "id"],
            "parent_id IS NULL",
        )
        .sql(purged)
}

fn ancestors() -> NewTable {
    let mut above = cascading(ANCESTORS, &["ancestor_id"], NODES, &["id"]);
    table(ANCESTORS)
        .col(uuid("node_id"))
        .col(uuid("ancestor_id"))
        .col(integer("depth"))
        .primary_key(&["node_id", "ancestor_id"])
        .cascading(&["node_id"], NODES, &["id"])
        .foreign_key(above.name("fk_node_ancestors_ancestor"))
        .index(&["ancestor_id", "node_id"])
}

fn collections() -> NewTable {
    table("collections")
        .col(pk_uuid("id"))
        .col(string_len_null("description", 100))
        .cascading(&["id"], NODES, &["id"])
}

fn spaces() -> NewTable {
    let count = |name| counter(name, SPACES).default(0).take();
    table(SPACES)
        .col(pk_uuid("id"))
        .col(string_len_null("emoji", 50))
        .col(string_len_null("icon", 2048))
        .one_of(string_len("visibility", 16), VISIBILITIES)
        .one_of(string_len("edit_mode", 8), &["live", "locked"])
        .one_of(string_len_null("language", 8), LANGUAGES)
        .col(json("merge_rules"))
        .col(uuid("revision_id"))
        .col(count("change_requests"))
        .col(count("change_requests_open"))
        .col(count("change_requests_draft"))
        .col(binary_len_null("git_tag", 32))
        .cascading(&["id"], NODES, &["id"])
}

fn templates() -> NewTable {
    table("templates")
        .col(pk_uuid("space_id"))
        .col(uuid("organization_id"))
        .col(uuid("revision_id"))
        .col(integer("pages"))
        .col(json("parameters"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .cascading(&["space_id"], SPACES, &["id"])
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        // Lists, the newest spaces first.
        .index(&["organization_id", "space_id"])
}

fn permissions() -> NewTable {
    let one_subject = Expr::col("user_id").is_null().ne(Expr::col("team_id").is_null());
    table(PERMISSIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(uuid("node_id"))
        .col(uuid_null("user_id").check(named(PERMISSIONS, "subject", "single", one_subject)))
        .col(uuid_null("team_id"))
        .one_of(string_len("role", 16), ROLES)
        .col(time("created_at"))
        .cascading(&["organization_id", "node_id"], NODES, &["organization_id", "id"])
        .cascading(
            &["organization_id", "user_id"],
            MEMBERS,
            &["organization_id", "user_id"],
        )
        .cascading(&["organization_id", "team_id"], "teams", &["organization_id", "id"])
        .unique_index(&["node_id", "user_id"])
        .unique_index(&["node_id", "team_id"])
        // The lists of people and of teams.
        .partial_index(
            "permissions_of_people_by_node_id_id",
            &["node_id", "id"],
            "user_id IS NOT NULL",
        )
        .partial_index(
            "permissions_of_teams_by_node_id_id",
            &["node_id", "id"],
            "team_id IS NOT NULL",
        )
        .index(&["organization_id", "user_id", "node_id"])
        .index(&["organization_id", "team_id", "node_id"])
}

fn invitations() -> NewTable {
    let personal = Expr::col("user_id").is_null().eq(Expr::col("email").is_null());
    let one_kind = Expr::col("user_id").is_null().or(Expr::col("node_id").is_null());
    let mut invitee = cascading(INVITATIONS, &["invitee_id"], "users", &["id"]);
    table(INVITATIONS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .one_of(string_len_null("role", 16), ROLES)
        .col(uuid_null("node_id").check(named(INVITATIONS, "node_id", "not_personal", one_kind)))
        .col(uuid_null("user_id"))
        .col(uuid_null("invitee_id"))
        .col(boolean("sso").default(false).take())
        .col(string_len_null("email", 320).check(named(INVITATIONS, "email", "personal", personal)))
        .col(time("created_at"))
        .col(time("expires_at"))
        .col(uuid("created_by"))
        .cascading(&["organization_id"], ORGANIZATIONS, &["id"])
        .cascading(&["organization_id", "node_id"], NODES, &["organization_id", "id"])
        .cascading(
            &["organization_id", "user_id"],
            MEMBERS,
            &["organization_id", "user_id"],
        )
        .foreign_key(
            invitee
                .name("fk_invitations_invitee")
                .on_update(ForeignKeyAction::Cascade),
        )
        .cascading(&["created_by"], "users", &["id"])
        // One person has one personal invite.
        .unique_index(&["organization_id", "user_id"])
        .unique_index(&["organization_id", "invitee_id"])
        // Lists, the newest first.
        .index(&["organization_id", "id"])
        .partial_index(
            "invitations_to_organizations_by_organization_id_id",
            &["organization_id", "id"],
            "node_id IS NULL",
        )
        // For deleting with a space or collection.
        .index(&["organization_id", "node_id"])
        .index(&["created_by"])
        // For purging.
        .index(&["expires_at"])
}

/// The sender is an organization or a user.
fn invitation_mails() -> NewTable {
    table("invitation_mails")
        .col(pk_uuid("sender_id"))
        .col(big_integer("day"))
        .col(integer("sent"))
}
