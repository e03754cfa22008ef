//! Tables: pipe tables where possible, HTML tables otherwise.

use std::collections::{HashMap, HashSet};

use openapi::error::ErrorRule;
use openapi::models::{
    BlockTable, ContentRef, DocumentBlock, DocumentTableDefinition, DocumentTableDefinitionTextTextAlignment,
    DocumentTableObjectValue, DocumentTableRecord, DocumentTableSelectOption, DocumentTableValue, DocumentTableView,
    InlineNode,
};

use super::{
    MarkdownRenderer,
    attributes::{align_attribute, attribute},
};
use crate::{
    error::DocumentError,
    nodes::{
        enum_names::enum_name,
        table_cells,
        table_layout::{self, FragmentIndexes},
    },
    resolver::{ReferenceRole, from_media},
    syntax::escape::{self, EscapeContext, EscapeMode},
};

use DocumentTableDefinition as Definition;

impl<'d> MarkdownRenderer<'d, '_> {
    pub(super) fn table(&mut self, table: &'d BlockTable) -> Result<(), DocumentError> {
        if let Some(titles) = PipeColumn::columns_of(table) {
            return self.pipe_table(table, &titles);
        }
        let columns = table_layout::columns(table);
        let mut html = format!("<table{}><thead><tr>", view_attributes(table));
        for column in &columns {
            let Some(definition) = table.data.definition.get(*column) else {
                return Err(self.error(
                    ErrorRule::NoDefinition,
                    format!("The column `{column}` is not in `data.definition`."),
                ));
            };
            html.push_str(&header_cell(table, column, definition));
        }
        html.push_str("</tr></thead><tbody>");
        let names = FragmentIndexes::of(table);
        let spans = Spans::of(table);
        for (number, record) in table_layout::sorted_records(table).into_iter().enumerate() {
            html.push_str("<tr>");
            for (at, column) in columns.iter().enumerate() {
                let content = self.cell(table, record, column, &names)?;
                if !spans.is_covered(number, at) {
                    html.push_str(&format!(
                        "<td{}{}>{content}</td>",
                        spans.attributes(number, at),
                        cell_attributes(record, column)
                    ));
                } else if !content.is_empty() {
                    return Err(self.error(ErrorRule::CellMerge, "A cell that another cell spans has content."));
                }
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table>");
        self.out.line(&html);
        Ok(())
    }

    fn cell(
        &mut self,
        table: &'d BlockTable,
        record: &'d DocumentTableRecord,
        column: &str,
        names: &FragmentIndexes<'_>,
    ) -> Result<String, DocumentError> {
        match table_layout::text_fragment_name(table, record, column) {
            Some(name) => match names.get(name) {
                Some(index) => self.text_cell(table, index),
                None => Err(self.error(
                    ErrorRule::NoFragment,
                    format!("The fragment `{name}` is not in `fragments`."),
                )),
            },
            None => self.value_cell(table, record, column),
        }
    }

    fn pipe_table(&mut self, table: &'d BlockTable, titles: &[PipeColumn<'d>]) -> Result<(), DocumentError> {
        let mut header = String::from("|");
        let mut rule = String::from("|");
        for title in titles {
            let mut text = String::new();
            let context = EscapeContext {
                mode: EscapeMode::PipeCell,
                is_last: true,
            };
            escape::escape_text(title.title, context, &mut text);
            header.push_str(&format!(" {text} |"));
            rule.push_str(match title.alignment {
                DocumentTableDefinitionTextTextAlignment::Left => " --- |",
                DocumentTableDefinitionTextTextAlignment::Center => " :-: |",
                DocumentTableDefinitionTextTextAlignment::Right => " --: |",
            });
        }
        self.out.line(&header);
        self.out.line(&rule);
        let names = FragmentIndexes::of(table);
        for record in table_layout::sorted_records(table) {
            let mut row = String::from("|");
            for title in titles {
                let index =
                    table_layout::text_fragment_name(table, record, title.column).and_then(|name| names.get(name));
                let text = match index {
                    Some(index) => self.with_path("fragments", index, |renderer| {
                        renderer.cell_line(single_line(table, index).unwrap_or_default(), EscapeMode::PipeCell)
                    })?,
                    None => String::new(),
                };
                row.push_str(&format!(" {text} |"));
            }
            self.out.line(&row);
        }
        Ok(())
    }

    /// Renders the line of a cell: annotations in it are nested deeper than the table.
    fn cell_line(&mut self, nodes: &'d [InlineNode], mode: EscapeMode) -> Result<String, DocumentError> {
        self.depth += 2;
        let line = self.inlines(nodes, mode);
        self.depth -= 2;
        line
    }

    fn text_cell(&mut self, table: &'d BlockTable, index: usize) -> Result<String, DocumentError> {
        let Some(fragment) = table.fragments.get(index) else {
            return Ok(String::new());
        };
        self.with_path("fragments", index, |renderer| {
            if let Some(nodes) = single_line(table, index) {
                return renderer.cell_line(nodes, EscapeMode::Html);
            }
            renderer.depth += 2;
            let html = renderer.html_blocks(&fragment.nodes);
            renderer.depth -= 2;
            html
        })
    }

    fn value_cell(
        &self,
        table: &BlockTable,
        record: &DocumentTableRecord,
        column: &str,
    ) -> Result<String, DocumentError> {
        let (Some(definition), Some(value)) = (table.data.definition.get(column), table_layout::value(record, column))
        else {
            return Ok(String::new());
        };
        use DocumentTableValue as Value;
        let labels = record
            .cells
            .as_ref()
            .and_then(|cells| cells.get(column)?.labels.as_deref())
            .unwrap_or_default();
        let label = |at: usize, usual: &str| {
            labels
                .get(at)
                .filter(|label| !label.is_empty())
                .map_or(usual, String::as_str)
                .to_owned()
        };
        let link = |target: &str| target_link(target, &label(0, target));
        let cell = match (definition, value) {
            (
                Definition::DocumentTableDefinitionNumber(_) | Definition::DocumentTableDefinitionRating(_),
                Value::Number(number),
            ) => number.to_string(),
            (Definition::DocumentTableDefinitionCheckbox(_), Value::Boolean(checked)) => checked.to_string(),
            (Definition::DocumentTableDefinitionFiles(_), Value::Array(ids)) => {
                let targets = ids
                    .iter()
                    .map(|id| self.format_target(ReferenceRole::File, &table_cells::file_reference(id)));
                let targets: Vec<String> = targets.collect::<Result<_, _>>()?;
                join_rendered(&targets, |at, target| target_link(target, &label(at, target)))
            }
            (Definition::DocumentTableDefinitionUsers(_), Value::Array(ids)) => {
                join_rendered(ids, |at, id| target_link(id, &label(at, id)))
            }
            (Definition::DocumentTableDefinitionSelect(select), Value::Array(values)) => {
                join_rendered(values, |at, value| {
                    let option = select.options.iter().find(|option| option.value == *value);
                    let words = label(at, option.map_or(value, |option| &option.label));
                    format!(
                        "<span {}>{}</span>",
                        attribute("data-option", value),
                        escaped_html(&words)
                    )
                })
            }
            (Definition::DocumentTableDefinitionContentRef(_), Value::Object(value)) => match &**value {
                DocumentTableObjectValue::ContentRef(reference) => {
                    link(&self.format_target(ReferenceRole::Link, reference)?)
                }
                DocumentTableObjectValue::DocumentTableImageRecord(_) => return Err(self.other_type(column)),
            },
            (Definition::DocumentTableDefinitionImage(_), Value::Object(value)) => self.image_cell(value, &link)?,
            _ => return Err(self.other_type(column)),
        };
        Ok(cell)
    }

    fn other_type(&self, column: &str) -> DocumentError {
        let message = format!("The value in the column `{column}` does not match the type of the column.");
        self.error(ErrorRule::CellType, message)
    }

    fn image_cell(
        &self,
        value: &DocumentTableObjectValue,
        link: &dyn Fn(&str) -> String,
    ) -> Result<String, DocumentError> {
        match value {
            DocumentTableObjectValue::ContentRef(
                reference @ (ContentRef::ContentRefFile(_) | ContentRef::ContentRefUrl(_)),
            ) => Ok(link(&self.format_target(ReferenceRole::Media, reference)?)),
            DocumentTableObjectValue::ContentRef(_) => {
                Err(self.error(ErrorRule::CellType, "An image must refer to a file or a URL."))
            }
            DocumentTableObjectValue::DocumentTableImageRecord(image) => {
                let target = self.format_target(ReferenceRole::Media, &from_media(&image.r#ref))?;
                let mut html = format!("<img {}", attribute("src", &target));
                if let Some(alt) = &image.alt {
                    html.push_str(&format!(" {}", attribute("alt", alt)));
                }
                if let Some(fit) = image.object_fit {
                    html.push_str(&format!(" data-object-fit=\"{}\"", enum_name(fit)));
                }
                html.push('>');
                Ok(html)
            }
        }
    }
}

/// A column of a pipe table.
struct PipeColumn<'d> {
    column: &'d str,
    title: &'d str,
    alignment: DocumentTableDefinitionTextTextAlignment,
}

impl<'d> PipeColumn<'d> {
    /// Returns the columns; `None` if the table needs HTML.
    fn columns_of(table: &'d BlockTable) -> Option<Vec<Self>> {
        let DocumentTableView::DocumentTableViewGrid(view) = &table.data.view else {
            return None;
        };
        let is_sticky = view.sticky_header.is_some() || view.sticky_first_column.is_some();
        let plain = !view.hide_header
            && !is_sticky
            && view.use_new_sizing.is_none()
            && table.data.full_width.is_none()
            && table.data.search.is_none()
            && table.data.cell_merges.as_ref().is_none_or(Vec::is_empty)
            && !table
                .data
                .records
                .values()
                .any(|record| record.cells.as_ref().is_some_and(|cells| !cells.is_empty()));
        let widths = view.column_widths.as_ref().is_some_and(|widths| !widths.is_empty());
        let all_shown = view.columns.len() == table.data.definition.len() && !view.columns.is_empty();
        (plain && !widths && all_shown).then_some(())?;
        let names = FragmentIndexes::of(table);
        for record in table.data.records.values() {
            for column in &view.columns {
                let is_text = table_layout::value(record, column).is_none()
                    || table_layout::text_fragment_name(table, record, column).is_some();
                let name = table_layout::text_fragment_name(table, record, column);
                let is_line =
                    name.is_none_or(|name| names.get(name).is_some_and(|index| single_line(table, index).is_some()));
                (is_text && is_line).then_some(())?;
            }
        }
        let columns = view
            .columns
            .iter()
            .map(|column| match table.data.definition.get(column)? {
                Definition::DocumentTableDefinitionText(text) if text.vertical_alignment.is_none() => Some(Self {
                    column,
                    title: &text.title,
                    alignment: text.text_alignment,
                }),
                _ => None,
            });
        columns.collect()
    }
}

/// Returns the inlines of a fragment that is empty or one paragraph without alignment.
fn single_line(table: &BlockTable, index: usize) -> Option<&[InlineNode]> {
    match table.fragments.get(index)?.nodes.as_slice() {
        [] => Some(&[]),
        [DocumentBlock::BlockParagraph(paragraph)] => {
            let usual = align_attribute(paragraph.data.as_ref().and_then(|data| data.align)).is_empty();
            usual.then(|| paragraph.nodes.as_deref().unwrap_or_default())
        }
        _ => None,
    }
}

fn view_attributes(table: &BlockTable) -> String {
    let mut attributes = String::new();
    match &table.data.view {
        DocumentTableView::DocumentTableViewGrid(view) => {
            if view.hide_header {
                attributes.push_str(" data-header-hidden");
            }
            if let Some(new) = view.use_new_sizing {
                attributes.push_str(&format!(" data-new-sizing=\"{new}\""));
            }
            for (name, value) in [
                ("data-header-sticky", view.sticky_header),
                ("data-first-column-sticky", view.sticky_first_column),
            ] {
                if let Some(value) = value {
                    attributes.push_str(&format!(" {name}=\"{value}\""));
                }
            }
        }
        DocumentTableView::DocumentTableViewCards(view) => {
            attributes.push_str(&format!(
                " data-view=\"cards\" data-card-size=\"{}\"",
                enum_name(view.card_size)
            ));
            if let Some(hidden) = view.hide_column_title {
                attributes.push_str(&format!(" data-column-title-hidden=\"{hidden}\""));
            }
            if let Some(wrap) = view.wrap {
                attributes.push_str(&format!(" data-card-wrap=\"{wrap}\""));
            }
        }
    }
    if let Some(full_width) = table.data.full_width {
        attributes.push_str(&format!(" data-full-width=\"{full_width}\""));
    }
    if let Some(search) = table.data.search {
        attributes.push_str(&format!(" data-search=\"{search}\""));
    }
    attributes
}

/// Returns the attributes of a cell that differ from its column.
fn cell_attributes(record: &DocumentTableRecord, column: &str) -> String {
    let mut attributes = String::new();
    if let Some(cell) = record.cells.as_ref().and_then(|cells| cells.get(column)) {
        if let Some(align) = cell.text_alignment {
            attributes.push_str(&format!(" align=\"{}\"", enum_name(align)));
        }
        if let Some(align) = cell.vertical_alignment {
            attributes.push_str(&format!(" valign=\"{}\"", enum_name(align)));
        }
    }
    attributes
}

/// The cells that span several rows or columns, and those that they cover.
struct Spans {
    of: HashMap<(usize, usize), (u32, u32)>,
    covered: HashSet<(usize, usize)>,
}

impl Spans {
    fn of(table: &BlockTable) -> Self {
        let (mut of, mut covered) = (HashMap::new(), HashSet::new());
        let (last_row, last_column) = (table.data.records.len(), table.data.definition.len());
        let end = |at: usize, span: u32, last: usize| at.saturating_add(usize::try_from(span).unwrap_or(1)).min(last);
        for (row, column, rows, columns) in table_layout::cell_spans(table) {
            // Cells that overlap are covered once, so that the work is bounded by the size of the table.
            if covered.contains(&(row, column)) || of.insert((row, column), (rows, columns)).is_some() {
                continue;
            }
            for inner_row in row..end(row, rows, last_row) {
                for inner_column in column..end(column, columns, last_column) {
                    if (inner_row, inner_column) != (row, column) && !covered.insert((inner_row, inner_column)) {
                        break;
                    }
                }
            }
        }
        Self { of, covered }
    }

    fn is_covered(&self, row: usize, column: usize) -> bool {
        self.covered.contains(&(row, column))
    }

    fn attributes(&self, row: usize, column: usize) -> String {
        let (rows, columns) = self.of.get(&(row, column)).copied().unwrap_or((1, 1));
        let mut attributes = String::new();
        for (name, span) in [("colspan", columns), ("rowspan", rows)] {
            if span > 1 {
                attributes.push_str(&format!(" {name}=\"{span}\""));
            }
        }
        attributes
    }
}

fn header_cell(table: &BlockTable, column: &str, definition: &Definition) -> String {
    let mut attributes = String::new();
    let is = |id: &Option<String>| id.as_deref() == Some(column);
    match &table.data.view {
        DocumentTableView::DocumentTableViewGrid(view) => {
            if let Some(width) = view.column_widths.as_ref().and_then(|widths| widths.get(column)) {
                attributes.push_str(&format!(" width=\"{width}\""));
            }
        }
        DocumentTableView::DocumentTableViewCards(view) => {
            let flags = [
                ("data-card-target", is(&view.target_definition)),
                ("data-card-cover", is(&view.cover_definition)),
                ("data-card-cover-dark", is(&view.cover_definition_dark)),
            ];
            for (name, _) in flags.into_iter().filter(|(_, set)| *set) {
                attributes.push_str(&format!(" {name}"));
            }
        }
    }
    if !table_layout::visible_columns(table)
        .iter()
        .any(|visible| visible == column)
    {
        attributes.push_str(" data-hidden");
    }
    let type_attributes = type_attributes(definition);
    format!(
        "<th{attributes}{type_attributes}>{}{}</th>",
        escaped_html(table_cells::title(definition)),
        options_html(definition)
    )
}

/// Returns the attributes of a column type.
fn type_attributes(definition: &Definition) -> String {
    let multiple = |multiple: bool| if multiple { " data-multiple" } else { "" };
    match definition {
        Definition::DocumentTableDefinitionText(it) => {
            let mut attributes = String::new();
            if it.text_alignment != DocumentTableDefinitionTextTextAlignment::Left {
                attributes.push_str(&format!(" align=\"{}\"", enum_name(it.text_alignment)));
            }
            if let Some(align) = it.vertical_alignment {
                attributes.push_str(&format!(" valign=\"{}\"", enum_name(align)));
            }
            attributes
        }
        Definition::DocumentTableDefinitionNumber(_) => data_type("number"),
        Definition::DocumentTableDefinitionCheckbox(_) => data_type("checkbox"),
        Definition::DocumentTableDefinitionFiles(_) => data_type("files"),
        Definition::DocumentTableDefinitionContentRef(_) => data_type("content-ref"),
        Definition::DocumentTableDefinitionImage(_) => data_type("image"),
        Definition::DocumentTableDefinitionUsers(it) => format!("{}{}", data_type("users"), multiple(it.multiple)),
        Definition::DocumentTableDefinitionRating(it) => format!("{} data-max=\"{}\"", data_type("rating"), it.max),
        Definition::DocumentTableDefinitionSelect(it) => {
            format!("{}{}", data_type("select"), multiple(it.multiple))
        }
    }
}

fn options_html(definition: &Definition) -> String {
    let Definition::DocumentTableDefinitionSelect(select) = definition else {
        return String::new();
    };
    if select.options.is_empty() {
        return String::new();
    }
    let option = |option: &DocumentTableSelectOption| {
        let value = attribute("value", &option.value);
        let label = attribute("label", &option.label);
        format!(
            "<option {value} {label} {}></option>",
            attribute("color", &option.color)
        )
    };
    format!(
        "<select>{}</select>",
        select.options.iter().map(option).collect::<String>()
    )
}

fn data_type(name: &str) -> String {
    format!(" data-type=\"{name}\"")
}

fn join_rendered(values: &[String], write: impl Fn(usize, &String) -> String) -> String {
    let written = values.iter().enumerate().map(|(at, value)| write(at, value));
    written.collect::<Vec<String>>().join(" ")
}

fn target_link(target: &str, words: &str) -> String {
    format!("<a {}>{}</a>", attribute("href", target), escaped_html(words))
}

fn escaped_html(text: &str) -> String {
    let mut html = String::new();
    let context = EscapeContext {
        mode: EscapeMode::Html,
        is_last: true,
    };
    escape::escape_text(text, context, &mut html);
    html
}
