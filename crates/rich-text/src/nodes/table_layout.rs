//! The order of columns, records and cells of a table.

use std::collections::HashMap;

use openapi::{
    models::{
        BlockTable, DocumentBlock, DocumentTableCell, DocumentTableDefinition, DocumentTableFragment,
        DocumentTableRecord, DocumentTableValue, DocumentTableView,
    },
    values::Inner as _,
};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::plain_text;

/// Returns the ids of all columns: visible ones first.
pub fn columns(table: &BlockTable) -> Vec<&str> {
    let mut columns: Vec<&str> = visible_columns(table).iter().map(String::as_str).collect();
    let hidden = table.data.definition.keys().map(String::as_str);
    columns.extend(hidden.filter(|id| !visible_columns(table).iter().any(|visible| visible == id)));
    columns
}

pub fn visible_columns(table: &BlockTable) -> &[String] {
    match &table.data.view {
        DocumentTableView::DocumentTableViewGrid(view) => &view.columns,
        DocumentTableView::DocumentTableViewCards(view) => &view.columns,
    }
}

pub fn sorted_records(table: &BlockTable) -> Vec<&DocumentTableRecord> {
    let mut records: Vec<_> = table.data.records.iter().collect();
    records.sort_by(|(a_id, a), (b_id, b)| (&a.order_index, a_id).cmp(&(&b.order_index, b_id)));
    records.into_iter().map(|(_, record)| record).collect()
}

pub fn value<'t>(record: &'t DocumentTableRecord, column: &str) -> Option<&'t DocumentTableValue> {
    record.values.get(column)?.inner()
}

/// The indexes of the fragments of a table by their names, in a list: a map of many short names takes more memory than they do.
pub struct FragmentIndexes<'t> {
    fragments: &'t [DocumentTableFragment],
    /// Sorted by name; of those with the same name the last one counts.
    sorted: Vec<u32>,
}

impl<'t> FragmentIndexes<'t> {
    pub fn of(table: &'t BlockTable) -> Self {
        let fragments = table.fragments.as_slice();
        let mut indexes = Self {
            fragments,
            sorted: (0..).take(fragments.len()).collect(),
        };
        let name = |index: &u32| name_at(fragments, *index);
        if !indexes.sorted.is_sorted_by_key(name) {
            indexes.sorted.sort_by_key(name);
        }
        indexes
    }

    pub fn get(&self, name: &str) -> Option<usize> {
        let after = self
            .sorted
            .partition_point(|index| name_at(self.fragments, *index) <= Some(name));
        let last = *self.sorted.get(after.checked_sub(1)?)?;
        (name_at(self.fragments, last) == Some(name)).then_some(usize::try_from(last).ok()?)
    }
}

fn name_at(fragments: &[DocumentTableFragment], index: u32) -> Option<&str> {
    fragments.get(usize::try_from(index).ok()?)?.fragment.as_deref()
}

/// Returns the indexes of the fragments that are not blank, in cell order; fragments without a cell come last.
pub fn filled_fragments(table: &BlockTable) -> Vec<usize> {
    let names = FragmentIndexes::of(table);
    let mut indexes = Vec::with_capacity(table.fragments.len());
    let mut used = vec![false; table.fragments.len()];
    let columns = columns(table);
    for record in sorted_records(table) {
        for column in &columns {
            let Some(index) = text_fragment_name(table, record, column).and_then(|name| names.get(name)) else {
                continue;
            };
            indexes.push(index);
            if let Some(used) = used.get_mut(index) {
                *used = true;
            }
        }
    }
    indexes.extend(
        used.iter()
            .enumerate()
            .filter(|(_, used)| !**used)
            .map(|(index, _)| index),
    );
    indexes.retain(|index| table.fragments.get(*index).is_some_and(|fragment| !is_blank(fragment)));
    indexes
}

/// Returns the name of the text fragment of a cell.
pub fn text_fragment_name<'t>(table: &BlockTable, record: &'t DocumentTableRecord, column: &str) -> Option<&'t str> {
    let definition = table.data.definition.get(column)?;
    match (definition, value(record, column)?) {
        (DocumentTableDefinition::DocumentTableDefinitionText(_), DocumentTableValue::String(name)) => Some(name),
        _ => None,
    }
}

fn is_blank(fragment: &DocumentTableFragment) -> bool {
    match fragment.nodes.as_slice() {
        [] => true,
        [DocumentBlock::BlockParagraph(paragraph)] => paragraph.nodes.iter().flatten().all(plain_text::is_blank_inline),
        _ => false,
    }
}

/// The data of a table for its digest: without fragments, with positions in place of ids, and without empty members. The rows
/// are written one by one, because their JSON takes many times the memory of their cells.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DigestData<'t> {
    view: Value,
    shown: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<Value>,
    #[serde(skip_serializing_if = "Rows::is_empty")]
    rows: Rows<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_width: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    merges: Vec<(usize, usize, u32, u32)>,
}

impl<'t> DigestData<'t> {
    pub fn of(table: &'t BlockTable) -> Self {
        let columns = columns(table);
        Self {
            view: view(table, &columns),
            shown: visible_columns(table).len(),
            definitions: columns.iter().map(|id| definition(table, id)).collect(),
            full_width: table.data.full_width.filter(|is_set| *is_set),
            search: table.data.search.map(|search| search.to_string()),
            merges: cell_spans(table),
            rows: Rows {
                table,
                names: FragmentIndexes::of(table),
                columns,
            },
        }
    }
}

struct Rows<'t> {
    table: &'t BlockTable,
    names: FragmentIndexes<'t>,
    columns: Vec<&'t str>,
}

#[derive(Serialize)]
struct Row<'t> {
    cells: Vec<Value>,
    /// The record has values of no column.
    stray: bool,
    settings: Vec<Option<&'t DocumentTableCell>>,
}

impl<'t> Rows<'t> {
    fn is_empty(&self) -> bool {
        self.table.data.records.is_empty()
    }

    fn row(&self, record: &'t DocumentTableRecord) -> Row<'t> {
        let Self { table, names, columns } = self;
        let settings = |column: &&str| record.cells.as_ref().and_then(|cells| cells.get(column));
        Row {
            cells: columns
                .iter()
                .map(|column| cell(table, names, record, column))
                .collect(),
            stray: record.values.keys().any(|id| !table.data.definition.contains_key(id)),
            settings: columns.iter().map(settings).collect(),
        }
    }
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let records = sorted_records(self.table).into_iter();
        serializer.collect_seq(records.map(|record| self.row(record)))
    }
}

/// Returns the spans of cells, by the numbers of their row and column, and of the rows and columns that they take.
pub fn cell_spans(table: &BlockTable) -> Vec<(usize, usize, u32, u32)> {
    if table.data.cell_merges.as_ref().is_none_or(Vec::is_empty) {
        return Vec::new();
    }
    let mut ids: Vec<_> = table.data.records.iter().collect();
    ids.sort_by(|(a_id, a), (b_id, b)| (&a.order_index, a_id).cmp(&(&b.order_index, b_id)));
    let rows: HashMap<&str, usize> = ids.iter().enumerate().map(|(at, (id, _))| (id.as_str(), at)).collect();
    let columns: HashMap<&str, usize> = columns(table)
        .into_iter()
        .enumerate()
        .map(|(at, id)| (id, at))
        .collect();
    let mut spans: Vec<_> = table
        .data
        .cell_merges
        .iter()
        .flatten()
        .filter_map(|merge| {
            let row = *rows.get(merge.anchor.record.as_str())?;
            let column = *columns.get(merge.anchor.column.as_str())?;
            Some((row, column, merge.row_span, merge.col_span))
        })
        .collect();
    spans.sort_unstable();
    spans
}

fn cell(table: &BlockTable, names: &FragmentIndexes<'_>, record: &DocumentTableRecord, column: &str) -> Value {
    let text = text_fragment_name(table, record, column).map(|name| names.get(name));
    match text {
        // The fragment itself is a child of the table.
        Some(Some(index)) => json!(table.fragments.get(index).is_some_and(|fragment| !is_blank(fragment))),
        Some(None) => json!("no such fragment"),
        None => match value(record, column) {
            Some(value) => json!([value]),
            None => json!(false),
        },
    }
}

fn definition(table: &BlockTable, id: &str) -> Value {
    let definition = table.data.definition.get(id);
    remove_members(serde_json::to_value(definition).unwrap_or_default(), &["id"])
}

fn view(table: &BlockTable, columns: &[&str]) -> Value {
    const IDS: [&str; 3] = ["targetDefinition", "coverDefinition", "coverDefinitionDark"];
    let mut view = serde_json::to_value(&table.data.view).unwrap_or_default();
    if let Value::Object(members) = &mut view {
        for member in IDS {
            if let Some(Value::String(id)) = members.get(member) {
                let place = columns.iter().position(|column| column == id);
                members.insert(member.to_owned(), json!(place.map_or(-1, |place| place as i64)));
            }
        }
        let widths = columns
            .iter()
            .map(|id| members.get("columnWidths").and_then(|widths| widths.get(id)));
        let widths: Vec<Value> = widths.map(|width| width.cloned().unwrap_or_default()).collect();
        members.insert("widths".to_owned(), Value::Array(widths));
    }
    remove_members(view, &["columns", "columnWidths"])
}

/// Removes these members and all that are `false`.
fn remove_members(value: Value, members: &[&str]) -> Value {
    let Value::Object(object) = value else {
        return value;
    };
    let kept = object
        .into_iter()
        .filter(|(name, value)| !members.contains(&name.as_str()) && *value != Value::Bool(false));
    Value::Object(kept.collect::<Map<String, Value>>())
}
