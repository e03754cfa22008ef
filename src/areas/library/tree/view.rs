//! What spaces and collections share on the wire.

use entity::nodes::DefaultLevel as Stored;
use openapi::models::DefaultLevel;

pub fn default_level(stored: Stored) -> DefaultLevel {
    match stored {
        Stored::Inherit => DefaultLevel::Inherit,
        Stored::Read => DefaultLevel::Read,
        Stored::Comment => DefaultLevel::Comment,
        Stored::Edit => DefaultLevel::Edit,
        Stored::Review => DefaultLevel::Review,
        Stored::Create => DefaultLevel::Create,
        Stored::Admin => DefaultLevel::Admin,
    }
}

pub fn stored_default_level(level: DefaultLevel) -> Stored {
    match level {
        DefaultLevel::Inherit => Stored::Inherit,
        DefaultLevel::Read => Stored::Read,
        DefaultLevel::Comment => Stored::Comment,
        DefaultLevel::Edit => Stored::Edit,
        DefaultLevel::Review => Stored::Review,
        DefaultLevel::Create => Stored::Create,
        DefaultLevel::Admin => Stored::Admin,
    }
}
