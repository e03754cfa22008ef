//! Users on the wire.

use openapi::models::{User, UserUrls};

use crate::{access::rows::UserColumns, kernel::urls::Urls};

pub fn user(urls: &Urls, row: impl Into<UserColumns>) -> User {
    let row = row.into();
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
