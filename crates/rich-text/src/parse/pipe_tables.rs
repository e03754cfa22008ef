//! Tables between lines of `|`.

use comrak::{
    Node,
    nodes::{NodeTable, NodeValue, TableAlignment},
};
use openapi::models::{
    ContentRef, DocumentBlock, DocumentTableDefinition, DocumentTableDefinitionText,
    DocumentTableDefinitionTextTextAlignment, Inline, InlineNode,
};

use super::{
    Reader,
    items::Item,
    paragraph_of,
    table_builder::{Cell, Column, Draft, View},
};
use crate::{
    nodes::{make, plain_text, unions::Whole as _},
    refusal::Refusal,
};

/// What the contract allows for the title of a column.
const TITLE: usize = 1000;
/// And how many there may be.
const COLUMNS: usize = 1000;

impl<'a> Reader<'a, '_> {
    pub(super) fn pipe_table(&mut self, node: Node<'a>, table: &NodeTable, depth: usize) -> DocumentBlock {
        let cells = table.num_rows.saturating_mul(table.num_columns);
        if table.num_columns > COLUMNS || cells > self.limits.children {
            let message = format!(
                "A table has more than {COLUMNS} columns or {} cells.",
                self.limits.children
            );
            self.refusal
                .get_or_insert_with(|| Refusal::new("", "too-many-nodes", message));
            return paragraph_of("");
        }
        let mut columns = Vec::new();
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        let mut untitled = Vec::new();
        for row in node.children() {
            let is_header = matches!(&row.data().value, NodeValue::TableRow(true));
            let mut cells = Vec::new();
            for (at, cell) in row.children().enumerate() {
                let last = at + 1 == table.num_columns;
                let mut items = self.items(cell);
                if last && let Some(more) = self.beyond(row, cell) {
                    // Cells that have no column.
                    items.push(Item::Text(format!(" | {more}")));
                }
                let nodes = self.inlines_of(items, depth + 2);
                match is_header {
                    true => {
                        let alignment = table.alignments.get(at).copied().unwrap_or(TableAlignment::None);
                        let (column, rest) = titled(nodes, alignment);
                        columns.push(column);
                        untitled.push(rest);
                    }
                    false => cells.push(cell_of(nodes)),
                }
            }
            if !is_header {
                rows.push(cells);
            }
        }
        if untitled.iter().any(|cell| matches!(cell, Cell::Text(_))) {
            rows.insert(0, untitled);
        }
        let draft = Draft {
            columns,
            rows,
            view: View::Grid {
                hide_header: false,
                new_sizing: None,
            },
            full_width: None,
        };
        draft.block()
    }

    /// What a row has beyond its last cell: the parser leaves it out.
    fn beyond(&self, row: Node<'a>, cell: Node<'a>) -> Option<String> {
        let end = cell.data().sourcepos.end;
        let (_, line) = self.source.line(row.data().sourcepos.start.line.checked_sub(1)?)?;
        let rest = line.get(end.column..)?.trim_matches([' ', '\t', '\r', '\n', '|']);
        (!rest.is_empty()).then(|| rest.to_owned())
    }
}

/// The column of a title. A title is only text: links in it have their targets beside them, and one that is too long
/// goes into a row of its own.
fn titled(nodes: Vec<InlineNode>, alignment: TableAlignment) -> (Column, Cell) {
    use DocumentTableDefinitionTextTextAlignment as Alignment;
    let mut title = String::new();
    for node in &nodes {
        title.push_str(&plain_text::of_line(std::slice::from_ref(node)));
        if let InlineNode::Inline(Inline::InlineLink(link)) = node
            && let ContentRef::ContentRefUrl(url) = &link.data.r#ref
        {
            title.push_str(&format!(" ({})", url.url));
        }
    }
    let fits = title.chars().count() <= TITLE;
    let definition = DocumentTableDefinitionText {
        id: String::new(),
        title: if fits { title } else { String::new() },
        r#type: Default::default(),
        text_alignment: match alignment {
            TableAlignment::None | TableAlignment::Left => Alignment::Left,
            TableAlignment::Center => Alignment::Center,
            TableAlignment::Right => Alignment::Right,
        },
        vertical_alignment: None,
    };
    let column = Column::new(DocumentTableDefinition::DocumentTableDefinitionText(definition));
    (column, if fits { Cell::Nothing } else { cell_of(nodes) })
}

pub fn cell_of(nodes: Vec<InlineNode>) -> Cell {
    match nodes.is_empty() {
        true => Cell::Nothing,
        false => Cell::Text(vec![make::paragraph(nodes).whole()]),
    }
}
