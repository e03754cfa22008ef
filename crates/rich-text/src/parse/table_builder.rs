//! Builder of tables: ids follow from the positions of columns and rows.

use std::collections::BTreeMap;

use openapi::{
    models::{
        BlockTable, BlockTableData, DocumentBlock, DocumentTableDefinition, DocumentTableFragment, DocumentTableRecord,
        DocumentTableValue, DocumentTableView, DocumentTableViewCards, DocumentTableViewCardsCardSize,
        DocumentTableViewGrid,
    },
    values::Nullable,
};

/// The columns and rows of a table without ids.
pub struct TableBuilder {
    pub columns: Vec<TableColumn>,
    pub rows: Vec<Vec<TableCell>>,
    pub view: TableView,
    pub full_width: Option<bool>,
}

pub struct TableColumn {
    /// The id is empty.
    pub definition: DocumentTableDefinition,
    pub hidden: bool,
    pub width: Option<f64>,
    pub is_target: bool,
    pub is_cover: bool,
    pub is_dark_cover: bool,
}

impl TableColumn {
    pub fn new(definition: DocumentTableDefinition) -> Self {
        Self {
            definition,
            hidden: false,
            width: None,
            is_target: false,
            is_cover: false,
            is_dark_cover: false,
        }
    }
}

pub enum TableCell {
    Empty,
    Text(Vec<DocumentBlock>),
    Value(DocumentTableValue),
}

#[derive(Clone, Copy)]
pub enum TableView {
    Grid {
        hide_header: bool,
        new_sizing: Option<bool>,
    },
    Cards {
        size: DocumentTableViewCardsCardSize,
        hide_titles: Option<bool>,
    },
}

impl TableBuilder {
    /// Numbers visible columns first, so that rendering and parsing again gives the same ids.
    pub fn build(self) -> DocumentBlock {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|at| self.columns.get(*at).is_some_and(|column| column.hidden));
        let mut ids = vec![String::new(); order.len()];
        for (container, at) in order.iter().enumerate() {
            if let Some(id) = ids.get_mut(*at) {
                *id = format!("c{:03}", container + 1);
            }
        }
        let view = view(self.view, &self.columns, &ids, &order);
        let mut fragments = Vec::new();
        let mut records = BTreeMap::new();
        for (number, row) in self.rows.into_iter().enumerate() {
            let record = format!("r{:05}", number + 1);
            let mut cells: Vec<Option<TableCell>> = row.into_iter().map(Some).collect();
            let mut values = BTreeMap::new();
            for at in &order {
                let (Some(cell), Some(column)) = (cells.get_mut(*at).and_then(Option::take), ids.get(*at)) else {
                    continue;
                };
                if let Some(value) = store_cell(cell, &record, column, &mut fragments) {
                    values.insert(column.clone(), Nullable(Some(value)));
                }
            }
            let order_index = format!("{:05}", number + 1);
            records.insert(record, DocumentTableRecord { order_index, values });
        }
        let definitions = self
            .columns
            .into_iter()
            .zip(ids)
            .map(|(column, id)| (id.clone(), with_id(column.definition, id)));
        BlockTable {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockTableData {
                view,
                records,
                definition: definitions.collect(),
                full_width: self.full_width,
            },
            fragments,
        }
        .into()
    }
}

fn store_cell(
    cell: TableCell,
    record: &str,
    column: &str,
    fragments: &mut Vec<DocumentTableFragment>,
) -> Option<DocumentTableValue> {
    match cell {
        TableCell::Empty => None,
        TableCell::Value(value) => Some(value),
        TableCell::Text(nodes) => {
            let name = format!("{record}-{column}");
            fragments.push(DocumentTableFragment {
                object: Default::default(),
                key: None,
                fragment: Some(name.clone()),
                r#type: None,
                nodes,
            });
            Some(DocumentTableValue::String(name))
        }
    }
}

fn view(view: TableView, columns: &[TableColumn], ids: &[String], order: &[usize]) -> DocumentTableView {
    let visible = order
        .iter()
        .filter(|at| columns.get(**at).is_some_and(|column| !column.hidden));
    let visible: Vec<String> = visible.filter_map(|at| ids.get(*at).cloned()).collect();
    let first = |is: fn(&TableColumn) -> bool| {
        columns
            .iter()
            .zip(ids)
            .find(|(column, _)| is(column))
            .map(|(_, id)| id.clone())
    };
    match view {
        TableView::Grid {
            hide_header,
            new_sizing,
        } => {
            let widths = columns
                .iter()
                .zip(ids)
                .filter_map(|(column, id)| Some((id.clone(), column.width?)));
            let widths: BTreeMap<String, f64> = widths.collect();
            DocumentTableView::DocumentTableViewGrid(DocumentTableViewGrid {
                r#type: Default::default(),
                columns: visible,
                column_widths: (!widths.is_empty()).then_some(widths),
                hide_header,
                use_new_sizing: new_sizing,
            })
        }
        TableView::Cards { size, hide_titles } => DocumentTableView::DocumentTableViewCards(DocumentTableViewCards {
            r#type: Default::default(),
            card_size: size,
            columns: visible,
            target_definition: first(|column| column.is_target),
            cover_definition: first(|column| column.is_cover),
            cover_definition_dark: first(|column| column.is_dark_cover),
            hide_column_title: hide_titles,
        }),
    }
}

fn with_id(mut definition: DocumentTableDefinition, id: String) -> DocumentTableDefinition {
    use DocumentTableDefinition as Definition;
    match &mut definition {
        Definition::DocumentTableDefinitionText(it) => it.id = id,
        Definition::DocumentTableDefinitionNumber(it) => it.id = id,
        Definition::DocumentTableDefinitionCheckbox(it) => it.id = id,
        Definition::DocumentTableDefinitionFiles(it) => it.id = id,
        Definition::DocumentTableDefinitionContentRef(it) => it.id = id,
        Definition::DocumentTableDefinitionImage(it) => it.id = id,
        Definition::DocumentTableDefinitionUsers(it) => it.id = id,
        Definition::DocumentTableDefinitionRating(it) => it.id = id,
        Definition::DocumentTableDefinitionSelect(it) => it.id = id,
    }
    definition
}
