//! Formulas in TeX, parsed within limits: their authors are not trusted, and neither is the parser.

use std::panic::{UnwindSafe, catch_unwind};

use pulldown_latex::{Parser, Storage};

pub use pulldown_latex::event;

use self::event::{Content, Event};

/// The longest formula, in bytes.
const MAX_SOURCE: usize = 10_000;

const MAX_EVENTS: usize = 4_000;

/// Groups within each other.
pub const MAX_DEPTH: usize = 24;

/// Definitions can be expanded without end.
const DEFINITIONS: [&str; 9] = [
    "\\def",
    "\\gdef",
    "\\edef",
    "\\xdef",
    "\\let",
    "\\futurelet",
    "\\newcommand",
    "\\renewcommand",
    "\\providecommand",
];

/// Gives the events of a formula to `make`. `None`: the source is no TeX, or too large, or `make` returned `None` or panicked.
pub fn parse<T>(source: &str, make: impl FnOnce(Vec<Event<'_>>) -> Option<T> + UnwindSafe) -> Option<T> {
    let is_accepted = source.len() <= MAX_SOURCE && !DEFINITIONS.iter().any(|name| source.contains(name));
    let parse = || {
        let storage = Storage::new();
        let events: Result<Vec<Event<'_>>, _> = Parser::new(source, &storage).take(MAX_EVENTS + 1).collect();
        make(events.ok().filter(|events| events.len() <= MAX_EVENTS)?)
    };
    // A mistake of the parser must not be the end of the document.
    is_accepted.then(|| catch_unwind(parse).ok()).flatten()?
}

/// Returns the formula as MathML, or `None` as [`parse`] does.
pub fn mathml(source: &str, is_block: bool) -> Option<String> {
    use pulldown_latex::{
        config::{DisplayMode, RenderConfig},
        push_mathml,
    };
    parse(source, |events| {
        // The renderer does not escape names of functions.
        let is_markup = |event: &Event<'_>| matches!(event, Event::Content(Content::Function(name)) if name.contains(['<', '>', '&']));
        let events = Some(events).filter(|events| depth(events) <= MAX_DEPTH && !events.iter().any(is_markup))?;
        let config = RenderConfig {
            display_mode: if is_block {
                DisplayMode::Block
            } else {
                DisplayMode::Inline
            },
            ..RenderConfig::default()
        };
        let mut mathml = String::new();
        let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
        push_mathml(&mut mathml, events, config).ok()?;
        Some(mathml)
    })
}

/// The most groups within each other.
fn depth(events: &[Event<'_>]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for event in events {
        match event {
            Event::Begin(_) => depth += 1,
            Event::End => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
