//! The words of a document, for search.

use openapi::models::{
    BlockCode, BlockExpandable, BlockImages, BlockListItem, BlockTable, CodeLineInline, CodeLineNode, Document,
    DocumentBlock, ExpandableFragment, Inline, InlineAnnotation, InlineNode, Text,
};

use super::nodes::{
    plain_text, table_cells, table_layout,
    unions::{Family, Kind},
};

/// What stands under one heading, up to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// That of the heading; none for what stands before the first one.
    pub anchor: Option<String>,
    pub title: String,
    /// Lines, with one end of a line between them.
    pub body: String,
}

/// The words of a document by section. A heading within something else, such as a tab, begins a section that ends with it.
pub fn text(document: &Document) -> Vec<Section> {
    let mut words = Words {
        sections: vec![Section::default()],
        current: 0,
    };
    words.blocks(&document.nodes);
    let mut sections = words.sections;
    sections.retain(|section| section.anchor.is_some() || !section.title.is_empty() || !section.body.is_empty());
    sections
}

struct Words {
    sections: Vec<Section>,
    /// The one that goes on.
    current: usize,
}

impl Words {
    /// Blocks in a container: what follows the container belongs to the section before it.
    fn inside<F: Family>(&mut self, blocks: Option<&[F]>) {
        let outer = self.current;
        self.blocks(blocks.unwrap_or_default());
        self.current = outer;
    }

    fn blocks<F: Family>(&mut self, blocks: &[F]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block<F: Family>(&mut self, block: &F) {
        match block.kind() {
            Kind::BlockParagraph(it) => self.line(it.nodes.as_deref()),
            Kind::BlockHeading1(it) => self.heading(block, it.nodes.as_deref()),
            Kind::BlockHeading2(it) => self.heading(block, it.nodes.as_deref()),
            Kind::BlockHeading3(it) => self.heading(block, it.nodes.as_deref()),
            Kind::BlockListOrdered(it) => self.items(it.nodes.as_deref()),
            Kind::BlockListUnordered(it) => self.items(it.nodes.as_deref()),
            Kind::BlockListTasks(it) => self.items(it.nodes.as_deref()),
            Kind::BlockBlockquote(it) => self.inside(it.nodes.as_deref()),
            Kind::BlockHint(it) => self.inside(it.nodes.as_deref()),
            Kind::BlockIf(it) => self.inside(it.nodes.as_deref()),
            Kind::BlockImages(it) => self.images(it),
            Kind::BlockCode(it) => self.code(it),
            Kind::BlockMath(it) => self.push(&it.data.formula),
            Kind::BlockExpandable(it) => self.expandable(it),
            Kind::BlockTabs(it) => {
                for tab in it.nodes.iter().flatten() {
                    self.push(tab.data.title.as_deref().unwrap_or_default());
                    self.inside(tab.nodes.as_deref());
                }
            }
            Kind::BlockStepper(it) => {
                for step in it.nodes.iter().flatten() {
                    self.inside(step.nodes.as_deref());
                }
            }
            Kind::BlockColumns(it) => {
                for column in it.nodes.iter().flatten() {
                    self.inside(column.nodes.as_deref());
                }
            }
            Kind::BlockTable(it) => self.table(it),
            Kind::BlockSwagger(it) => self.push(&format!("{} {}", it.data.method, it.data.path)),
            Kind::BlockOpenApiOperation(it) => self.push(&format!("{} {}", it.data.method, it.data.path)),
            Kind::BlockOpenApiSchemas(it) => self.push(&it.data.schemas.join(" ")),
            Kind::BlockOpenApiWebhook(it) => self.push(&it.data.name),
            // These have no words of their own.
            Kind::BlockDivider(_)
            | Kind::BlockFile(_)
            | Kind::BlockDrawing(_)
            | Kind::BlockEmbed(_)
            | Kind::BlockContentRef(_)
            | Kind::BlockIntegration(_)
            | Kind::BlockReusableContent(_) => {}
        }
    }

    fn push(&mut self, words: &str) {
        let words = words.trim();
        if let Some(section) = self.sections.get_mut(self.current).filter(|_| !words.is_empty()) {
            if !section.body.is_empty() {
                section.body.push('\n');
            }
            section.body.push_str(words);
        }
    }

    fn heading<F: Family>(&mut self, block: &F, nodes: Option<&[InlineNode]>) {
        let title = plain_text::of_line(nodes.unwrap_or_default());
        self.current = self.sections.len();
        self.sections.push(Section {
            anchor: block.as_node().anchor_id().map(str::to_owned),
            title: title.split_whitespace().collect::<Vec<&str>>().join(" "),
            body: String::new(),
        });
        self.explanations(nodes);
    }

    fn line(&mut self, nodes: Option<&[InlineNode]>) {
        self.push(&plain_text::of_line(nodes.unwrap_or_default()));
        self.explanations(nodes);
    }

    /// What annotations explain comes after the line that they stand in.
    fn explanations(&mut self, nodes: Option<&[InlineNode]>) {
        for node in nodes.unwrap_or_default() {
            if let InlineNode::Inline(Inline::InlineAnnotation(annotation)) = node {
                self.explanation(annotation);
            }
        }
    }

    fn explanation(&mut self, annotation: &InlineAnnotation) {
        for body in &annotation.fragments {
            self.inside(Some(&body.nodes));
        }
    }

    fn items(&mut self, items: Option<&[BlockListItem]>) {
        for item in items.unwrap_or_default() {
            self.inside(item.nodes.as_deref());
        }
    }

    fn images(&mut self, images: &BlockImages) {
        for image in images.nodes.iter().flatten() {
            self.push(image.data.alt.as_deref().unwrap_or_default());
            for paragraph in image.fragments.iter().flat_map(|caption| &caption.nodes) {
                self.line(paragraph.nodes.as_deref());
            }
        }
    }

    fn expandable(&mut self, expandable: &BlockExpandable) {
        for fragment in &expandable.fragments {
            match fragment {
                ExpandableFragment::ExpandableTitleFragment(title) => {
                    for paragraph in &title.nodes {
                        self.line(paragraph.nodes.as_deref());
                    }
                }
                ExpandableFragment::ExpandableBodyFragment(body) => self.inside(Some(&body.nodes)),
            }
        }
    }

    fn code(&mut self, code: &BlockCode) {
        self.push(code.data.title.as_deref().unwrap_or_default());
        let mut annotations = Vec::new();
        for line in code.nodes.iter().flatten() {
            let mut words = String::new();
            for node in line.nodes.iter().flatten() {
                match node {
                    CodeLineNode::Text(text) => add(text, &mut words),
                    CodeLineNode::CodeLineInline(CodeLineInline::InlineExpression(it)) => {
                        words.push_str(&it.data.expression);
                    }
                    CodeLineNode::CodeLineInline(CodeLineInline::InlineAnnotation(it)) => {
                        it.nodes.iter().flatten().for_each(|text| add(text, &mut words));
                        annotations.push(it);
                    }
                }
            }
            self.push(&words);
        }
        for annotation in annotations {
            self.explanation(annotation);
        }
    }

    /// A line of titles, and one for each row.
    fn table(&mut self, table: &BlockTable) {
        let columns = table_layout::columns(table);
        let definitions = columns.iter().filter_map(|column| table.data.definition.get(*column));
        self.push(&joined(
            definitions.map(|definition| table_cells::title(definition).to_owned()),
        ));
        let names = table_layout::by_name(table);
        for record in table_layout::records(table) {
            let row = columns.iter().filter_map(|column| {
                if let Some(name) = table_layout::text_of_cell(table, record, column) {
                    let fragment = table.fragments.get(*names.get(name)?)?;
                    return Some(of_cell(&fragment.nodes));
                }
                table_cells::words(
                    table.data.definition.get(*column)?,
                    table_layout::value(record, column)?,
                )
            });
            self.push(&joined(row));
        }
        for fragment in &table.fragments {
            for block in &fragment.nodes {
                if let DocumentBlock::BlockParagraph(paragraph) = block {
                    self.explanations(paragraph.nodes.as_deref());
                }
            }
        }
    }
}

/// The words of a cell, which holds paragraphs, in one line.
fn of_cell(blocks: &[DocumentBlock]) -> String {
    let paragraphs = blocks.iter().map(|block| match block {
        DocumentBlock::BlockParagraph(paragraph) => plain_text::of_line(paragraph.nodes.as_deref().unwrap_or_default()),
        _ => String::new(),
    });
    joined(paragraphs).replace('\n', " ")
}

fn joined(words: impl Iterator<Item = String>) -> String {
    let some: Vec<String> = words.filter(|words| !words.trim().is_empty()).collect();
    some.join(" ")
}

fn add(text: &Text, words: &mut String) {
    words.extend(text.leaves.iter().map(|leaf| leaf.text.as_str()));
}
