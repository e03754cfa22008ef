//! Directions of writing.

/// Languages that are written from right to left.
const RIGHT_TO_LEFT: [&str; 9] = ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"];

pub fn is_right_to_left(language: &str) -> bool {
    let (language, _) = language.split_once('-').unwrap_or((language, ""));
    RIGHT_TO_LEFT.contains(&language)
}

/// The direction of a text by its first letter, as in HTML. `None`: it has no letter.
pub fn direction_of(text: &str) -> Option<&'static str> {
    let letter = text.chars().find(|character| character.is_alphabetic())?;
    let is_right_to_left = matches!(letter,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}');
    Some(if is_right_to_left { "rtl" } else { "ltr" })
}
