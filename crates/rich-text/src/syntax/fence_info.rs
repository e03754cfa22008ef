//! The info string of a code fence: ```` ```js title="index.js" {1,3} ````

/// The parts of an info string.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FenceInfo<'t> {
    /// The language.
    pub syntax: &'t str,
    pub title: Option<&'t str>,
    /// The rest behind the language, without the title.
    pub rest: String,
}

const TITLE: &str = "title=";

impl<'t> FenceInfo<'t> {
    pub fn parse(info: &'t str) -> Self {
        let (syntax, rest) = split_syntax(info.trim());
        let rest = rest.trim();
        let titled = rest.match_indices(TITLE).find_map(|(at, _)| {
            let (before, after) = rest.split_at(at);
            (before.is_empty() || before.ends_with(char::is_whitespace)).then_some(())?;
            let (title, after) = parse_value(after.get(TITLE.len()..)?)?;
            Some((before.trim_end(), title, after.trim_start()))
        });
        match titled {
            Some((before, title, after)) => Self {
                syntax,
                title: Some(title),
                rest: [before, after].join(" ").trim().to_owned(),
            },
            None => Self {
                syntax,
                title: None,
                rest: rest.to_owned(),
            },
        }
    }
}

/// Returns the language and the rest. Other programs write ```` ```{.python} ````, ```` ```js{1,3} ```` and ```` ```rust,ignore ````.
fn split_syntax(info: &str) -> (&str, &str) {
    if info.starts_with(TITLE) {
        return ("", info);
    }
    let braced = info.strip_prefix("{.").or_else(|| info.strip_prefix('{'));
    let braced = braced.filter(|inner| inner.starts_with(|c: char| c.is_ascii_alphabetic()));
    let word = braced.map_or(info, |inner| inner.strip_suffix('}').unwrap_or(inner));
    let end = word.find(|c: char| c.is_whitespace() || "{},".contains(c));
    let (syntax, rest) = word.split_at(end.unwrap_or(word.len()));
    match syntax {
        "" => (info, ""),
        _ => (syntax, rest),
    }
}

/// Parses a value that is not empty and returns the rest.
fn parse_value(text: &str) -> Option<(&str, &str)> {
    let quoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.split_once(quote));
    let (value, rest) = match quoted {
        Some(parts) => parts,
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    };
    (!value.is_empty()).then_some((value, rest))
}
