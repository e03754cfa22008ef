//! Tables.

use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::{inlines::*, parts::*};

/// A column type and the values of its cells; text is the content of the cell's fragment.
pub fn column_and_cell(kind: &'static str, depth: usize) -> (BoxedStrategy<Value>, BoxedStrategy<Value>) {
    let definition =
        |more: BoxedStrategy<Value>| merged(vec![member("title", title().prop_map(Value::String).boxed()), more]);
    let align = select(vec!["left", "center", "right"]).prop_map(|align| json!({ "textAlignment": align }));
    let vertical = maybe("verticalAlignment", Just(json!("middle")));
    let multiple = || fixed(json!({ "multiple": true }));
    let options = json!({ "options": [{ "value": "a b", "label": "A & \"B\"", "color": "red" }] });
    let picture = prop_oneof![
        media(),
        merged(vec![
            member("ref", media()),
            maybe("objectFit", Just(json!("cover"))),
            maybe("alt", title().prop_map(Value::String))
        ]),
    ];
    let ids = || fixed(json!(["one", "two"]));
    match kind {
        "text" => (
            definition(merged(vec![align.boxed(), vertical])),
            many(paragraph(depth), 0..3),
        ),
        "number" => (definition(fixed(json!({}))), fixed(json!(1.5))),
        "checkbox" => (
            definition(fixed(json!({}))),
            any::<bool>().prop_map(Value::Bool).boxed(),
        ),
        "files" => (definition(fixed(json!({}))), ids()),
        "content-ref" => (definition(fixed(json!({}))), reference()),
        "image" => (definition(fixed(json!({}))), picture.boxed()),
        "users" => (definition(multiple()), ids()),
        "rating" => (definition(fixed(json!({ "max": 7 }))), fixed(json!(3.0))),
        _ => (
            definition(merged(vec![multiple(), fixed(options)])),
            fixed(json!(["a b"])),
        ),
    }
}

pub fn table(depth: usize) -> BoxedStrategy<Value> {
    let kinds = vec![
        "text",
        "text",
        "text",
        "number",
        "checkbox",
        "files",
        "content-ref",
        "image",
        "users",
        "rating",
        "select",
    ];
    let column = select(kinds).prop_flat_map(move |kind| {
        let (definition, cell) = column_and_cell(kind, depth.saturating_sub(1));
        let cells = prop::collection::vec(prop::option::of(cell), 2);
        (Just(kind), definition, cells, prop::bool::weighted(0.1))
    });
    let only_text = prop::bool::ANY.prop_flat_map(move |_| {
        let (definition, _) = column_and_cell("text", 0);
        let cell =
            block_of("paragraph", false, vec![member("nodes", line(0))]).prop_map(|paragraph| json!([paragraph]));
        (
            Just("text"),
            definition,
            prop::collection::vec(prop::option::of(cell), 2),
            Just(false),
        )
    });
    let columns = prop_oneof![
        prop::collection::vec(column, 1..4).boxed(),
        prop::collection::vec(only_text, 1..4).boxed(),
    ];
    (columns, flag("fullWidth"), any::<bool>(), any::<bool>(), 0..3_usize)
        .prop_map(|(columns, full_width, cards, hide, rows)| table_of(columns, full_width, cards, hide, rows))
        .boxed()
}

type Columns = Vec<(&'static str, Value, Vec<Option<Value>>, bool)>;

pub fn table_of(columns: Columns, full_width: Value, cards: bool, hide: bool, rows: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    let mut records = vec![serde_json::Map::new(); rows];
    let mut fragments = Vec::new();
    let mut shown = Vec::new();
    for (at, (kind, definition, cells, hidden)) in columns.into_iter().enumerate() {
        let id = format!("id-{at}");
        definitions.insert(id.clone(), with(definition, json!({ "id": id, "type": kind })));
        if !hidden {
            shown.push(id.clone());
        }
        for (row, cell) in cells.into_iter().enumerate().take(rows) {
            let Some(cell) = cell else { continue };
            let value = match kind {
                "text" => {
                    let name = format!("fragment {at} {row}");
                    fragments.push(json!({ "object": "fragment", "fragment": name, "nodes": cell }));
                    json!(name)
                }
                _ => cell,
            };
            records[row].insert(id.clone(), value);
        }
    }
    let first = shown.first().cloned();
    let mut view = match cards {
        true => json!({ "type": "cards", "cardSize": "large", "columns": shown, "hideColumnTitle": hide }),
        false => json!({ "type": "grid", "columns": shown, "hideHeader": hide }),
    };
    if let (Some(first), true) = (first, hide) {
        view = match cards {
            true => with(view, json!({ "targetDefinition": first, "coverDefinition": "id-0" })),
            false => with(view, json!({ "columnWidths": { first: 120.0 } })),
        };
    }
    let records: serde_json::Map<String, Value> = records
        .into_iter()
        .enumerate()
        .map(|(row, values)| {
            (
                format!("record {}", 9 - row),
                json!({ "orderIndex": format!("a{row}"), "values": values }),
            )
        })
        .collect();
    let data = with(
        json!({ "view": view, "records": records, "definition": definitions }),
        full_width,
    );
    json!({ "object": "block", "type": "table", "isVoid": true, "data": data, "fragments": fragments })
}
