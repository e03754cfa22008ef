//! Users on the wire.

use entity::users::Model;
use openapi::models::{User, UserUrls};

use crate::urls::Urls;

pub fn user(urls: &Urls, row: Model) -> User {
    User {
        object: Default::default(),
        urls: UserUrls {
            location: urls.user(row.id),
        },
        id: row.id.to_string(),
        display_name: row.display_name,
        email: Some(row.email),
        photo_url: row.photo_url,
    }
}
