//! People, as answers show them.

use serde::Serialize;
use uuid::Uuid;

use crate::{Peer, wire};

/// The columns of a person, in every query that has some.
#[derive(sqlx::FromRow, Clone)]
pub struct Row {
    pub user_id: Uuid,
    display_name: String,
    email: String,
    photo_url: Option<String>,
}

impl Row {
    pub fn email(&self) -> &str {
        &self.email
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    object: &'static str,
    id: String,
    display_name: String,
    email: String,
    #[serde(rename = "photoURL", skip_serializing_if = "Option::is_none")]
    photo_url: Option<String>,
    urls: Urls,
}

#[derive(Serialize)]
pub struct Urls {
    pub location: String,
}

impl User {
    pub fn of(peer: &Peer, row: Row) -> Self {
        let id = wire::id(row.user_id);
        Self {
            object: "user",
            display_name: row.display_name,
            email: row.email,
            photo_url: row.photo_url,
            urls: Urls {
                location: format!("{}/v1/users/{id}", peer.base),
            },
            id,
        }
    }
}
