//! Tables: pipe tables where possible, HTML tables otherwise.

use openapi::error::ErrorRule;
use openapi::models::{
    BlockTable, ContentRef, DocumentBlock, DocumentTableDefinition, DocumentTableDefinitionTextTextAlignment,
    DocumentTableObjectValue, DocumentTableRecord, DocumentTableValue, DocumentTableView, InlineNode,
};

use super::{MarkdownRenderer, blocks::align_attribute, inlines::attribute};
use crate::{
    error::DocumentError,
    nodes::{enum_names::enum_name, table_cells, table_layout},
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
        let names = table_layout::fragment_indexes(table);
        for record in table_layout::sorted_records(table) {
            html.push_str("<tr>");
            for column in &columns {
                let text = table_layout::text_fragment_name(table, record, column);
                let cell = match text {
                    Some(name) => match names.get(name) {
                        Some(index) => self.text_cell(table, *index)?,
                        None => {
                            return Err(self.error(
                                ErrorRule::NoFragment,
                                format!("The fragment `{name}` is not in `fragments`."),
                            ));
                        }
                    },
                    None => self.value_cell(table, record, column)?,
                };
                html.push_str(&format!("<td>{cell}</td>"));
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table>");
        self.out.line(&html);
        Ok(())
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
        let names = table_layout::fragment_indexes(table);
        for record in table_layout::sorted_records(table) {
            let mut row = String::from("|");
            for title in titles {
                let index =
                    table_layout::text_fragment_name(table, record, title.column).and_then(|name| names.get(name));
                let text = match index {
                    Some(index) => self.with_path("fragments", *index, |renderer| {
                        renderer.cell_line(single_line(table, *index).unwrap_or_default(), EscapeMode::PipeCell)
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
            let mut html = String::new();
            for (index, block) in fragment.nodes.iter().enumerate() {
                let DocumentBlock::BlockParagraph(paragraph) = block else {
                    let error = |renderer: &mut Self| {
                        Err(renderer.error(ErrorRule::TableCell, "A table cell can contain only paragraphs."))
                    };
                    return renderer.with_path("nodes", index, error);
                };
                let align = align_attribute(paragraph.data.as_ref().and_then(|data| data.align));
                let nodes = paragraph.nodes.as_deref().unwrap_or_default();
                let content =
                    renderer.with_path("nodes", index, |renderer| renderer.cell_line(nodes, EscapeMode::Html))?;
                html.push_str(&format!("<p{align}>{content}</p>"));
            }
            Ok(html)
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
        let cell = match (definition, value) {
            (
                Definition::DocumentTableDefinitionNumber(_) | Definition::DocumentTableDefinitionRating(_),
                Value::Number(number),
            ) => number.to_string(),
            (Definition::DocumentTableDefinitionCheckbox(_), Value::Boolean(checked)) => checked.to_string(),
            (
                Definition::DocumentTableDefinitionFiles(_) | Definition::DocumentTableDefinitionUsers(_),
                Value::Array(ids),
            ) => join_rendered(ids, |id| target_link(id)),
            (Definition::DocumentTableDefinitionSelect(_), Value::Array(values)) => join_rendered(values, |value| {
                format!(
                    "<span {}>{}</span>",
                    attribute("data-option", value),
                    escaped_html(value)
                )
            }),
            (
                Definition::DocumentTableDefinitionContentRef(_),
                Value::Object(DocumentTableObjectValue::ContentRef(reference)),
            ) => target_link(&self.format_target(ReferenceRole::Link, reference)?),
            (Definition::DocumentTableDefinitionImage(_), Value::Object(value)) => self.image_cell(value)?,
            _ => {
                let message = format!("The value in the column `{column}` does not match the type of the column.");
                return Err(self.error(ErrorRule::CellType, message));
            }
        };
        Ok(cell)
    }

    fn image_cell(&self, value: &DocumentTableObjectValue) -> Result<String, DocumentError> {
        match value {
            DocumentTableObjectValue::ContentRef(
                reference @ (ContentRef::ContentRefFile(_) | ContentRef::ContentRefUrl(_)),
            ) => Ok(target_link(&self.format_target(ReferenceRole::Media, reference)?)),
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
        let plain = !view.hide_header && view.use_new_sizing.is_none() && table.data.full_width != Some(true);
        let widths = view.column_widths.as_ref().is_some_and(|widths| !widths.is_empty());
        let all_shown = view.columns.len() == table.data.definition.len() && !view.columns.is_empty();
        (plain && !widths && all_shown).then_some(())?;
        let names = table_layout::fragment_indexes(table);
        for record in table.data.records.values() {
            for column in &view.columns {
                let is_text = table_layout::value(record, column).is_none()
                    || table_layout::text_fragment_name(table, record, column).is_some();
                let name = table_layout::text_fragment_name(table, record, column);
                let is_line = name.is_none_or(|name| {
                    names
                        .get(name)
                        .is_some_and(|index| single_line(table, *index).is_some())
                });
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
        }
        DocumentTableView::DocumentTableViewCards(view) => {
            attributes.push_str(&format!(
                " data-view=\"cards\" data-card-size=\"{}\"",
                enum_name(view.card_size)
            ));
            if let Some(hidden) = view.hide_column_title {
                attributes.push_str(&format!(" data-column-title-hidden=\"{hidden}\""));
            }
        }
    }
    if table.data.full_width == Some(true) {
        attributes.push_str(" data-full-width=\"true\"");
    }
    attributes
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
        "<th{attributes}{type_attributes}>{}</th>",
        escaped_html(table_cells::title(definition))
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
            let options = serde_json::to_string(&it.options).unwrap_or_default();
            let options = attribute("data-options", &options);
            format!("{}{} {options}", data_type("select"), multiple(it.multiple))
        }
    }
}

fn data_type(name: &str) -> String {
    format!(" data-type=\"{name}\"")
}

fn join_rendered(values: &[String], write: impl Fn(&String) -> String) -> String {
    values.iter().map(write).collect::<Vec<String>>().join(" ")
}

/// Renders a link whose text is its target.
fn target_link(target: &str) -> String {
    format!("<a {}>{}</a>", attribute("href", target), escaped_html(target))
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
