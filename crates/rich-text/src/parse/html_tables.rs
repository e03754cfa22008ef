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
    attribute_values::alignment,
    html_slice::HtmlSlice,
    inline_elements, inline_tokens, pipe_tables,
    table_builder::{TableBuilder, TableCell, TableColumn, TableView},
};
use crate::{
    nodes::{builders, enum_names::parse_enum_name},
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
const MAX_WIDTH: f64 = 100_000.0;

impl MarkdownParser<'_, '_> {
    pub(super) fn html_table(
        &mut self,
        element: &HtmlElement,
        inner: HtmlSlice<'_>,
        depth: usize,
    ) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let full_width = attributes.take_flag("data-full-width");
        let view = view(&mut attributes)?;
        attributes.all_consumed().then_some(())?;
        let (header, rows) = header_and_rows(inner)?;
        let mut columns = Vec::new();
        for (element, inner) in header {
            columns.push(column(element, inner)?);
        }
        let cells = columns.len().saturating_mul(rows.len());
        (columns.len() <= MAX_COLUMNS && cells <= self.limits.children).then_some(())?;
        let mut table_rows = Vec::new();
        for cells in rows {
            (cells.len() <= columns.len()).then_some(())?;
            let mut row = Vec::new();
            for ((element, inner), column) in cells.into_iter().zip(&columns) {
                element.attributes.all_consumed().then_some(())?;
                row.push(self.cell(&column.definition, inner, depth + 2)?);
            }
            table_rows.push(row);
        }
        let builder = TableBuilder {
            columns,
            rows: table_rows,
            view,
            full_width,
        };
        Some(builder.build())
    }

    fn cell(&mut self, definition: &DocumentTableDefinition, inner: HtmlSlice<'_>, depth: usize) -> Option<TableCell> {
        use DocumentTableDefinition as Definition;
        if inner.is_blank() {
            return Some(TableCell::Empty);
        }
        let value = match definition {
            Definition::DocumentTableDefinitionText(_) => return self.text_cell(inner, depth),
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
            Definition::DocumentTableDefinitionFiles(_) | Definition::DocumentTableDefinitionUsers(_) => {
                let targets: Option<Vec<String>> = link_targets(inner)?
                    .into_iter()
                    .map(|target| bounded_id(&target))
                    .collect();
                DocumentTableValue::Array(targets?)
            }
            Definition::DocumentTableDefinitionSelect(_) => DocumentTableValue::Array(selected_options(inner)?),
            Definition::DocumentTableDefinitionContentRef(_) => {
                let [target] = <[String; 1]>::try_from(link_targets(inner)?).ok()?;
                object_value(DocumentTableObjectValue::ContentRef(
                    self.resolve(ReferenceRole::Link, &target)?,
                ))
            }
            Definition::DocumentTableDefinitionImage(_) => self.image_cell(inner)?,
        };
        Some(TableCell::Value(value))
    }

    fn text_cell(&mut self, inner: HtmlSlice<'_>, depth: usize) -> Option<TableCell> {
        let Some(paragraphs) = inner.elements("p") else {
            return Some(pipe_tables::text_cell(
                self.inlines_of(inline_tokens::from_html(inner.tokens()), depth),
            ));
        };
        let mut blocks = Vec::new();
        for (element, inner) in paragraphs {
            let mut attributes = element.attributes.clone();
            let align = attributes.take_parsed("align", alignment);
            attributes.all_consumed().then_some(())?;
            blocks.push(
                builders::aligned_paragraph(self.inlines_of(inline_tokens::from_html(inner.tokens()), depth), align)
                    .into(),
            );
        }
        Some(TableCell::Text(blocks))
    }

    /// `<img src="…" alt="…" data-object-fit="cover">`, or a link to an image without options.
    fn image_cell(&mut self, inner: HtmlSlice<'_>) -> Option<DocumentTableValue> {
        if let Some(targets) = link_targets(inner) {
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
    DocumentTableValue::Object(value)
}

fn view(attributes: &mut Attributes) -> Option<TableView> {
    match attributes.take("data-view").as_deref() {
        None | Some("grid") => Some(TableView::Grid {
            hide_header: attributes.take_flag("data-header-hidden").unwrap_or_default(),
            new_sizing: attributes.take_flag("data-new-sizing"),
        }),
        Some("cards") => Some(TableView::Cards {
            size: match attributes.take("data-card-size") {
                Some(size) => parse_enum_name(&size)?,
                None => DocumentTableViewCardsCardSize::Medium,
            },
            hide_titles: attributes.take_flag("data-column-title-hidden"),
        }),
        Some(_) => None,
    }
}

type Cells<'h> = Vec<(&'h HtmlElement, HtmlSlice<'h>)>;

/// Returns the cells of the header and of each row; `None` if the table contains anything else.
fn header_and_rows(inner: HtmlSlice<'_>) -> Option<(Cells<'_>, Vec<Cells<'_>>)> {
    let mut header = None;
    let mut rows = Vec::new();
    for (section, inner) in inner.elements_of(&["thead", "tbody"])? {
        section.attributes.all_consumed().then_some(())?;
        for (row, inner) in inner.elements("tr")? {
            row.attributes.all_consumed().then_some(())?;
            match section.name.as_str() {
                "thead" if header.is_none() => header = Some(inner.elements("th")?),
                "tbody" => rows.push(inner.elements("td")?),
                _ => return None,
            }
        }
    }
    Some((header?, rows))
}

fn column(element: &HtmlElement, inner: HtmlSlice<'_>) -> Option<TableColumn> {
    let mut attributes = element.attributes.clone();
    let title = plain_text(inner).filter(|title| title.chars().count() <= MAX_TITLE_LENGTH)?;
    let kind = attributes.take("data-type");
    let definition = definition(kind.as_deref().unwrap_or("text"), title, &mut attributes)?;
    let mut column = TableColumn::new(definition);
    column.width = attributes.take_parsed("width", |width| {
        width.parse().ok().filter(|width| (0.0..=MAX_WIDTH).contains(width))
    });
    column.hidden = attributes.take_flag("data-hidden").unwrap_or_default();
    column.is_target = attributes.take_flag("data-card-target").unwrap_or_default();
    column.is_cover = attributes.take_flag("data-card-cover").unwrap_or_default();
    column.is_dark_cover = attributes.take_flag("data-card-cover-dark").unwrap_or_default();
    attributes.all_consumed().then_some(column)
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

/// `<a href="…">…</a> <a href="…">…</a>`, where the link text repeats the target.
fn link_targets(inner: HtmlSlice<'_>) -> Option<Vec<String>> {
    let mut targets = Vec::new();
    for (element, inner) in inner.elements("a")? {
        let mut attributes = element.attributes.clone();
        let target = attributes.take("href")?;
        let label = inline_elements::plain_text(&inline_tokens::from_html(inner.tokens()))?;
        (attributes.all_consumed() && target.contains(&label)).then_some(())?;
        targets.push(target);
    }
    Some(targets)
}

/// `<span data-option="value">Label</span>`; the label is part of the column definition.
fn selected_options(inner: HtmlSlice<'_>) -> Option<Vec<String>> {
    let mut values = Vec::new();
    for (element, inner) in inner.elements("span")? {
        let mut attributes = element.attributes.clone();
        let value = attributes.take_bounded("data-option", MAX_ID_LENGTH)?;
        (attributes.all_consumed() && inline_elements::plain_text(&inline_tokens::from_html(inner.tokens()))? == value)
            .then_some(())?;
        values.push(value);
    }
    Some(values)
}

fn bounded_id(target: &str) -> Option<String> {
    (target.chars().count() <= MAX_ID_LENGTH).then(|| target.to_owned())
}
