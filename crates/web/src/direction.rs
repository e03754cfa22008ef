//! Directions of writing.

/// Languages that are written from right to left.
const RIGHT_TO_LEFT: [&str; 9] = ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"];

pub fn is_right_to_left(language: &str) -> bool {
    let (language, _) = language.split_once('-').unwrap_or((language, ""));
    RIGHT_TO_LEFT.contains(&language)
}
