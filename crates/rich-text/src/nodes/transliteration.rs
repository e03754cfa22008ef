//! Latin letters for those of other scripts, by the table that the public product uses for its ids and paths.
//!
//! The pairs are those of the npm package `speakingurl` (BSD-3-Clause). Scripts and letters that it lacks are left to `deunicode`.

use std::{collections::HashMap, sync::LazyLock};

/// Letters with their Latin ones, which may be none; in lower case.
const PAIRS: &[&str] = &[
    // Greek.
    "ΐi άa έe ήi ίi ΰy αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξks οo πp ρr ςs σs τt υy φf χx ψps ωo ϊi",
    "ϋy όo ύy ώo",
    // Cyrillic.
    "аa бb вv гg дd еe жzh зz иi йi кk лl мm нn оo пp рr сs тt уu фf хkh цc чch шsh щsh ъ ыy ь эe юyu",
    "яya ёyo ђdj єye іi їyi јj љlj њnj ћc ќkj џdz ґg",
    // Georgian.
    "აa ბb გg დd ეe ვv ზz თt იi კk ლl მm ნn ოo პp ჟzh რr სs ტt უu ფp ქk ღgh ყq შsh ჩch ცts ძdz წts ჭch",
    "ხkh ჯj ჰh",
    // Arabic.
    "ءa آaa أa ؤu إi ئe اa بb ةh تt ثth جj حh خkh دd ذth رr زz سs شsh صs ضdh طt ظz عa غgh فf قq كk لl مm",
    "نn هh وw ىa يy \u{64b}an \u{64c}on \u{64d}en \u{64e}a \u{64f}u \u{650}e \u{652} پp چch ژzh کk گg یy",
    // Thaana.
    "ހh ށsh ނn ރr ބb ޅlh ކk އa ވv މm ފf ދdh ތth ލl ގg ޏgn ސs ޑd ޒz ޓt ޔy ޕp ޖj ޗch ޘtt ޙhh ޚkh ޛth ޜz",
    "ޝsh ޞs ޟd ޠt ޡz ޢa ޣgh ޤq ޥw \u{7a6}a \u{7a7}aa \u{7a8}i \u{7a9}ee \u{7aa}u \u{7ab}oo \u{7ac}e",
    "\u{7ad}ey \u{7ae}o \u{7af}oa \u{7b0}",
];

static LETTERS: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
    let pairs = PAIRS.iter().flat_map(|line| line.split(' '));
    let pairs = pairs.filter_map(|pair| {
        let letter = pair.chars().next()?;
        Some((letter, pair.get(letter.len_utf8()..)?))
    });
    pairs.collect()
});

/// The Latin letters that stand for a lower-case letter of another script.
pub(super) fn latin(letter: char) -> Option<&'static str> {
    LETTERS.get(&letter).copied()
}

/// The words that a sign stands for.
pub fn words_of_sign(sign: char) -> Option<&'static str> {
    Some(match sign {
        '&' => "and",
        '|' => "or",
        '<' => "less than",
        '>' => "greater than",
        '∆' => "delta",
        '∞' => "infinity",
        '♥' => "love",
        '∑' => "sum",
        '¤' => "currency",
        _ => return None,
    })
}
