use sea_orm_migration::{prelude::*, schema::*};

use crate::{
    columns::{named, time, time_null},
    tables::{NewTable, table, tables},
};

const TOKENS: &str = "api_tokens";

tables![tokens];

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
