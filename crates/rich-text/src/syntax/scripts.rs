//! Scripts that are written without spaces between words, with their punctuation.

/// Returns whether a character is Chinese, Japanese or Korean, or a full-width form.
pub fn is_cjk(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11ff}'
            | '\u{2e80}'..='\u{a4cf}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe10}'..='\u{fe1f}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ffef}'
            | '\u{16fe0}'..='\u{18dff}'
            | '\u{1aff0}'..='\u{1b2ff}'
            | '\u{1f200}'..='\u{1f2ff}'
            | '\u{20000}'..='\u{3fffd}'
    )
}
