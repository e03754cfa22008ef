use crate::tables::prelude::*;

tables![users];

fn users() -> NewTable {
    table("users")
        .col(pk_uuid("id"))
        .col(string_len_uniq("email", 320))
        .col(boolean("email_verified"))
        .col(string_len("display_name", 64))
        .col(string_len_null("photo_url", 2048))
        .col(text("search_text"))
        .col(time("created_at"))
        .col(time_null("suspended_at"))
}
