//! Emoji codes: the code points in hexadecimal, joined by `-`.

pub fn emoji_code(emoji: &str) -> String {
    let points: Vec<String> = emoji.chars().map(|c| format!("{:x}", u32::from(c))).collect();
    points.join("-")
}

pub fn emoji_characters(code: &str) -> Option<String> {
    let points = code
        .split('-')
        .map(|point| u32::from_str_radix(point, 16).ok().and_then(char::from_u32));
    points.collect()
}
