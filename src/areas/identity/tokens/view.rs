//! Tokens on the wire.

use entity::identity::tokens::Model;
use openapi::models::{ApiToken, CreatedApiToken};

use crate::kernel::wire::time;

pub fn token(row: Model) -> ApiToken {
    ApiToken {
        object: Default::default(),
        id: row.id.to_string(),
        label: row.label,
        created_at: time(row.created_at),
        expires_at: row.expires_at.map(time),
        last_used_at: row.last_used_at.map(time),
        hint: Some(row.hint),
    }
}

pub fn created(row: Model, secret: String) -> CreatedApiToken {
    let ApiToken {
        object: _,
        id,
        label,
        created_at,
        expires_at,
        last_used_at,
        hint,
    } = token(row);
    CreatedApiToken {
        object: Default::default(),
        id,
        label,
        created_at,
        expires_at,
        last_used_at,
        hint,
        token: secret,
    }
}
