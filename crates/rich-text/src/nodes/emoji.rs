//! Emoji codes: the code points in hexadecimal, joined by `-`.

/// The variation selector that asks for the picture of a character instead of its outline; it is usually left out.
const PICTURE_SELECTOR: u32 = 0xfe0f;

pub fn emoji_code(emoji: &str) -> String {
    format_code(emoji.chars().map(u32::from))
}

pub fn emoji_characters(code: &str) -> Option<String> {
    parse_code(code).map(|point| point.and_then(char::from_u32)).collect()
}

/// Returns the one code of an emoji for all its forms: given as characters or as a code, with or without a selector.
pub fn canonical_emoji_code(emoji: &str) -> String {
    let is_code = emoji.is_ascii() && emoji.split('-').all(|point| point.len() > 1);
    let points: Vec<u32> = if is_code {
        parse_code(emoji).map(Option::unwrap_or_default).collect()
    } else {
        emoji.chars().map(u32::from).collect()
    };
    format_code(points.into_iter().filter(|point| *point != PICTURE_SELECTOR))
}

/// The emoji of a shortcode, such as `:tada:`. `None`: no emoji has the shortcode.
pub fn emoji_of_shortcode(text: &str) -> Option<&'static str> {
    let name = text.strip_prefix(':')?.strip_suffix(':')?;
    Some(emojis::get_by_shortcode(name)?.as_str())
}

fn format_code(points: impl Iterator<Item = u32>) -> String {
    let points: Vec<String> = points.map(|point| format!("{point:x}")).collect();
    points.join("-")
}

fn parse_code(code: &str) -> impl Iterator<Item = Option<u32>> {
    code.split('-').map(|point| u32::from_str_radix(point, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::canonical_emoji_code;

    #[test]
    fn forms_of_one_emoji_have_one_code() {
        for (forms, expected) in [
            (&["👍", "1f44d", "1F44D", "1f44d-fe0f"][..], "1f44d"),
            (&["❤️", "❤", "2764", "2764-fe0f", "02764"], "2764"),
            (&["#️⃣", "#⃣", "0023-fe0f-20e3", "23-20E3"], "23-20e3"),
            (&["👩‍💻", "1f469-200d-1f4bb"], "1f469-200d-1f4bb"),
            (&["👍🏽", "1f44d-1f3fd"], "1f44d-1f3fd"),
        ] {
            for form in forms {
                assert_eq!(canonical_emoji_code(form), expected, "{form}");
            }
        }
    }
}
