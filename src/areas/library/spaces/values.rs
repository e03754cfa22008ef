//! The enumerations of spaces, stored and on the wire.

use entity::spaces as stored;
use openapi::models as wire;

/// Both directions between two enums whose variants have the same names.
macro_rules! same_variants {
    ($to_wire:ident, $to_stored:ident, $stored:ty, $wire:ty, [$($variant:ident),* $(,)?]) => {
        pub fn $to_wire(value: $stored) -> $wire {
            match value {
                $(<$stored>::$variant => <$wire>::$variant,)*
            }
        }

        pub fn $to_stored(value: $wire) -> $stored {
            match value {
                $(<$wire>::$variant => <$stored>::$variant,)*
            }
        }
    };
}

same_variants!(
    edit_mode,
    stored_edit_mode,
    stored::SpaceEditMode,
    wire::SpaceEditMode,
    [Live, Locked]
);

same_variants!(
    language,
    stored_language,
    stored::Language,
    wire::TranslationLanguage,
    [
        En, Fr, De, Es, It, Pt, PtBr, Ru, Ja, Zh, Yue, Ko, Ar, Hi, Nl, Pl, Tr, Sv, No, Da, Fi, El, Cs, Hu, Ro, Th, Vi,
        Id, Ms, He, Uk, Sk, Bg, Hr, Lt, Lv, Et, Sl
    ]
);

pub fn visibility(value: stored::ContentVisibility) -> wire::ContentVisibility {
    use stored::ContentVisibility as Stored;
    use wire::ContentVisibility as Wire;
    match value {
        Stored::Public => Wire::Public,
        Stored::Unlisted => Wire::Unlisted,
        Stored::ShareLink => Wire::ShareLink,
        Stored::VisitorAuth => Wire::VisitorAuth,
        Stored::InCollection => Wire::InCollection,
        Stored::Private => Wire::Private,
    }
}
