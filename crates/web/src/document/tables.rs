//! Tables: grids and cards.

use std::collections::{HashMap, HashSet};

use openapi::models::{
    BlockTable, ContentRef, ContentRefFile, ContentRefUser, DocumentTableDefinition as Definition,
    DocumentTableObjectValue as ObjectValue, DocumentTableRecord, DocumentTableValue as Value, DocumentTableView,
    DocumentTableViewCards, DocumentTableViewGrid,
};
use rich_text::{
    from_media,
    tables::{self, FragmentIndexes},
};

use super::{Writer, blocks::apart};

use crate::Href;

impl<'t> Writer<'t> {
    pub(super) fn table(&mut self, table: &BlockTable) {
        let rows = Rows {
            table,
            records: tables::sorted_records(table),
            fragments: FragmentIndexes::of(table),
        };
        match &table.data.view {
            DocumentTableView::DocumentTableViewGrid(view) => self.grid(&rows, view),
            DocumentTableView::DocumentTableViewCards(view) => self.cards(&rows, view),
        }
    }

    fn grid(&mut self, rows: &Rows<'_>, view: &DocumentTableViewGrid) {
        let titles: Vec<&str> = view.columns.iter().map(|column| rows.title(column)).collect();
        let has_head = !view.hide_header && titles.iter().any(|title| !title.trim().is_empty());
        let scroll = self.html.open("div").attribute("class", "table");
        drop(
            scroll
                .attribute("tabindex", "0")
                .attribute("role", "group")
                .attribute("aria-label", self.words.table),
        );
        self.html.markup("<table>");
        if has_head {
            self.html.markup("<thead><tr>");
            for (column, title) in view.columns.iter().zip(&titles) {
                let name = if title.trim().is_empty() { "td" } else { "th" };
                let start = self.html.open(name).attribute("dir", "auto");
                let start = start.optional("scope", (name == "th").then_some("col"));
                drop(start.optional("class", rows.align(None, column)));
                self.html.text(title);
                self.html.markup(if name == "th" { "</th>" } else { "</td>" });
            }
            self.html.markup("</tr></thead>");
        }
        self.html.markup("<tbody>");
        let spans = Spans::of(rows, &view.columns);
        for (number, record) in rows.records.iter().enumerate() {
            self.html.markup("<tr>");
            for (at, column) in view.columns.iter().enumerate() {
                if spans.covered.contains(&(number, at)) {
                    continue;
                }
                let (down, across) = spans.spans.get(&(number, at)).copied().unwrap_or((1, 1));
                let count = |count: usize| (count > 1).then(|| count.to_string());
                let cell = self.html.open("td").attribute("dir", "auto");
                let cell = cell
                    .optional("rowspan", count(down).as_deref())
                    .optional("colspan", count(across).as_deref());
                drop(cell.optional("class", rows.align(Some(record), column)));
                self.cell(rows, record, column);
                self.html.markup("</td>");
            }
            self.html.markup("</tr>");
        }
        self.html.markup("</tbody></table></div>");
    }

    fn cards(&mut self, rows: &Rows<'_>, view: &DocumentTableViewCards) {
        self.html.markup("<ul class=\"cards\">");
        for record in &rows.records {
            self.html.markup("<li class=\"card\">");
            let cover = |column: &Option<String>| match tables::value(record, column.as_deref()?)? {
                Value::Object(cover) => Some(cover),
                _ => None,
            };
            match (cover(&view.cover_definition), cover(&view.cover_definition_dark)) {
                (Some(light), Some(dark)) => {
                    self.image_value(light, Some("light"));
                    self.image_value(dark, Some("dark"));
                }
                (light, dark) => light
                    .or(dark)
                    .into_iter()
                    .for_each(|cover| self.image_value(cover, None)),
            }
            let target = view
                .target_definition
                .as_deref()
                .and_then(|column| rows.target(record, column));
            let target = target.and_then(|reference| self.href_of(reference));
            for column in &view.columns {
                if view.target_definition.as_ref() == Some(column) && target.is_some() {
                    continue;
                }
                let cell = apart(self, |writer| writer.cell(rows, record, column));
                if !cell.is_empty() {
                    self.html.markup("<div>");
                    self.html.append(&cell);
                    self.html.markup("</div>");
                }
            }
            if let (Some(href), Some(column)) = (target, view.target_definition.as_deref()) {
                let words = rows
                    .target(record, column)
                    .and_then(|reference| self.targets.target(reference).title);
                let labels = record
                    .cells
                    .as_ref()
                    .and_then(|cells| cells.get(column)?.labels.as_deref());
                let label = label_at(labels.unwrap_or_default(), 0).filter(|label| !label.starts_with('/'));
                drop(self.html.open("a").attribute("class", "whole").href(&href));
                self.html.text(label.or(words.as_deref()).unwrap_or(href.as_str()));
                self.html.markup("</a>");
            }
            self.html.markup("</li>");
        }
        self.html.markup("</ul>");
    }

    fn cell(&mut self, rows: &Rows<'_>, record: &DocumentTableRecord, column: &str) {
        if let Some(name) = tables::text_fragment_name(rows.table, record, column) {
            let fragment = rows
                .fragments
                .get(name)
                .and_then(|index| rows.table.fragments.get(index));
            if let Some(fragment) = fragment {
                self.nested(&fragment.nodes);
            }
            return;
        }
        let (Some(definition), Some(value)) = (rows.table.data.definition.get(column), tables::value(record, column))
        else {
            return;
        };
        let labels = record
            .cells
            .as_ref()
            .and_then(|cells| cells.get(column)?.labels.as_deref());
        let labels = labels.unwrap_or_default();
        match (definition, value) {
            (Definition::DocumentTableDefinitionCheckbox(_), Value::Boolean(is_done)) => self.mark_of(*is_done),
            (Definition::DocumentTableDefinitionRating(rating), Value::Number(stars)) => {
                let most = f64::from(rating.max.min(20));
                let count = (0..20).filter(|star| f64::from(*star) < stars.clamp(0.0, most)).count();
                let label = format!("{stars}/{}", rating.max);
                drop(
                    self.html
                        .open("span")
                        .attribute("role", "img")
                        .attribute("aria-label", &label),
                );
                self.html.text(&"★".repeat(count));
                self.html.markup("</span>");
            }
            (Definition::DocumentTableDefinitionFiles(_), Value::Array(ids)) => {
                self.references(ids, labels, |id| {
                    let (kind, file, space) = (Default::default(), id.to_owned(), None);
                    ContentRef::ContentRefFile(ContentRefFile { kind, file, space })
                });
            }
            (Definition::DocumentTableDefinitionUsers(_), Value::Array(ids)) => {
                self.references(ids, labels, |id| {
                    let (kind, user) = (Default::default(), id.to_owned());
                    ContentRef::ContentRefUser(ContentRefUser { kind, user })
                });
            }
            (Definition::DocumentTableDefinitionSelect(select), Value::Array(values)) => {
                for (number, value) in values.iter().enumerate() {
                    let option = select.options.iter().find(|option| option.value == *value);
                    let usual = option.map_or(value.as_str(), |option| option.label.as_str());
                    self.html.markup("<span class=\"tag\">");
                    self.html.text(label_at(labels, number).unwrap_or(usual));
                    self.html.markup("</span> ");
                }
            }
            (_, Value::Object(value)) => self.object_value(value, labels),
            (_, Value::Number(number)) => self.html.text(&number.to_string()),
            (_, Value::String(words)) => self.html.text(words),
            (_, Value::Boolean(value)) => self.mark_of(*value),
            (_, Value::Array(values)) => self.html.text(&values.join(", ")),
        }
    }

    fn references(&mut self, ids: &[String], labels: &[String], reference: impl Fn(&str) -> ContentRef) {
        for (number, id) in ids.iter().enumerate() {
            if number > 0 {
                self.html.markup("<br>");
            }
            self.reference(&reference(id), label_at(labels, number));
        }
    }

    fn object_value(&mut self, value: &ObjectValue, labels: &[String]) {
        match value {
            ObjectValue::ContentRef(reference @ (ContentRef::ContentRefFile(_) | ContentRef::ContentRefUrl(_)))
                if self.is_image(reference) =>
            {
                self.image_value(value, None);
            }
            ObjectValue::ContentRef(reference) => self.reference(reference, label_at(labels, 0)),
            ObjectValue::DocumentTableImageRecord(_) => self.image_value(value, None),
        }
    }

    fn is_image(&self, reference: &ContentRef) -> bool {
        self.file_of(reference)
            .is_some_and(|file| file.content_type.starts_with("image/"))
    }

    /// A link with its own words, or with the title of its target.
    fn reference(&mut self, reference: &ContentRef, label: Option<&str>) {
        let target = self.targets.target(reference);
        let words = label.filter(|label| !label.starts_with('/'));
        let words = words
            .or(target.title.as_deref())
            .or(target.href.as_ref().map(Href::as_str));
        let words = words.unwrap_or_default();
        match &target.href {
            Some(href) => {
                drop(self.html.open("a").href(href));
                self.html.text(words);
                self.html.markup("</a>");
            }
            None => self.html.text(words),
        }
    }

    fn image_value(&mut self, value: &ObjectValue, theme: Option<&'static str>) {
        let (reference, alt) = match value {
            ObjectValue::ContentRef(reference) => (reference.clone(), ""),
            ObjectValue::DocumentTableImageRecord(image) => {
                (from_media(&image.r#ref), image.alt.as_deref().unwrap_or_default())
            }
        };
        let src = match &reference {
            ContentRef::ContentRefUrl(url) => Href::image(&url.url),
            reference => self.file_of(reference).map(|file| file.href),
        };
        if let Some(src) = src {
            drop(
                self.html
                    .open("img")
                    .src(&src)
                    .attribute("alt", alt)
                    .attribute("loading", "lazy")
                    .optional("class", theme),
            );
        }
    }
}

fn label_at(labels: &[String], at: usize) -> Option<&str> {
    labels
        .get(at)
        .map(String::as_str)
        .filter(|label| !label.trim().is_empty())
}

struct Rows<'b> {
    table: &'b BlockTable,
    records: Vec<&'b DocumentTableRecord>,
    fragments: FragmentIndexes<'b>,
}

impl<'b> Rows<'b> {
    fn title(&self, column: &str) -> &'b str {
        self.table
            .data
            .definition
            .get(column)
            .map(tables::title)
            .unwrap_or_default()
    }

    /// The class of the alignment of a cell, or of the head of a column.
    fn align(&self, record: Option<&DocumentTableRecord>, column: &str) -> Option<&'static str> {
        use openapi::models::{
            DocumentTableCellTextAlignment as OfCell, DocumentTableDefinitionTextTextAlignment as OfColumn,
        };
        let cell = record.and_then(|record| record.cells.as_ref()?.get(column)?.text_alignment);
        match (cell, self.table.data.definition.get(column)) {
            (Some(OfCell::Center), _) => Some("center"),
            (Some(OfCell::Right), _) => Some("end"),
            (Some(OfCell::Left), _) => None,
            (None, Some(Definition::DocumentTableDefinitionText(text))) => match text.text_alignment {
                OfColumn::Center => Some("center"),
                OfColumn::Right => Some("end"),
                OfColumn::Left => None,
            },
            (None, Some(Definition::DocumentTableDefinitionNumber(_))) => Some("end"),
            (None, _) => None,
        }
    }

    /// The place to which a card leads.
    fn target(&self, record: &'b DocumentTableRecord, column: &str) -> Option<&'b ContentRef> {
        match tables::value(record, column)? {
            Value::Object(value) => match &**value {
                ObjectValue::ContentRef(reference) => Some(reference),
                ObjectValue::DocumentTableImageRecord(_) => None,
            },
            _ => None,
        }
    }
}

/// Cells that are merged. What lies outside of the table or overlaps is not merged.
#[derive(Default)]
struct Spans {
    /// Rows and columns of the cells that cover others.
    spans: HashMap<(usize, usize), (usize, usize)>,
    covered: HashSet<(usize, usize)>,
}

impl Spans {
    fn of(rows: &Rows<'_>, columns: &[String]) -> Self {
        let (mut merged, mut used) = (Self::default(), HashSet::new());
        let Some(merges) = rows.table.data.cell_merges.as_ref().filter(|merges| !merges.is_empty()) else {
            return merged;
        };
        let order: HashMap<*const DocumentTableRecord, usize> = rows
            .records
            .iter()
            .enumerate()
            .map(|(number, record)| (std::ptr::from_ref(*record), number))
            .collect();
        let records = rows.table.data.records.iter();
        let numbers = records.filter_map(|(id, record)| Some((id.as_str(), *order.get(&std::ptr::from_ref(record))?)));
        let numbers: HashMap<&str, usize> = numbers.collect();
        for merge in merges {
            let row = numbers.get(merge.anchor.record.as_str()).copied();
            let column = columns.iter().position(|column| *column == merge.anchor.column);
            let (Some(row), Some(column)) = (row, column) else {
                continue;
            };
            let size = |size, most: usize| usize::try_from(size).unwrap_or(1).clamp(1, most.max(1));
            let down = size(merge.row_span, rows.records.len() - row);
            let across = size(merge.col_span, columns.len() - column);
            let cells = (row..row + down).flat_map(|row| (column..column + across).map(move |column| (row, column)));
            if used.contains(&(row, column)) || cells.clone().any(|cell| used.contains(&cell)) {
                continue;
            }
            used.extend(cells.clone());
            merged.covered.extend(cells.filter(|cell| *cell != (row, column)));
            merged.spans.insert((row, column), (down, across));
        }
        merged
    }
}
