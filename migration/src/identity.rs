//! Users and their tokens.

use sea_orm_migration::prelude::*;

use crate::{columns::named, tables::prelude::*};

const TOKENS: &str = "api_tokens";

tables![users, tokens];

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

/// The step `organizations` adds the columns `saml_provider_id` and `session_id`, with the tables that they refer to.
fn tokens() -> NewTable {
    let whole_hash = Expr::expr(Func::cust("length").arg(Expr::col("hash"))).eq(32);
    table(TOKENS)
        .col(pk_uuid("id"))
        .col(uuid("user_id"))
        .col(string_len("label", 50))
        .col(
            binary_len_uniq("hash", 32)
                .check(named(TOKENS, "hash", "whole", whole_hash))
                .take(),
        )
        .col(string_len("hint", 8))
        .col(time("created_at"))
        .col(time_null("expires_at"))
        .col(time_null("last_used_at"))
        .cascading(&["user_id"], "users", &["id"])
        .index(&["user_id", "id"])
}
