//! The plain text of a document by section, for search.

use openapi::models::{
    BlockCode, BlockExpandable, BlockImages, BlockListItem, BlockTable, CodeLineInline, CodeLineNode, Document,
    DocumentBlock, DocumentBlockKind, ExpandableFragment, Inline, InlineAnnotation, InlineNode, Text,
};

use super::nodes::{
    plain_text, table_cells,
    table_layout::{self, FragmentIndexes},
    unions::BlockUnion,
};

/// The text under one heading, up to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSection {
    /// Anchor of the heading; `None` for the text before the first heading.
    pub anchor: Option<String>,
    pub title: String,
    /// Lines, separated by one line end.
    pub body: String,
}

/// Returns the plain text by section. A heading in a container, such as a tab, begins a section that ends with the
/// container.
pub fn extract_sections(document: &Document) -> Vec<TextSection> {
    let mut collector = SectionCollector::default();
    collector.blocks(&document.nodes);
    collector.finish()
}

/// Collects the plain text of a document block by block.
pub struct SectionCollector {
    sections: Vec<TextSection>,
    /// Index of the current section.
    current: usize,
}

impl Default for SectionCollector {
    fn default() -> Self {
        Self {
            sections: vec![TextSection::default()],
            current: 0,
        }
    }
}

impl SectionCollector {
    pub fn add(&mut self, block: &DocumentBlock) {
        self.block(block);
    }

    pub fn finish(self) -> Vec<TextSection> {
        let mut sections = self.sections;
        sections.retain(|section| section.anchor.is_some() || !section.title.is_empty() || !section.body.is_empty());
        sections
    }

    /// Adds the blocks of a container: text after the container belongs to the section before it.
    fn container<F: BlockUnion>(&mut self, blocks: Option<&[F]>) {
        let outer = self.current;
        self.blocks(blocks.unwrap_or_default());
        self.current = outer;
    }

    fn blocks<F: BlockUnion>(&mut self, blocks: &[F]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block<F: BlockUnion>(&mut self, block: &F) {
        match block.kind() {
            DocumentBlockKind::BlockParagraph(it) => self.line(it.nodes.as_deref()),
            DocumentBlockKind::BlockHeading1(it) => self.heading(block, it.nodes.as_deref()),
            DocumentBlockKind::BlockHeading2(it) => self.heading(block, it.nodes.as_deref()),
            DocumentBlockKind::BlockHeading3(it) => self.heading(block, it.nodes.as_deref()),
            DocumentBlockKind::BlockListOrdered(it) => self.items(it.nodes.as_deref()),
            DocumentBlockKind::BlockListUnordered(it) => self.items(it.nodes.as_deref()),
            DocumentBlockKind::BlockListTasks(it) => self.items(it.nodes.as_deref()),
            DocumentBlockKind::BlockBlockquote(it) => self.container(it.nodes.as_deref()),
            DocumentBlockKind::BlockHint(it) => self.container(it.nodes.as_deref()),
            DocumentBlockKind::BlockIf(it) => self.container(it.nodes.as_deref()),
            DocumentBlockKind::BlockImages(it) => self.images(it),
            DocumentBlockKind::BlockCode(it) => self.code(it),
            DocumentBlockKind::BlockMath(it) => self.push(&it.data.formula),
            DocumentBlockKind::BlockExpandable(it) => self.expandable(it),
            DocumentBlockKind::BlockTabs(it) => {
                for tab in it.nodes.iter().flatten() {
                    self.push(tab.data.title.as_deref().unwrap_or_default());
                    self.container(tab.nodes.as_deref());
                }
            }
            DocumentBlockKind::BlockStepper(it) => {
                for step in it.nodes.iter().flatten() {
                    self.container(step.nodes.as_deref());
                }
            }
            DocumentBlockKind::BlockUpdates(it) => {
                for update in it.nodes.iter().flatten() {
                    self.container(update.nodes.as_deref());
                }
            }
            DocumentBlockKind::BlockPrompt(it) => {
                self.push(&it.data.description);
                self.container(it.nodes.as_deref());
            }
            DocumentBlockKind::BlockColumns(it) => {
                for column in it.nodes.iter().flatten() {
                    self.container(column.nodes.as_deref());
                }
            }
            DocumentBlockKind::BlockTable(it) => self.table(it),
            DocumentBlockKind::BlockSwagger(it) => self.push(&format!("{} {}", it.data.method, it.data.path)),
            DocumentBlockKind::BlockOpenApiOperation(it) => self.push(&format!("{} {}", it.data.method, it.data.path)),
            DocumentBlockKind::BlockOpenApiSchemas(it) => self.push(&it.data.schemas.join(" ")),
            DocumentBlockKind::BlockOpenApiWebhook(it) => self.push(&it.data.name),
            DocumentBlockKind::BlockDrawing(it) => self.push(it.data.alt.as_deref().unwrap_or_default()),
            DocumentBlockKind::BlockContentRef(it) => self.push(it.data.text.as_deref().unwrap_or_default()),
            // Blocks without text.
            DocumentBlockKind::BlockDivider(_)
            | DocumentBlockKind::BlockFile(_)
            | DocumentBlockKind::BlockEmbed(_)
            | DocumentBlockKind::BlockIntegration(_)
            | DocumentBlockKind::BlockReusableContent(_) => {}
        }
    }

    fn push(&mut self, line: &str) {
        let line = line.trim();
        if let Some(section) = self.sections.get_mut(self.current).filter(|_| !line.is_empty()) {
            if !section.body.is_empty() {
                section.body.push('\n');
            }
            section.body.push_str(line);
        }
    }

    fn heading<F: BlockUnion>(&mut self, block: &F, nodes: Option<&[InlineNode]>) {
        let title = inline_text(nodes.unwrap_or_default());
        self.current = self.sections.len();
        self.sections.push(TextSection {
            anchor: block.as_node().anchor_id().map(str::to_owned),
            title: title.split_whitespace().collect::<Vec<&str>>().join(" "),
            body: String::new(),
        });
        self.annotation_bodies(nodes);
    }

    fn line(&mut self, nodes: Option<&[InlineNode]>) {
        self.push(&inline_text(nodes.unwrap_or_default()));
        self.annotation_bodies(nodes);
    }

    /// Adds the bodies of annotations after the line that contains them.
    fn annotation_bodies(&mut self, nodes: Option<&[InlineNode]>) {
        for node in nodes.unwrap_or_default() {
            if let InlineNode::Inline(Inline::InlineAnnotation(annotation)) = node {
                self.annotation_body(annotation);
            }
        }
    }

    fn annotation_body(&mut self, annotation: &InlineAnnotation) {
        for body in &annotation.fragments {
            self.container(Some(&body.nodes));
        }
    }

    fn items(&mut self, items: Option<&[BlockListItem]>) {
        for item in items.unwrap_or_default() {
            self.container(item.nodes.as_deref());
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
                ExpandableFragment::ExpandableBodyFragment(body) => self.container(Some(&body.nodes)),
            }
        }
    }

    fn code(&mut self, code: &BlockCode) {
        self.push(code.data.title.as_deref().unwrap_or_default());
        let mut annotations = Vec::new();
        for line in code.nodes.iter().flatten() {
            let mut text = String::new();
            for node in line.nodes.iter().flatten() {
                match node {
                    CodeLineNode::Text(node) => append_text(node, &mut text),
                    CodeLineNode::CodeLineInline(CodeLineInline::InlineExpression(it)) => {
                        text.push_str(&it.data.expression);
                    }
                    CodeLineNode::CodeLineInline(CodeLineInline::InlineAnnotation(it)) => {
                        it.nodes.iter().flatten().for_each(|node| append_text(node, &mut text));
                        annotations.push(it);
                    }
                }
            }
            self.push(&text);
        }
        for annotation in annotations {
            self.annotation_body(annotation);
        }
    }

    /// Adds a line of column titles and one for each row.
    fn table(&mut self, table: &BlockTable) {
        let columns = table_layout::columns(table);
        let definitions = columns.iter().filter_map(|column| table.data.definition.get(*column));
        self.push(&join_non_blank(
            definitions.map(|definition| table_cells::title(definition).to_owned()),
        ));
        let names = FragmentIndexes::of(table);
        for record in table_layout::sorted_records(table) {
            let row = columns.iter().filter_map(|column| {
                if let Some(name) = table_layout::text_fragment_name(table, record, column) {
                    let fragment = table.fragments.get(names.get(name)?)?;
                    return Some(cell_text(&fragment.nodes));
                }
                let settings = record.cells.as_ref().and_then(|cells| cells.get(column));
                if let Some(labels) = settings.and_then(|cell| cell.labels.as_deref()) {
                    return Some(labels.join(" "));
                }
                table_cells::plain_text(
                    table.data.definition.get(*column)?,
                    table_layout::value(record, column)?,
                )
            });
            self.push(&join_non_blank(row));
        }
    }
}

/// Returns the text of inlines. Neighbouring buttons, images and mentions are separate words.
fn inline_text(nodes: &[InlineNode]) -> String {
    let mut text = String::new();
    let mut is_after_object = false;
    for node in nodes {
        let part = plain_text::of_inlines(std::slice::from_ref(node));
        let is_object = matches!(
            node,
            InlineNode::Inline(Inline::InlineButton(_) | Inline::InlineImage(_) | Inline::InlineMention(_))
        );
        if (is_object || is_after_object)
            && text.ends_with(char::is_alphanumeric)
            && part.starts_with(char::is_alphanumeric)
        {
            text.push(' ');
        }
        text.push_str(&part);
        is_after_object = is_object && !part.is_empty() || is_after_object && part.is_empty();
    }
    text
}

/// Returns the text of a cell in one line. Headings in cells are no sections.
fn cell_text(blocks: &[DocumentBlock]) -> String {
    let mut inner = SectionCollector::default();
    inner.blocks(blocks);
    let lines = inner
        .finish()
        .into_iter()
        .flat_map(|section| [section.title, section.body]);
    join_non_blank(lines).replace('\n', " ")
}

fn join_non_blank(lines: impl Iterator<Item = String>) -> String {
    let some: Vec<String> = lines.filter(|line| !line.trim().is_empty()).collect();
    some.join(" ")
}

fn append_text(node: &Text, text: &mut String) {
    text.extend(node.leaves.iter().map(|leaf| leaf.text.as_str()));
}
