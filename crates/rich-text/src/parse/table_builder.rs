//! Builder of tables: ids follow from the positions of columns and rows.

use std::collections::BTreeMap;

use openapi::{
    models::{
        BlockTable, BlockTableData, DocumentBlock, DocumentTableCell, DocumentTableCellMerge,
        DocumentTableCellMergeAnchor, DocumentTableCellTextAlignment, DocumentTableDefinition,
        DocumentTableDefinitionText, DocumentTableDefinitionTextTextAlignment, DocumentTableFragment,
        DocumentTableRecord, DocumentTableValue, DocumentTableView, DocumentTableViewCards,
        DocumentTableViewCardsCardSize, DocumentTableViewGrid, VerticalAlignment,
    },
    values::Nullable,
};

/// The columns and rows of a table without ids.
pub struct TableBuilder {
    pub columns: Vec<TableColumn>,
    pub rows: Vec<Vec<BuiltCell>>,
    pub view: TableView,
    pub full_width: Option<bool>,
    pub search: Option<bool>,
    pub merges: Vec<CellMerge>,
    /// The row after the last one that a cell of an earlier column or row spans, by column.
    pub occupied: BTreeMap<usize, usize>,
}

/// The content of a cell and its settings.
pub struct BuiltCell {
    pub content: TableCell,
    pub settings: CellSettings,
}

impl From<TableCell> for BuiltCell {
    fn from(content: TableCell) -> Self {
        Self {
            content,
            settings: CellSettings::default(),
        }
    }
}

#[derive(Default)]
pub struct CellSettings {
    pub align: Option<DocumentTableCellTextAlignment>,
    pub vertical_align: Option<VerticalAlignment>,
    pub labels: Vec<String>,
}

/// A cell that spans several rows or columns.
#[derive(Clone, Copy)]
pub struct CellMerge {
    pub row: usize,
    pub column: usize,
    pub rows: usize,
    pub columns: usize,
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
    /// Builds a column of text without a title.
    pub fn untitled() -> Self {
        Self::new(DocumentTableDefinition::DocumentTableDefinitionText(
            DocumentTableDefinitionText {
                id: String::new(),
                title: String::new(),
                r#type: Default::default(),
                text_alignment: DocumentTableDefinitionTextTextAlignment::Left,
                vertical_alignment: None,
            },
        ))
    }

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
    Grid(GridView),
    Cards {
        size: DocumentTableViewCardsCardSize,
        hide_titles: Option<bool>,
        wrap: Option<bool>,
    },
}

#[derive(Clone, Copy, Default)]
pub struct GridView {
    pub hide_header: bool,
    pub new_sizing: Option<bool>,
    pub sticky_header: Option<bool>,
    pub sticky_first_column: Option<bool>,
}

impl TableBuilder {
    pub fn new(view: TableView) -> Self {
        Self {
            columns: Vec::new(),
            rows: Vec::new(),
            view,
            full_width: None,
            search: None,
            merges: Vec::new(),
            occupied: BTreeMap::new(),
        }
    }

    /// Returns whether another cell spans this place.
    pub fn is_merged(&self, row: usize, column: usize) -> bool {
        self.occupied.get(&column).is_some_and(|end| row < *end)
    }

    pub fn merge(&mut self, merge: CellMerge) {
        for column in merge.column..merge.column + merge.columns {
            self.occupied.insert(column, merge.row + merge.rows);
        }
        self.merges.push(merge);
    }

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
        let merges = cell_merges(&self.merges, &ids);
        let is_text = |cell: &&BuiltCell| matches!(cell.content, TableCell::Text(_));
        let mut fragments = Vec::with_capacity(self.rows.iter().flatten().filter(is_text).count());
        // A tree that is made of a sorted list has full nodes.
        let mut records = Vec::with_capacity(self.rows.len());
        for (number, row) in self.rows.into_iter().enumerate() {
            let record = record_id(number);
            let mut cells: Vec<Option<BuiltCell>> = row.into_iter().map(Some).collect();
            let (mut values, mut settings) = (Vec::new(), Vec::new());
            for at in &order {
                let (Some(cell), Some(column)) = (cells.get_mut(*at).and_then(Option::take), ids.get(*at)) else {
                    continue;
                };
                if let Some(cell) = cell_settings(cell.settings) {
                    settings.push((column.clone(), cell));
                }
                if let Some(value) = store_cell(cell.content, &record, column, &mut fragments) {
                    values.push((column.clone(), Nullable(Some(value))));
                }
            }
            let order_index = format!("{:05}", number + 1);
            records.push((
                record,
                DocumentTableRecord {
                    order_index,
                    values: values.into_iter().collect(),
                    cells: (!settings.is_empty()).then(|| settings.into_iter().collect()),
                },
            ));
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
                records: records.into_iter().collect(),
                definition: definitions.collect(),
                cell_merges: (!merges.is_empty()).then_some(merges),
                full_width: self.full_width,
                search: self.search,
            },
            fragments,
        }
        .into()
    }
}

fn cell_settings(settings: CellSettings) -> Option<DocumentTableCell> {
    let is_set = settings.align.is_some() || settings.vertical_align.is_some() || !settings.labels.is_empty();
    is_set.then_some(DocumentTableCell {
        text_alignment: settings.align,
        vertical_alignment: settings.vertical_align,
        labels: (!settings.labels.is_empty()).then_some(settings.labels),
    })
}

fn cell_merges(merges: &[CellMerge], ids: &[String]) -> Vec<DocumentTableCellMerge> {
    let merge = |merge: &CellMerge| {
        Some(DocumentTableCellMerge {
            anchor: DocumentTableCellMergeAnchor {
                record: record_id(merge.row),
                column: ids.get(merge.column)?.clone(),
            },
            row_span: u32::try_from(merge.rows).ok()?,
            col_span: u32::try_from(merge.columns).ok()?,
        })
    };
    merges.iter().filter_map(merge).collect()
}

/// Returns the id of the row with this number, counted from 0.
fn record_id(number: usize) -> String {
    format!("r{:05}", number + 1)
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
        TableView::Grid(grid) => {
            let widths = columns
                .iter()
                .zip(ids)
                .filter_map(|(column, id)| Some((id.clone(), column.width?)));
            let widths: BTreeMap<String, f64> = widths.collect();
            DocumentTableView::DocumentTableViewGrid(DocumentTableViewGrid {
                r#type: Default::default(),
                columns: visible,
                column_widths: (!widths.is_empty()).then_some(widths),
                hide_header: grid.hide_header,
                sticky_header: grid.sticky_header,
                sticky_first_column: grid.sticky_first_column,
                use_new_sizing: grid.new_sizing,
            })
        }
        TableView::Cards {
            size,
            hide_titles,
            wrap,
        } => DocumentTableView::DocumentTableViewCards(DocumentTableViewCards {
            r#type: Default::default(),
            card_size: size,
            columns: visible,
            target_definition: first(|column| column.is_target),
            cover_definition: first(|column| column.is_cover),
            cover_definition_dark: first(|column| column.is_dark_cover),
            hide_column_title: hide_titles,
            wrap,
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
