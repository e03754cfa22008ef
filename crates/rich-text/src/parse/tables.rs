//! Tables in HTML: with cards, hidden columns, widths and values of other types than text.

use openapi::models::{
    ContentRef, ContentRefMedia, DocumentBlock, DocumentTableDefinition, DocumentTableDefinitionCheckbox,
    DocumentTableDefinitionContentRef, DocumentTableDefinitionFiles, DocumentTableDefinitionImage,
    DocumentTableDefinitionNumber, DocumentTableDefinitionRating, DocumentTableDefinitionSelect,
    DocumentTableDefinitionText, DocumentTableDefinitionTextTextAlignment, DocumentTableDefinitionUsers,
    DocumentTableImageRecord, DocumentTableObjectValue, DocumentTableSelectOption, DocumentTableValue,
    DocumentTableViewCardsCardSize,
};

use super::{
    Reader,
    attribute_values::alignment,
    html_slice::Html,
    items, leaves, pipe_tables,
    table_builder::{Cell, Column, Draft, View},
};
use crate::{
    nodes::{enum_names::from_word, make, unions::Whole as _},
    references::{Role, media},
    syntax::{
        attributes::Attributes,
        html::{Element, Token},
    },
};

/// What the contract allows.
const TITLE: usize = 1000;
const COLUMNS: usize = 1000;
const ID: usize = 2048;
const DESCRIPTION: usize = 10_000;
const OPTIONS: usize = 1000;
const LARGEST_WIDTH: f64 = 100_000.0;

impl Reader<'_, '_> {
    pub(super) fn html_table(&mut self, element: &Element, inner: Html<'_>, depth: usize) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let full_width = attributes.take_flag("data-full-width");
        let view = view(&mut attributes)?;
        attributes.done().then_some(())?;
        let (header, rows) = header_and_rows(inner)?;
        let mut columns = Vec::new();
        for (element, inner) in header {
            columns.push(column(element, inner)?);
        }
        let cells = columns.len().saturating_mul(rows.len());
        (columns.len() <= COLUMNS && cells <= self.limits.children).then_some(())?;
        let mut made = Vec::new();
        for cells in rows {
            (cells.len() <= columns.len()).then_some(())?;
            let mut row = Vec::new();
            for ((element, inner), column) in cells.into_iter().zip(&columns) {
                element.attributes.done().then_some(())?;
                row.push(self.cell(&column.definition, inner, depth + 2)?);
            }
            made.push(row);
        }
        let draft = Draft {
            columns,
            rows: made,
            view,
            full_width,
        };
        Some(draft.block())
    }

    fn cell(&mut self, definition: &DocumentTableDefinition, inner: Html<'_>, depth: usize) -> Option<Cell> {
        use DocumentTableDefinition as Definition;
        if inner.is_blank() {
            return Some(Cell::Nothing);
        }
        let value = match definition {
            Definition::DocumentTableDefinitionText(_) => return self.text_cell(inner, depth),
            Definition::DocumentTableDefinitionNumber(_) | Definition::DocumentTableDefinitionRating(_) => {
                DocumentTableValue::Number(text(inner)?.parse().ok().filter(|number: &f64| number.is_finite())?)
            }
            Definition::DocumentTableDefinitionCheckbox(_) => DocumentTableValue::Boolean(text(inner)?.parse().ok()?),
            Definition::DocumentTableDefinitionFiles(_) | Definition::DocumentTableDefinitionUsers(_) => {
                let targets: Option<Vec<String>> = links(inner)?.into_iter().map(|target| id(&target)).collect();
                DocumentTableValue::Array(targets?)
            }
            Definition::DocumentTableDefinitionSelect(_) => DocumentTableValue::Array(chosen(inner)?),
            Definition::DocumentTableDefinitionContentRef(_) => {
                let [target] = <[String; 1]>::try_from(links(inner)?).ok()?;
                object(DocumentTableObjectValue::ContentRef(
                    self.reference(Role::Link, &target)?,
                ))
            }
            Definition::DocumentTableDefinitionImage(_) => self.image_cell(inner)?,
        };
        Some(Cell::Value(value))
    }

    fn text_cell(&mut self, inner: Html<'_>, depth: usize) -> Option<Cell> {
        let Some(paragraphs) = inner.elements("p") else {
            return Some(pipe_tables::cell_of(
                self.inlines_of(items::of_tokens(inner.tokens()), depth),
            ));
        };
        let mut blocks = Vec::new();
        for (element, inner) in paragraphs {
            let mut attributes = element.attributes.clone();
            let align = attributes.take_as("align", alignment);
            attributes.done().then_some(())?;
            blocks.push(make::aligned(self.inlines_of(items::of_tokens(inner.tokens()), depth), align).whole());
        }
        Some(Cell::Text(blocks))
    }

    /// `<img src="…" alt="…" data-object-fit="cover">`, or a link to a picture without settings.
    fn image_cell(&mut self, inner: Html<'_>) -> Option<DocumentTableValue> {
        if let Some(targets) = links(inner) {
            let [target] = <[String; 1]>::try_from(targets).ok()?;
            let reference = match media(self.reference(Role::Media, &target)?)? {
                ContentRefMedia::ContentRefFile(file) => ContentRef::ContentRefFile(file),
                ContentRefMedia::ContentRefUrl(url) => ContentRef::ContentRefUrl(url),
            };
            return Some(object(DocumentTableObjectValue::ContentRef(reference)));
        }
        let (Token::Open(image), rest) = inner.first()? else {
            return None;
        };
        let mut attributes = image.attributes.clone();
        let target = attributes.take("src")?;
        let alt = attributes.take_short("alt", DESCRIPTION).filter(|alt| !alt.is_empty());
        let object_fit = attributes.take_as("data-object-fit", from_word);
        (image.name == "img" && rest.is_blank() && attributes.done()).then_some(())?;
        Some(object(DocumentTableObjectValue::DocumentTableImageRecord(
            DocumentTableImageRecord {
                r#ref: media(self.reference(Role::Media, &target)?)?,
                object_fit,
                alt,
            },
        )))
    }
}

fn object(value: DocumentTableObjectValue) -> DocumentTableValue {
    DocumentTableValue::Object(value)
}

fn view(attributes: &mut Attributes) -> Option<View> {
    match attributes.take("data-view").as_deref() {
        None | Some("grid") => Some(View::Grid {
            hide_header: attributes.take_flag("data-header-hidden").unwrap_or_default(),
            new_sizing: attributes.take_flag("data-new-sizing"),
        }),
        Some("cards") => Some(View::Cards {
            size: match attributes.take("data-card-size") {
                Some(size) => from_word(&size)?,
                None => DocumentTableViewCardsCardSize::Medium,
            },
            hide_titles: attributes.take_flag("data-column-title-hidden"),
        }),
        Some(_) => None,
    }
}

type Cells<'h> = Vec<(&'h Element, Html<'h>)>;

/// The cells of the header and those of the rows, if there is nothing else.
fn header_and_rows(inner: Html<'_>) -> Option<(Cells<'_>, Vec<Cells<'_>>)> {
    let mut header = None;
    let mut rows = Vec::new();
    for (section, inner) in inner.elements_of(&["thead", "tbody"])? {
        section.attributes.done().then_some(())?;
        for (row, inner) in inner.elements("tr")? {
            row.attributes.done().then_some(())?;
            match section.name.as_str() {
                "thead" if header.is_none() => header = Some(inner.elements("th")?),
                "tbody" => rows.push(inner.elements("td")?),
                _ => return None,
            }
        }
    }
    Some((header?, rows))
}

fn column(element: &Element, inner: Html<'_>) -> Option<Column> {
    let mut attributes = element.attributes.clone();
    let title = text(inner).filter(|title| title.chars().count() <= TITLE)?;
    let kind = attributes.take("data-type");
    let definition = definition(kind.as_deref().unwrap_or("text"), title, &mut attributes)?;
    let mut column = Column::new(definition);
    column.width = attributes.take_as("width", |width| {
        width.parse().ok().filter(|width| (0.0..=LARGEST_WIDTH).contains(width))
    });
    column.hidden = attributes.take_flag("data-hidden").unwrap_or_default();
    column.is_target = attributes.take_flag("data-card-target").unwrap_or_default();
    column.is_cover = attributes.take_flag("data-card-cover").unwrap_or_default();
    column.is_dark_cover = attributes.take_flag("data-card-cover-dark").unwrap_or_default();
    attributes.done().then_some(column)
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
            let alignment = attributes.take_as("align", from_word);
            DocumentTableDefinition::DocumentTableDefinitionText(DocumentTableDefinitionText {
                id,
                title,
                r#type: Default::default(),
                text_alignment: alignment.unwrap_or(DocumentTableDefinitionTextTextAlignment::Left),
                vertical_alignment: attributes.take_as("valign", from_word),
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
            let max = attributes.take_as("data-max", |max| {
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
            options: attributes.take_as("data-options", options).unwrap_or_default(),
        }),
        _ => return None,
    })
}

fn options(json: &str) -> Option<Vec<DocumentTableSelectOption>> {
    let options: Vec<DocumentTableSelectOption> = serde_json::from_str(json).ok()?;
    (options.len() <= OPTIONS).then_some(options)
}

/// The text of a cell that has nothing else.
fn text(inner: Html<'_>) -> Option<String> {
    leaves::plain(&items::of_tokens(inner.tokens()))
}

/// `<a href="…">…</a> <a href="…">…</a>`; what stands in a link repeats its target.
fn links(inner: Html<'_>) -> Option<Vec<String>> {
    let mut targets = Vec::new();
    for (element, inner) in inner.elements("a")? {
        let mut attributes = element.attributes.clone();
        let target = attributes.take("href")?;
        let shown = leaves::plain(&items::of_tokens(inner.tokens()))?;
        (attributes.done() && target.contains(&shown)).then_some(())?;
        targets.push(target);
    }
    Some(targets)
}

/// `<span data-option="value">Label</span>`; the label stands in the definition.
fn chosen(inner: Html<'_>) -> Option<Vec<String>> {
    let mut values = Vec::new();
    for (element, inner) in inner.elements("span")? {
        let mut attributes = element.attributes.clone();
        let value = attributes.take_short("data-option", ID)?;
        (attributes.done() && leaves::plain(&items::of_tokens(inner.tokens()))? == value).then_some(())?;
        values.push(value);
    }
    Some(values)
}

fn id(target: &str) -> Option<String> {
    (target.chars().count() <= ID).then(|| target.to_owned())
}
