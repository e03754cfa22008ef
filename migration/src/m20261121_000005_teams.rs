use crate::tables::prelude::*;

const TEAMS: &str = "teams";
const MEMBERS: &str = "team_members";

tables![teams, team_members];

fn teams() -> NewTable {
    table(TEAMS)
        .col(pk_uuid("id"))
        .col(uuid("organization_id"))
        .col(string_len("title", 64))
        .col(text("title_folded"))
        .counter("members_count")
        .col(time("created_at"))
        .cascading(&["organization_id"], "organizations", &["id"])
        // Referenced by memberships, so that a team can hold only members of its own organization.
        .unique_index(&["id", "organization_id"])
        .index(&["organization_id", "created_at", "id"])
}

fn team_members() -> NewTable {
    table(MEMBERS)
        .col(uuid("team_id"))
        .col(uuid("user_id"))
        .col(uuid("organization_id"))
        .one_of(string_len("role", 8), &["owner", "member"])
        .col(time("added_at"))
        .primary_key(&["team_id", "user_id"])
        .cascading(&["organization_id", "team_id"], TEAMS, &["organization_id", "id"])
        .cascading(
            &["organization_id", "user_id"],
            "members",
            &["organization_id", "user_id"],
        )
        .index(&["organization_id", "user_id", "team_id"])
        .index(&["team_id", "added_at", "user_id"])
}
