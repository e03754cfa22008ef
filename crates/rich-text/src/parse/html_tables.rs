//! HTML tables: cards, hidden columns, widths and typed values.

use openapi::models::{
    ContentRef, ContentRefMedia, DocumentBlock, DocumentTableDefinition, DocumentTableDefinitionCheckbox,
    DocumentTableDefinitionContentRef, DocumentTableDefinitionFiles, DocumentTableDefinitionImage,
    DocumentTableDefinitionNumber, DocumentTableDefinitionRating, DocumentTableDefinitionSelect,
    DocumentTableDefinitionText, DocumentTableDefinitionTextTextAlignment, DocumentTableDefinitionUsers,
    DocumentTableImageRecord, DocumentTableObjectValue, DocumentTableSelectOption, DocumentTableValue,
    DocumentTableViewCardsCardSize,
};

use super::{
    MarkdownParser,
    container_kind::ContainerKind,
    html_slice::HtmlSlice,
    inline_elements, inline_tokens, pipe_tables,
    table_builder::{BuiltCell, CellMerge, CellSettings, GridView, TableBuilder, TableCell, TableColumn, TableView},
};
use crate::{
    nodes::enum_names::parse_enum_name,
    resolver::{ReferenceRole, into_media},
    syntax::{
        attributes::Attributes,
        html::{HtmlElement, HtmlToken},
    },
};

/// DocumentLimits of the contract.
const MAX_TITLE_LENGTH: usize = 1000;
const MAX_COLUMNS: usize = 1000;
const MAX_ID_LENGTH: usize = 2048;
const MAX_ALT_LENGTH: usize = 10_000;
const MAX_OPTIONS: usize = 1000;
const MAX_LABEL_LENGTH: usize = 10_000;
const MAX_OPTION_LENGTH: usize = 320;
const MAX_COLOR_LENGTH: usize = 50;
const MAX_WIDTH: f64 = 100_000.0;

impl MarkdownParser<'_, '_> {
    /// Parses a table. Its caption becomes the text before it.
    pub(super) fn html_table(
        &mut self,
        element: &HtmlElement,
        inner: HtmlSlice<'_>,
        depth: usize,
    ) -> Option<Vec<DocumentBlock>> {
        let mut attributes = element.attributes.clone();
        let full_width = attributes.take_flag("data-full-width");
        let search = attributes.take_flag("data-search");
        let mut view = view(&mut attributes)?;
        attributes.all_consumed().then_some(())?;
        let TableParts { caption, header, rows } = table_parts(inner)?;
        let mut columns = Vec::new();
        for (element, inner) in header.unwrap_or_default() {
            let (column, span) = column(element, inner)?;
            columns.push(column);
            columns.extend((1..span).map(|_| TableColumn::untitled()));
        }
        if columns.is_empty() {
            let width = rows.iter().map(|row| row_width(row)).max().unwrap_or_default();
            (width <= MAX_COLUMNS).then_some(())?;
            columns.extend((0..width).map(|_| TableColumn::untitled()));
            if let TableView::Grid(grid) = &mut view {
                grid.hide_header = true;
            }
        }
        let longest = rows.iter().map(Vec::len).max().unwrap_or_default();
        let is_within =
            |columns: usize, limit: usize| columns <= MAX_COLUMNS && columns.saturating_mul(rows.len()) <= limit;
        let width = columns.len().max(longest);
        (!columns.is_empty() && is_within(width, self.limits.children)).then_some(())?;
        columns.resize_with(width, TableColumn::untitled);
        let row_count = rows.len();
        let mut builder = TableBuilder {
            columns,
            rows: Vec::with_capacity(rows.len()),
            full_width,
            search,
            ..TableBuilder::new(view)
        };
        for row in rows {
            self.row(row, &mut builder, depth + 2)?;
        }
        let cells = builder.columns.len().saturating_mul(row_count);
        (cells <= self.limits.children).then_some(())?;
        let mut blocks = match caption {
            Some(caption) => self.html_blocks(caption, ContainerKind::Cell, depth),
            None => Vec::new(),
        };
        blocks.push(builder.build());
        Some(blocks)
    }

    /// Parses the cells of a row. A cell that spans several columns leaves those after its own empty. A row that is longer than
    /// the others adds columns.
    fn row(&mut self, cells: Cells<'_>, table: &mut TableBuilder, depth: usize) -> Option<()> {
        let number = table.rows.len();
        let mut row = Vec::new();
        for (element, inner) in cells {
            let mut attributes = element.attributes.clone();
            let columns = attributes.take_parsed("colspan", column_span).unwrap_or(1);
            let rows = attributes.take_parsed("rowspan", column_span).unwrap_or(1);
            let settings = CellSettings {
                align: attributes.take_parsed("align", parse_enum_name),
                vertical_align: attributes.take_parsed("valign", parse_enum_name),
                labels: Vec::new(),
            };
            attributes.all_consumed().then_some(())?;
            while table.is_merged(number, row.len()) {
                row.push(TableCell::Empty.into());
            }
            (row.len() < MAX_COLUMNS).then_some(())?;
            while table.columns.len() <= row.len() {
                table.columns.push(TableColumn::untitled());
            }
            let definition = table.columns.get(row.len())?.definition.clone();
            let columns = columns.min(table.columns.len() - row.len());
            if columns > 1 || rows > 1 {
                table.merge(CellMerge {
                    row: number,
                    column: row.len(),
                    rows,
                    columns,
                });
            }
            row.push(self.cell(&definition, inner, settings, depth)?);
        }
        row.shrink_to_fit();
        table.rows.push(row);
        Some(())
    }

    fn cell(
        &mut self,
        definition: &DocumentTableDefinition,
        inner: HtmlSlice<'_>,
        mut settings: CellSettings,
        depth: usize,
    ) -> Option<BuiltCell> {
        use DocumentTableDefinition as Definition;
        if inner.is_blank() {
            let content = TableCell::Empty;
            return Some(BuiltCell { content, settings });
        }
        let value = match definition {
            Definition::DocumentTableDefinitionText(_) => {
                let content = self.text_cell(inner, depth);
                return Some(BuiltCell { content, settings });
            }
            Definition::DocumentTableDefinitionNumber(_) | Definition::DocumentTableDefinitionRating(_) => {
                DocumentTableValue::Number(
                    plain_text(inner)?
                        .parse()
                        .ok()
                        .filter(|number: &f64| number.is_finite())?,
                )
            }
            Definition::DocumentTableDefinitionCheckbox(_) => {
                DocumentTableValue::Boolean(plain_text(inner)?.parse().ok()?)
            }
            Definition::DocumentTableDefinitionFiles(_) => {
                let (targets, labels) = link_targets(inner)?;
                settings.labels = labels;
                let files: Option<Vec<String>> = targets.iter().map(|target| self.file_id(target)).collect();
                DocumentTableValue::Array(files?)
            }
            Definition::DocumentTableDefinitionUsers(_) => {
                let (targets, labels) = link_targets(inner)?;
                settings.labels = labels;
                let targets: Option<Vec<String>> = targets.into_iter().map(|target| bounded_id(&target)).collect();
                DocumentTableValue::Array(targets?)
            }
            Definition::DocumentTableDefinitionSelect(select) => {
                let (values, labels) = selected_options(inner, &select.options)?;
                settings.labels = labels;
                DocumentTableValue::Array(values)
            }
            Definition::DocumentTableDefinitionContentRef(_) => {
                let (targets, labels) = link_targets(inner)?;
                settings.labels = labels;
                let [target] = <[String; 1]>::try_from(targets).ok()?;
                object_value(DocumentTableObjectValue::ContentRef(
                    self.resolve(ReferenceRole::Link, &target)?,
                ))
            }
            Definition::DocumentTableDefinitionImage(_) => self.image_cell(inner, &mut settings)?,
        };
        let content = TableCell::Value(value);
        Some(BuiltCell { content, settings })
    }

    fn text_cell(&mut self, inner: HtmlSlice<'_>, depth: usize) -> TableCell {
        if !inner.has_blocks() {
            return pipe_tables::text_cell(self.inlines_of(inline_tokens::from_html(inner.tokens()), depth));
        }
        TableCell::Text(self.html_blocks(inner, ContainerKind::Cell, depth))
    }

    /// The id of a file of the space. What names no such file is kept as it is written.
    fn file_id(&mut self, target: &str) -> Option<String> {
        match self.resolve(ReferenceRole::File, target) {
            Some(ContentRef::ContentRefFile(it)) if it.space.is_none() => Some(it.file),
            _ => bounded_id(target),
        }
    }

    /// `<img src="…" alt="…" data-object-fit="cover">`, or a link to an image without options.
    fn image_cell(&mut self, inner: HtmlSlice<'_>, settings: &mut CellSettings) -> Option<DocumentTableValue> {
        if let Some((targets, labels)) = link_targets(inner) {
            settings.labels = labels;
            let [target] = <[String; 1]>::try_from(targets).ok()?;
            let reference = match into_media(self.resolve(ReferenceRole::Media, &target)?)? {
                ContentRefMedia::ContentRefFile(file) => ContentRef::ContentRefFile(file),
                ContentRefMedia::ContentRefUrl(url) => ContentRef::ContentRefUrl(url),
            };
            return Some(object_value(DocumentTableObjectValue::ContentRef(reference)));
        }
        let (HtmlToken::Open(image), rest) = inner.first()? else {
            return None;
        };
        let mut attributes = image.attributes.clone();
        let target = attributes.take("src")?;
        let alt = attributes
            .take_bounded("alt", MAX_ALT_LENGTH)
            .filter(|alt| !alt.is_empty());
        let object_fit = attributes.take_parsed("data-object-fit", parse_enum_name);
        (image.name == "img" && rest.is_blank() && attributes.all_consumed()).then_some(())?;
        Some(object_value(DocumentTableObjectValue::DocumentTableImageRecord(
            DocumentTableImageRecord {
                r#ref: into_media(self.resolve(ReferenceRole::Media, &target)?)?,
                object_fit,
                alt,
            },
        )))
    }
}

fn object_value(value: DocumentTableObjectValue) -> DocumentTableValue {
    DocumentTableValue::Object(Box::new(value))
}

fn view(attributes: &mut Attributes) -> Option<TableView> {
    match attributes.take("data-view").as_deref() {
        None | Some("grid") => Some(TableView::Grid(GridView {
            hide_header: attributes.take_flag("data-header-hidden").unwrap_or_default(),
            new_sizing: attributes.take_flag("data-new-sizing"),
            sticky_header: attributes.take_flag("data-header-sticky"),
            sticky_first_column: attributes.take_flag("data-first-column-sticky"),
        })),
        Some("cards") => Some(TableView::Cards {
            size: match attributes.take("data-card-size") {
                Some(size) => parse_enum_name(&size)?,
                None => DocumentTableViewCardsCardSize::Medium,
            },
            hide_titles: attributes.take_flag("data-column-title-hidden"),
            wrap: attributes.take_flag("data-card-wrap"),
        }),
        Some(_) => None,
    }
}

type Cells<'h> = Vec<(&'h HtmlElement, HtmlSlice<'h>)>;

struct TableParts<'h> {
    caption: Option<HtmlSlice<'h>>,
    header: Option<Cells<'h>>,
    rows: Vec<Cells<'h>>,
}

/// Returns the parts of a table; `None` if the table contains anything else. The rows of its foot are the last ones.
fn table_parts(inner: HtmlSlice<'_>) -> Option<TableParts<'_>> {
    let (mut caption, mut header) = (None, None);
    let (mut rows, mut foot) = (Vec::new(), Vec::new());
    for (section, inner) in inner.elements_of(&["caption", "colgroup", "thead", "tbody", "tfoot", "tr"])? {
        if section.name == "caption" {
            (caption.is_none() && section.attributes.all_consumed()).then_some(())?;
            caption = Some(inner);
            continue;
        }
        if section.name == "colgroup" {
            continue;
        }
        if section.name == "tr" {
            section.attributes.all_consumed().then_some(())?;
            rows.push(inner.elements_of(&["td", "th"])?);
            continue;
        }
        section.attributes.all_consumed().then_some(())?;
        for (row, inner) in inner.elements("tr")? {
            row.attributes.all_consumed().then_some(())?;
            match section.name.as_str() {
                "thead" if header.is_none() && rows.is_empty() => header = Some(inner.elements_of(&["th", "td"])?),
                "tfoot" => foot.push(inner.elements_of(&["td", "th"])?),
                _ => rows.push(inner.elements_of(&["td", "th"])?),
            }
        }
    }
    let is_header = |cells: &Cells<'_>| !cells.is_empty() && cells.iter().all(|(cell, _)| cell.name == "th");
    if header.is_none() && rows.first().is_some_and(is_header) {
        header = Some(rows.remove(0));
    }
    rows.append(&mut foot);
    Some(TableParts { caption, header, rows })
}

/// Parses the number of columns or rows that a cell takes.
fn column_span(span: &str) -> Option<usize> {
    let span = span.parse::<u16>().ok().filter(|span| (1..=1000).contains(span));
    span.map(usize::from)
}

/// Returns the number of columns that the cells of a row take.
fn row_width(row: &Cells<'_>) -> usize {
    let width = |element: &HtmlElement| {
        element
            .attributes
            .clone()
            .take_parsed("colspan", column_span)
            .unwrap_or(1)
    };
    row.iter().map(|(element, _)| width(element)).sum()
}

/// Returns a column, and the number of columns that its title spans.
fn column(element: &HtmlElement, inner: HtmlSlice<'_>) -> Option<(TableColumn, usize)> {
    let mut attributes = element.attributes.clone();
    let span = attributes.take_parsed("colspan", column_span).unwrap_or(1);
    attributes.take_parsed("rowspan", column_span);
    let (title, options) = column_title(inner)?;
    (title.chars().count() <= MAX_TITLE_LENGTH).then_some(())?;
    let kind = attributes.take("data-type");
    let kind = kind
        .as_deref()
        .unwrap_or(if options.is_some() { "select" } else { "text" });
    let mut definition = definition(kind, title, &mut attributes)?;
    if let Some((options, multiple)) = options {
        let DocumentTableDefinition::DocumentTableDefinitionSelect(select) = &mut definition else {
            return None;
        };
        select.options = options;
        select.multiple |= multiple;
    }
    let mut column = TableColumn::new(definition);
    column.width = attributes.take_parsed("width", |width| {
        width.parse().ok().filter(|width| (0.0..=MAX_WIDTH).contains(width))
    });
    column.hidden = attributes.take_flag("data-hidden").unwrap_or_default();
    column.is_target = attributes.take_flag("data-card-target").unwrap_or_default();
    column.is_cover = attributes.take_flag("data-card-cover").unwrap_or_default();
    column.is_dark_cover = attributes.take_flag("data-card-cover-dark").unwrap_or_default();
    attributes.all_consumed().then_some((column, span))
}

type SelectOptions = (Vec<DocumentTableSelectOption>, bool);

/// Returns the title of a column, and the options of `<select>` in it. A title is plain text, with the targets of links.
fn column_title(inner: HtmlSlice<'_>) -> Option<(String, Option<SelectOptions>)> {
    let mut tokens = Vec::new();
    let mut options = None;
    let mut rest = inner;
    while let Some(token) = rest.tokens().first() {
        match token {
            HtmlToken::Open(element) if element.name == "select" => {
                let (inner, after) = rest.first_element("select")?;
                let mut attributes = element.attributes.clone();
                let multiple = attributes.take_flag("multiple").unwrap_or_default();
                attributes.all_consumed().then_some(())?;
                options = Some((select_options(inner)?, multiple));
                rest = after;
                continue;
            }
            HtmlToken::Open(element) if is_title_style(&element.name) => {
                element.attributes.all_consumed().then_some(())?;
            }
            HtmlToken::Close { name, .. } if is_title_style(name) => {}
            token => tokens.push(token.clone()),
        }
        rest = rest.after();
    }
    let title = inline_elements::plain_text(&inline_tokens::from_html(&tokens))?;
    Some((title, options))
}

fn is_title_style(name: &str) -> bool {
    matches!(
        name,
        "strong" | "b" | "em" | "i" | "code" | "p" | "kbd" | "del" | "sup" | "sub"
    )
}

/// `<option value="…" label="…" color="…"></option>`
fn select_options(inner: HtmlSlice<'_>) -> Option<Vec<DocumentTableSelectOption>> {
    let mut options = Vec::new();
    for (element, inner) in inner.elements("option")? {
        let mut attributes = element.attributes.clone();
        let value = attributes.take_bounded("value", MAX_OPTION_LENGTH)?;
        let label = attributes.take_bounded("label", MAX_TITLE_LENGTH);
        let color = attributes.take_bounded("color", MAX_COLOR_LENGTH).unwrap_or_default();
        let words = plain_text(inner)?;
        attributes.all_consumed().then_some(())?;
        options.push(DocumentTableSelectOption {
            label: label.filter(|label| !label.is_empty()).unwrap_or(words),
            value,
            color,
        });
    }
    (options.len() <= MAX_OPTIONS).then_some(options)
}

fn definition(kind: &str, title: String, attributes: &mut Attributes) -> Option<DocumentTableDefinition> {
    let id = String::new();
    let mut multiple = || attributes.take_flag("data-multiple").unwrap_or_default();
    macro_rules! plain {
        ($kind:ident) => {
            DocumentTableDefinition::$kind($kind {
                id,
                title,
                r#type: Default::default(),
            })
        };
    }
    Some(match kind {
        "text" => {
            let alignment = attributes.take_parsed("align", parse_enum_name);
            DocumentTableDefinition::DocumentTableDefinitionText(DocumentTableDefinitionText {
                id,
                title,
                r#type: Default::default(),
                text_alignment: alignment.unwrap_or(DocumentTableDefinitionTextTextAlignment::Left),
                vertical_alignment: attributes.take_parsed("valign", parse_enum_name),
            })
        }
        "number" => plain!(DocumentTableDefinitionNumber),
        "checkbox" => plain!(DocumentTableDefinitionCheckbox),
        "files" => plain!(DocumentTableDefinitionFiles),
        "content-ref" => plain!(DocumentTableDefinitionContentRef),
        "image" => plain!(DocumentTableDefinitionImage),
        "users" => DocumentTableDefinition::DocumentTableDefinitionUsers(DocumentTableDefinitionUsers {
            id,
            title,
            r#type: Default::default(),
            multiple: multiple(),
        }),
        "rating" => {
            let max = attributes.take_parsed("data-max", |max| {
                max.parse().ok().filter(|max| (1..=1000).contains(max))
            });
            DocumentTableDefinition::DocumentTableDefinitionRating(DocumentTableDefinitionRating {
                id,
                title,
                r#type: Default::default(),
                max: max.unwrap_or(5),
            })
        }
        "select" => DocumentTableDefinition::DocumentTableDefinitionSelect(DocumentTableDefinitionSelect {
            id,
            title,
            r#type: Default::default(),
            multiple: multiple(),
            options: attributes.take_parsed("data-options", options).unwrap_or_default(),
        }),
        _ => return None,
    })
}

fn options(json: &str) -> Option<Vec<DocumentTableSelectOption>> {
    let options: Vec<DocumentTableSelectOption> = serde_json::from_str(json).ok()?;
    (options.len() <= MAX_OPTIONS).then_some(options)
}

/// Returns the text of a cell that contains only text.
fn plain_text(inner: HtmlSlice<'_>) -> Option<String> {
    inline_elements::plain_text(&inline_tokens::from_html(inner.tokens()))
}

/// `<a href="…">…</a> <a href="…">…</a>`: the targets, and the words if there are others than the targets.
fn link_targets(inner: HtmlSlice<'_>) -> Option<(Vec<String>, Vec<String>)> {
    let (mut targets, mut labels) = (Vec::new(), Vec::new());
    for (element, inner) in inner.elements("a")? {
        let mut attributes = element.attributes.clone();
        let target = attributes.take("href")?;
        let label = inline_elements::plain_text(&inline_tokens::from_html(inner.tokens()))?;
        (attributes.all_consumed() && label.chars().count() <= MAX_LABEL_LENGTH).then_some(())?;
        targets.push(target);
        labels.push(label);
    }
    Some((targets.clone(), own_words(labels, &targets)))
}

/// Returns the words if any of them are others than the expected ones. Missing words count as the expected ones.
fn own_words(labels: Vec<String>, expected: &[String]) -> Vec<String> {
    let own = |(label, expected): (&String, &String)| !label.is_empty() && label != expected;
    match labels.iter().zip(expected).any(own) {
        true => labels,
        false => Vec::new(),
    }
}

/// `<span data-option="value">Label</span>`: the values, and the words if there are others than the labels of the options.
fn selected_options(inner: HtmlSlice<'_>, options: &[DocumentTableSelectOption]) -> Option<(Vec<String>, Vec<String>)> {
    let (mut values, mut labels, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for (element, inner) in inner.elements("span")? {
        let mut attributes = element.attributes.clone();
        let value = attributes.take_bounded("data-option", MAX_ID_LENGTH)?;
        let label = inline_elements::plain_text(&inline_tokens::from_html(inner.tokens()))?;
        (attributes.all_consumed() && label.chars().count() <= MAX_LABEL_LENGTH).then_some(())?;
        let option = options.iter().find(|option| option.value == value);
        let expected_label = option.map_or(&value, |option| &option.label).clone();
        // The value stands for its label.
        labels.push(if label == value { expected_label.clone() } else { label });
        expected.push(expected_label);
        values.push(value);
    }
    Some((values, own_words(labels, &expected)))
}

fn bounded_id(target: &str) -> Option<String> {
    (target.chars().count() <= MAX_ID_LENGTH).then(|| target.to_owned())
}
