//! Highlighting of code, by classes.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::Html;

/// Longer code is shown as it is: grammars take time for each line.
const MAX_LINES: usize = 2_000;
const MAX_BYTES: usize = 64 * 1024;
const MAX_LINE_BYTES: usize = 1_000;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// The classes of the parts of code, by the beginning of the names of their scopes. The most special ones come first.
const CLASSES: [(&str, &str); 18] = [
    ("comment", "c"),
    ("punctuation.definition.comment", "c"),
    ("string", "s"),
    ("punctuation.definition.string", "s"),
    ("constant.numeric", "n"),
    ("constant", "n"),
    ("variable.language", "k"),
    ("support.function", "f"),
    ("support", "t"),
    ("entity.name.function", "f"),
    ("entity.name.tag", "k"),
    ("entity.other.attribute-name", "a"),
    ("entity.name", "t"),
    ("variable.function", "f"),
    ("storage", "k"),
    ("keyword.operator", "o"),
    ("keyword", "k"),
    ("meta.property-name", "a"),
];

static SCOPES: LazyLock<Vec<(Scope, &str)>> = LazyLock::new(|| {
    let scopes = CLASSES.iter();
    scopes
        .filter_map(|(name, class)| Some((Scope::new(name).ok()?, *class)))
        .collect()
});

/// Returns the lines of code as HTML. `None`: the language has no known grammar, or the code is too long.
pub fn highlight(language: &str, lines: &[String]) -> Option<Vec<Html>> {
    let bytes: usize = lines.iter().map(String::len).sum();
    let is_short =
        lines.len() <= MAX_LINES && bytes <= MAX_BYTES && lines.iter().all(|line| line.len() <= MAX_LINE_BYTES);
    let syntax = find(language).filter(|_| is_short)?;
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    lines
        .iter()
        .map(|line| highlight_line(line, &mut state, &mut stack))
        .collect()
}

fn find(language: &str) -> Option<&'static SyntaxReference> {
    // Names that authors use, and the grammars do not know.
    let name = match language.to_ascii_lowercase().as_str() {
        "" | "text" | "plain" | "plaintext" | "txt" => return None,
        "shell" | "console" | "shellsession" | "zsh" => "bash".to_owned(),
        "jsonc" | "json5" => "json".to_owned(),
        "docker" => "dockerfile".to_owned(),
        "golang" => "go".to_owned(),
        "jsx" => "javascript".to_owned(),
        name => name.to_owned(),
    };
    SYNTAXES.find_syntax_by_token(&name)
}

fn highlight_line(line: &str, state: &mut ParseState, stack: &mut ScopeStack) -> Option<Html> {
    let whole = format!("{line}\n");
    let operations = state.parse_line(&whole, &SYNTAXES).ok()?;
    let (mut html, mut from) = (Html::default(), 0);
    for (at, operation) in operations {
        let at = at.min(line.len());
        push(&mut html, line.get(from..at)?, stack);
        from = at;
        stack.apply(&operation).ok()?;
    }
    push(&mut html, line.get(from..)?, stack);
    Some(html)
}

fn push(html: &mut Html, text: &str, stack: &ScopeStack) {
    let class = match text.trim().is_empty() {
        true => None,
        false => class_of(stack),
    };
    match class {
        None => html.text(text),
        Some(class) => {
            drop(html.open("span").attribute("class", class));
            html.text(text);
            html.markup("</span>");
        }
    }
}

/// The class of the innermost scope that has one.
fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    let scopes = stack.as_slice().iter().rev();
    let mut classes = scopes.filter_map(|scope| SCOPES.iter().find(|(known, _)| known.is_prefix_of(*scope)));
    classes.next().map(|(_, class)| *class)
}
