//! The ways between a union and the unions that allow a part of its variants.

/// A union with all variants of its family.
macro_rules! whole {
    ($whole:ident as $kind:ident: $($variant:ident),+) => {
        impl $whole {
            pub fn kind(&self) -> $kind<'_> {
                match self { $(Self::$variant(value) => $kind::$variant(value)),+ }
            }
        }

        $(impl From<$variant> for $whole {
            fn from(value: $variant) -> Self {
                Self::$variant(value.into())
            }
        })+
    };
}
pub(crate) use whole;

/// A union with some variants of a family.
macro_rules! part_of {
    ($part:ident of $whole:ident as $kind:ident: $($variant:ident),+) => {
        impl $part {
            pub fn kind(&self) -> $kind<'_> {
                match self { $(Self::$variant(value) => $kind::$variant(value)),+ }
            }
        }

        impl From<$part> for $whole {
            fn from(part: $part) -> Self {
                match part { $($part::$variant(value) => Self::$variant(value)),+ }
            }
        }

        impl TryFrom<$whole> for $part {
            /// The value as it was.
            type Error = Box<$whole>;

            fn try_from(whole: $whole) -> Result<Self, Self::Error> {
                match whole {
                    $($whole::$variant(value) => Ok(Self::$variant(value)),)+
                    other => Err(Box::new(other)),
                }
            }
        }
    };
}
pub(crate) use part_of;
