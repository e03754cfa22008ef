//! Formulas: from TeX to the nodes of which the template makes mathematics. Nodes have their kind in `x`.

use formulas::{
    MAX_DEPTH,
    event::{
        ArrayColumn, ColumnAlignment, Content, DelimiterSize, Dimension, DimensionUnit, EnvironmentFlow, Event, Font,
        Grouping, ScriptPosition, ScriptType, StateChange, Visual,
    },
};
use serde_json::{Value, json};

/// Characters that are accents of any part of a formula, whatever its width.
const ACCENTS: &str = "^ˆ~˜¯‾˙.⋅→⟶←↔´`˘ˇ˚¨";

/// Adds the nodes of each formula to the nodes of a book: `null` where the formula is printed as its source.
pub fn set_formulas(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(set_formulas),
        Value::Object(members) => {
            if let (Some("tex" | "texblock"), Some(source)) = (
                members.get("k").and_then(Value::as_str),
                members.get("v").and_then(Value::as_str),
            ) {
                let math = parse(source);
                members.insert("math".to_owned(), json!(math));
                return;
            }
            members.values_mut().for_each(set_formulas);
        }
        _ => {}
    }
}

/// Has all formulas printed as their sources.
pub fn remove_formulas(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(remove_formulas),
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| match name.as_str() {
            "math" => *value = Value::Null,
            _ => remove_formulas(value),
        }),
        _ => {}
    }
}

/// `None`: the source is no TeX, or too large.
pub fn parse(source: &str) -> Option<Vec<Value>> {
    // Places where the source could be broken into lines.
    formulas::parse(&source.replace('\u{200b}', ""), nodes)
}

fn nodes(events: Vec<Event<'_>>) -> Option<Vec<Value>> {
    let mut builder = Builder {
        events: events.into_iter(),
        depth: 0,
    };
    let rows = builder.rows()?;
    let is_whole = builder.events.next().is_none();
    let nodes: Vec<Value> = rows.into_iter().flatten().flatten().collect();
    (is_whole && !nodes.is_empty()).then_some(nodes)
}

/// The parts of each cell of each row.
type Rows = Vec<Vec<Vec<Value>>>;

struct Builder<'e> {
    events: std::vec::IntoIter<Event<'e>>,
    depth: usize,
}

impl Builder<'_> {
    /// Parts up to the end of their group.
    fn rows(&mut self) -> Option<Rows> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut rows: Rows = Vec::new();
        let (mut row, mut cell, mut font) = (Vec::new(), Vec::new(), None);
        loop {
            match self.events.next() {
                None | Some(Event::End) => break,
                Some(Event::EnvironmentFlow(EnvironmentFlow::Alignment)) => {
                    row.push(std::mem::take(&mut cell));
                    font = None;
                }
                Some(Event::EnvironmentFlow(EnvironmentFlow::NewLine { .. })) => {
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                    font = None;
                }
                Some(Event::EnvironmentFlow(EnvironmentFlow::StartLines { .. })) => {}
                Some(Event::StateChange(StateChange::Font(changed))) => font = changed,
                Some(event) => {
                    let part = self.part(event)?;
                    cell.push(match font {
                        Some(font) => json!({ "x": "font", "fonts": fonts(font), "body": part }),
                        None => part,
                    });
                }
            }
        }
        // A line end after the last row begins no further one.
        if !cell.is_empty() || !row.is_empty() {
            row.push(cell);
            rows.push(row);
        }
        self.depth -= 1;
        Some(rows)
    }

    fn next(&mut self) -> Option<Value> {
        let event = self.events.next()?;
        self.part(event)
    }

    fn part(&mut self, event: Event<'_>) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let part = match event {
            Event::Content(content) => self::content(content),
            Event::Begin(grouping) => {
                let rows = self.rows()?;
                group(&grouping, rows)
            }
            Event::Visual(visual) => self.visual(visual)?,
            Event::Script { ty, position } => self.script(ty, position)?,
            Event::Space { width, .. } => json!({ "x": "space", "em": width.map_or(0.0, em) }),
            Event::StateChange(_) => sequence(Vec::new()),
            Event::End | Event::EnvironmentFlow(_) => return None,
        };
        self.depth -= 1;
        Some(part)
    }

    fn visual(&mut self, visual: Visual) -> Option<Value> {
        Some(match visual {
            Visual::SquareRoot => json!({ "x": "root", "body": self.next()?, "index": null }),
            Visual::Root => json!({ "x": "root", "body": self.next()?, "index": self.next()? }),
            Visual::Fraction(line) => {
                json!({ "x": "frac", "line": line.is_none_or(|line| line.value > 0.0), "over": self.next()?, "under": self.next()? })
            }
            Visual::Negation => json!({ "x": "not", "body": self.next()? }),
        })
    }

    fn script(&mut self, ty: ScriptType, position: ScriptPosition) -> Option<Value> {
        let base = self.next()?;
        let (below, above) = match ty {
            ScriptType::Subscript => (Some(self.next()?), None),
            ScriptType::Superscript => (None, Some(self.next()?)),
            ScriptType::SubSuperscript => (Some(self.next()?), Some(self.next()?)),
        };
        let is_fixed = position == ScriptPosition::AboveBelow;
        if let (true, Some(mark), true) = (
            is_fixed,
            below.as_ref().xor(above.as_ref()),
            base.get("x").is_none_or(|kind| kind != "op"),
        ) {
            let mark = mark["v"].as_str().filter(|_| mark["x"] == "symbol");
            let name = match (mark, above.is_some()) {
                (Some("⏞"), true) => Some("overbrace"),
                (Some("⏟"), false) => Some("underbrace"),
                (Some("‾"), true) => Some("overline"),
                (Some("_" | "‾" | "\u{332}"), false) => Some("underline"),
                _ => None,
            };
            if let Some(name) = name {
                return Some(json!({ "x": "line", "name": name, "body": base }));
            }
            if let (Some(mark), true) = (mark.filter(|mark| ACCENTS.contains(mark)), above.is_some()) {
                return Some(json!({ "x": "accent", "v": mark, "body": base }));
            }
        }
        let position = match position {
            ScriptPosition::Right => "right",
            ScriptPosition::AboveBelow => "limits",
            ScriptPosition::Movable => "movable",
        };
        Some(json!({ "x": "script", "base": base, "below": below, "above": above, "position": position }))
    }
}

fn content(content: Content<'_>) -> Value {
    match content {
        Content::Text(text) | Content::Number(text) => json!({ "x": "text", "v": text }),
        Content::Function(name) => json!({ "x": "op", "v": name }),
        Content::Ordinary { content, .. }
        | Content::LargeOp { content, .. }
        | Content::BinaryOp { content, .. }
        | Content::Punctuation(content) => symbol(content),
        Content::Relation { content, .. } => {
            let mut buffer = [0; 8];
            let text = String::from_utf8_lossy(content.encode_utf8_to_buf(&mut buffer)).into_owned();
            let is_selector = |character: &char| ('\u{fe00}'..='\u{fe0f}').contains(character);
            sequence(text.chars().filter(|it| !is_selector(it)).map(symbol).collect())
        }
        Content::Delimiter { content, size, .. } => {
            let em = size.map(|size| match size {
                DelimiterSize::Big => 1.2,
                DelimiterSize::BIG => 1.8,
                DelimiterSize::Bigg => 2.4,
                DelimiterSize::BIGG => 3.0,
            });
            match em {
                Some(em) => json!({ "x": "pair", "em": em, "body": [symbol(content)] }),
                None => symbol(content),
            }
        }
    }
}

fn symbol(character: char) -> Value {
    json!({ "x": "symbol", "v": character })
}

fn sequence(body: Vec<Value>) -> Value {
    json!({ "x": "all", "body": body })
}

fn pair(open: Option<char>, body: Value, close: Option<char>) -> Value {
    let body: Vec<Value> = open
        .map(symbol)
        .into_iter()
        .chain([body])
        .chain(close.map(symbol))
        .collect();
    json!({ "x": "pair", "em": null, "body": body })
}

fn group(grouping: &Grouping, rows: Rows) -> Value {
    let flat = |rows: Rows| sequence(rows.into_iter().flatten().flatten().collect());
    let grid = |rows: Rows, align: ColumnAlignment| {
        let align = match align {
            ColumnAlignment::Left => "left",
            ColumnAlignment::Center => "center",
            ColumnAlignment::Right => "right",
        };
        json!({ "x": "grid", "align": align, "rows": rows })
    };
    match grouping {
        Grouping::Normal => flat(rows),
        Grouping::LeftRight(open, close) => pair(*open, flat(rows), *close),
        Grouping::Matrix { alignment } | Grouping::SubArray { alignment } => grid(rows, *alignment),
        Grouping::Array(columns) => {
            let first = columns.iter().find_map(|column| match column {
                ArrayColumn::Column(alignment) => Some(*alignment),
                ArrayColumn::Separator(_) => None,
            });
            grid(rows, first.unwrap_or(ColumnAlignment::Center))
        }
        Grouping::Cases { left: true } => pair(Some('{'), grid(rows, ColumnAlignment::Left), None),
        Grouping::Cases { left: false } => pair(None, grid(rows, ColumnAlignment::Left), Some('}')),
        Grouping::Equation { .. } => flat(rows),
        _ => json!({ "x": "lines", "rows": rows }),
    }
}

/// Styles of the template that make a font together.
fn fonts(font: Font) -> &'static [&'static str] {
    match font {
        Font::BoldScript => &["bold", "cal"],
        Font::BoldItalic | Font::BoldSymbol => &["bold", "italic"],
        Font::Bold => &["bold", "upright"],
        Font::Fraktur => &["frak"],
        Font::Script => &["cal"],
        Font::Monospace => &["mono"],
        Font::SansSerif => &["sans"],
        Font::DoubleStruck | Font::DoubleStruckItalic => &["bb"],
        Font::Italic => &["italic"],
        Font::BoldFraktur => &["bold", "frak"],
        Font::SansSerifBoldItalic => &["sans", "bold", "italic"],
        Font::SansSerifItalic => &["sans", "italic"],
        Font::BoldSansSerif => &["sans", "bold"],
        Font::UpRight => &["upright"],
    }
}

/// A length in the size of the text.
fn em(length: Dimension) -> f64 {
    let em = match length.unit {
        DimensionUnit::Em => 1.0,
        DimensionUnit::Mu => 1.0 / 18.0,
        DimensionUnit::Ex => 0.45,
        // Of other units, few are in use.
        _ => 0.1,
    };
    (f64::from(length.value) * em).clamp(-10.0, 10.0)
}
