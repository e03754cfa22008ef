//! Pipe tables.

use comrak::{
    Node,
    nodes::{NodeTable, NodeValue, TableAlignment},
};
use openapi::error::ErrorRule;
use openapi::models::{
    ContentRef, DocumentBlock, DocumentTableDefinition, DocumentTableDefinitionText,
    DocumentTableDefinitionTextTextAlignment, Inline, InlineNode,
};

use super::{
    MarkdownParser, cell_blocks,
    inline_tokens::InlineToken,
    sources,
    table_builder::{BuiltCell, GridView, TableBuilder, TableCell, TableColumn, TableView},
    text_paragraph,
};
use crate::{
    error::DocumentError,
    nodes::{builders, plain_text},
    syntax::html,
};

/// Maximum length of a column title in the contract.
const MAX_TITLE_LENGTH: usize = 1000;
/// Maximum number of columns in the contract.
const MAX_COLUMNS: usize = 1000;

impl<'a> MarkdownParser<'a, '_> {
    pub(super) fn pipe_table(&mut self, node: Node<'a>, table: &NodeTable, depth: usize) -> DocumentBlock {
        let cells = table.num_rows.saturating_mul(table.num_columns);
        if table.num_columns > MAX_COLUMNS || cells > self.limits.children {
            let message = format!(
                "A table has more than {MAX_COLUMNS} columns or {} cells.",
                self.limits.children
            );
            self.error
                .get_or_insert_with(|| DocumentError::new("", ErrorRule::TooManyNodes, message));
            return text_paragraph("");
        }
        let mut columns = Vec::new();
        // A list that grows has room for four cells, and up to twice the rows.
        let mut rows: Vec<Vec<BuiltCell>> = Vec::with_capacity(table.num_rows + 1);
        let mut overflow = Vec::new();
        for row in node.children() {
            let is_header = matches!(&row.data().value, NodeValue::TableRow(true));
            let mut cells = Vec::with_capacity(if is_header { 0 } else { table.num_columns });
            for (at, cell) in row.children().enumerate() {
                let last = at + 1 == table.num_columns;
                let mut items = self.items(cell);
                if last && let Some(more) = self.text_after_cells(row, cell) {
                    // Text of cells without a column.
                    items.push(InlineToken::Text(format!(" | {more}")));
                }
                if is_header {
                    items = cell_blocks::as_one_line(items);
                } else if cell_blocks::has_blocks(&items) {
                    cells.push(blocks_cell(self.cell_blocks(&items, depth + 2)).into());
                    continue;
                }
                let nodes = self.inlines_of(items, depth + 2);
                match is_header {
                    true => {
                        let alignment = table.alignments.get(at).copied().unwrap_or(TableAlignment::None);
                        let (column, rest) = header_column(nodes, alignment);
                        columns.push(column);
                        overflow.push(rest);
                    }
                    false => cells.push(text_cell(nodes).into()),
                }
            }
            if !is_header {
                rows.push(cells);
            }
        }
        if overflow.iter().any(|cell| matches!(cell, TableCell::Text(_))) {
            rows.insert(0, overflow.into_iter().map(BuiltCell::from).collect());
        }
        let builder = TableBuilder {
            columns,
            rows,
            ..TableBuilder::new(TableView::Grid(GridView::default()))
        };
        builder.build()
    }

    /// Returns the text after the last cell of a row, which the parser drops.
    fn text_after_cells(&self, row: Node<'a>, cell: Node<'a>) -> Option<String> {
        let end = cell.data().sourcepos.end;
        let (_, line) = self.source.line(row.data().sourcepos.start.line.checked_sub(1)?)?;
        let rest = line.get(end.column..)?.trim_matches([' ', '\t', '\r', '\n', '|']);
        let words = sources::visible_html(&html::tokenize(rest)).replace('\n', " ");
        (!words.is_empty()).then_some(words)
    }
}

/// Builds a column from its header cell. A title is plain text: link targets follow the link text, and a title that is
/// too long becomes a cell of an extra row.
fn header_column(nodes: Vec<InlineNode>, alignment: TableAlignment) -> (TableColumn, TableCell) {
    use DocumentTableDefinitionTextTextAlignment as Alignment;
    let mut title = String::new();
    for node in &nodes {
        title.push_str(&plain_text::of_inlines(std::slice::from_ref(node)));
        if let InlineNode::Inline(Inline::InlineLink(link)) = node
            && let ContentRef::ContentRefUrl(url) = &link.data.r#ref
        {
            title.push_str(&format!(" ({})", url.url));
        }
    }
    let fits = title.chars().count() <= MAX_TITLE_LENGTH;
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
    let column = TableColumn::new(DocumentTableDefinition::DocumentTableDefinitionText(definition));
    (column, if fits { TableCell::Empty } else { text_cell(nodes) })
}

pub fn text_cell(nodes: Vec<InlineNode>) -> TableCell {
    match nodes.is_empty() {
        true => TableCell::Empty,
        false => TableCell::Text(vec![builders::paragraph(nodes).into()]),
    }
}

fn blocks_cell(blocks: Vec<DocumentBlock>) -> TableCell {
    match blocks.is_empty() {
        true => TableCell::Empty,
        false => TableCell::Text(blocks),
    }
}
