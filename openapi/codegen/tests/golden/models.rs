use crate::{describe::described, list::Page, prelude::*};
/// The number up to which the items of a list are counted.
pub const COUNTED_TO: u64 = 1000u64;
/// The number of rows that a page of a filtered list looks at.
pub const SCANNED_TO: u64 = 5000u64;
pub(crate) static PATTERN_A02D2BCECEA5CBF9: LazyLock<Regex> = LazyLock::new(|| rules::pattern(
    "^[A-Z]",
));
pub(crate) static PATTERN_C182F89FDB221836: LazyLock<Regex> = LazyLock::new(|| rules::pattern(
    "^[a-z]+$",
));
include!(concat!(env!("OUT_DIR"), "/models_common.rs"));
impl ErrorType {
    /// The status of the responses.
    pub const fn status(self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::Unauthorized => 401,
            Self::SsoRequired => 401,
            Self::Forbidden => 403,
            Self::MissingScope => 403,
            Self::NotFound => 404,
            Self::KeyReused => 409,
            Self::Gone => 410,
            Self::Changed => 412,
            Self::TooLarge => 413,
            Self::PayloadTooLarge => 413,
            Self::NoJson => 415,
            Self::UnsupportedMediaType => 415,
            Self::TooMany => 429,
            Self::TooManyRequests => 429,
            Self::Internal => 500,
            Self::Overloaded => 503,
            Self::Unavailable => 503,
        }
    }
}
described!(Error, Note, Shelf, ShelfList);
/// The variant of a [`Part`], or of one of its subsets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartKind<'a> {
    Board(&'a Board),
    Crate(&'a Crate),
}
whole!(Part as PartKind : Board, Crate);
part_of!(Front of Part as PartKind : Board);
/// `variants!(Union, with)` calls `with!(Union: Variant, …)`: code for each variant without a list of them.
#[macro_export]
macro_rules! variants {
    (Front, $with:ident) => {
        $with ! (Front : Board);
    };
    (Part, $with:ident) => {
        $with ! (Part : Board, Crate);
    };
}
/// The rules of texts, for those that do not come in a request.
pub mod texts {
    use super::*;
    /// The rules of `Binding`.
    pub static BINDING: rules::Text = rules::Text {
        min: 2,
        max: Some(40),
        pattern: Some(&PATTERN_C182F89FDB221836),
        format: Some(formats::is_visible),
    };
}
