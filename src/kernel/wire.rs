//! Conversions between rows and wire types: times, and enums with the same values in the database and in the contract.

use entity::timestamp::Timestamp as StoredTimestamp;
use openapi::values::Timestamp;

pub fn time(stored: StoredTimestamp) -> Timestamp {
    stored.to_utc().into()
}

/// A stored enum that answers show as an enum of the contract.
pub trait ToWire: Copy {
    type Wire;

    fn to_wire(self) -> Self::Wire;
}

/// An enum of the contract that request bodies and filters name stored values with.
pub trait ToStored: Copy {
    type Stored;

    fn to_stored(self) -> Self::Stored;
}

/// Declares enums with the same variants: `Stored = Wire { A, B }` converts in both directions, `Stored as Wire { A, B }` only
/// to a wire enum with further values, `Wire => Stored { A, B }` only from a wire enum with a part of the stored values. A
/// list that misses a variant does not compile.
macro_rules! wire_enums {
    () => {};
    ($stored:ty = $wire:ty { $($variant:ident),* $(,)? } $($rest:tt)*) => {
        $crate::kernel::wire::wire_enums! { $stored as $wire { $($variant),* } }
        $crate::kernel::wire::wire_enums! { $wire => $stored { $($variant),* } $($rest)* }
    };
    ($stored:ty as $wire:ty { $($variant:ident),* $(,)? } $($rest:tt)*) => {
        impl $crate::kernel::wire::ToWire for $stored {
            type Wire = $wire;

            fn to_wire(self) -> $wire {
                match self {
                    $(<$stored>::$variant => <$wire>::$variant,)*
                }
            }
        }

        $crate::kernel::wire::wire_enums! { $($rest)* }
    };
    ($wire:ty => $stored:ty { $($variant:ident),* $(,)? } $($rest:tt)*) => {
        impl $crate::kernel::wire::ToStored for $wire {
            type Stored = $stored;

            fn to_stored(self) -> $stored {
                match self {
                    $(<$wire>::$variant => <$stored>::$variant,)*
                }
            }
        }

        $crate::kernel::wire::wire_enums! { $($rest)* }
    };
}

pub(crate) use wire_enums;

wire_enums! {
    entity::organizations::members::MemberRole = openapi::models::MemberRole { Read, Comment, Edit, Review, Create, Admin }
    entity::library::nodes::DefaultLevel = openapi::models::DefaultLevel {
        Inherit, Read, Comment, Edit, Review, Create, Admin
    }
}
