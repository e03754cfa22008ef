//! Image blocks and drawings: `<figure>`, several of them in a `<div>`, `<img class="drawing">`.

use comrak::{Node, nodes::NodeLink};
use openapi::models::{
    BlockDrawing, BlockDrawingData, BlockImage, BlockImageData, BlockImages, BlockImagesData, BlockParagraph,
    CaptionFragment, ContentRef, DocumentBlock, InlineNode, Length,
};

use super::{
    MarkdownParser,
    attribute_values::{alignment, length},
    html_slice::HtmlSlice,
    inline_elements,
    inline_tokens::{self, ImageToken},
};
use crate::{
    nodes::{builders, enum_names::parse_enum_name},
    resolver::{ReferenceRole, into_media},
    syntax::html::{HtmlElement, HtmlToken},
};

/// Maximum length of alternative text in the contract.
const MAX_ALT_LENGTH: usize = 10_000;

impl<'a> MarkdownParser<'a, '_> {
    /// Parses a paragraph that contains only an image.
    pub(super) fn standalone_image(&mut self, node: Node<'a>, link: &NodeLink) -> Option<DocumentBlock> {
        let picture = self.picture(node, link);
        let fits = |text: &str| text.chars().count() <= MAX_ALT_LENGTH;
        match fits(&picture.alt) && fits(&picture.title) {
            true => self.images_block(&picture),
            false => None,
        }
    }

    /// Builds an images block from one image.
    fn images_block(&mut self, picture: &ImageToken) -> Option<DocumentBlock> {
        let caption = caption_paragraphs(&picture.title);
        let (alt, target) = (picture.alt.clone(), picture.target.clone());
        let image = self.block_image(&target, None, alt, None, None, caption)?;
        Some(images(vec![image], default_data()))
    }

    fn block_image(
        &mut self,
        target: &str,
        dark: Option<&str>,
        alt: String,
        width: Option<Length>,
        height: Option<Length>,
        caption: Vec<BlockParagraph>,
    ) -> Option<BlockImage> {
        let ref_dark = match dark {
            Some(dark) => Some(into_media(self.resolve(ReferenceRole::Media, dark)?)?),
            None => None,
        };
        let fragment = |nodes| CaptionFragment {
            object: Default::default(),
            key: None,
            fragment: Default::default(),
            r#type: None,
            nodes,
        };
        Some(BlockImage {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: Default::default(),
            data: BlockImageData {
                r#ref: into_media(self.resolve(ReferenceRole::Media, target)?)?,
                ref_dark,
                width,
                height,
                alt: Some(alt).filter(|alt| !alt.is_empty()),
            },
            fragments: (!caption.is_empty()).then(|| fragment(caption)).into_iter().collect(),
        })
    }

    /// `<div align="left"><figure>…</figure> <figure>…</figure></div>`
    pub(super) fn images_in_div(
        &mut self,
        element: &HtmlElement,
        inner: HtmlSlice<'_>,
        depth: usize,
    ) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let data = BlockImagesData {
            align: attributes.take_parsed("align", parse_enum_name),
            full_width: attributes.take_flag("data-full-width"),
            with_frame: attributes.take_flag("data-with-frame"),
        };
        attributes.all_consumed().then_some(())?;
        let mut nodes = Vec::new();
        for (figure, inner) in inner.elements("figure")? {
            nodes.push(self.figure(figure, inner, depth)?);
        }
        (!nodes.is_empty()).then(|| images(nodes, data))
    }

    /// `<figure><img src="…" alt="…"><figcaption>…</figcaption></figure>`
    pub(super) fn figure(&mut self, element: &HtmlElement, inner: HtmlSlice<'_>, depth: usize) -> Option<BlockImage> {
        element.attributes.all_consumed().then_some(())?;
        let (dark, image, caption) = figure_parts(inner)?;
        let mut attributes = image.attributes.clone();
        let target = attributes.take("src")?;
        let alt = attributes.take_bounded("alt", MAX_ALT_LENGTH).unwrap_or_default();
        let width = attributes.take_parsed("width", length);
        let height = attributes.take_parsed("height", length);
        attributes.all_consumed().then_some(())?;
        let caption = match caption {
            Some(caption) => self.caption(caption, depth)?,
            None => Vec::new(),
        };
        self.block_image(&target, dark.as_deref(), alt, width, height, caption)
    }

    fn caption(&mut self, caption: HtmlSlice<'_>, depth: usize) -> Option<Vec<BlockParagraph>> {
        if caption.is_blank() {
            return Some(Vec::new());
        }
        let Some(paragraphs) = caption.elements("p") else {
            let items = inline_tokens::from_html(caption.tokens());
            return Some(vec![builders::paragraph(self.inlines_of(items, depth))]);
        };
        let mut caption = Vec::new();
        for (element, inner) in paragraphs {
            let mut attributes = element.attributes.clone();
            let align = attributes.take_parsed("align", alignment);
            attributes.all_consumed().then_some(())?;
            caption.push(builders::aligned_paragraph(
                self.inlines_of(inline_tokens::from_html(inner.tokens()), depth),
                align,
            ));
        }
        Some(caption)
    }

    /// `<img src="…" alt="" class="drawing">`; other `<img>` elements are inline images.
    pub(super) fn drawing(&mut self, element: &HtmlElement) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let class = attributes.take("class")?;
        let target = attributes.take("src");
        let alt = attributes.take("alt").unwrap_or_default();
        let understood =
            class.ends_with("drawing") && alt.chars().count() <= MAX_ALT_LENGTH && attributes.all_consumed();
        understood.then_some(())?;
        let reference = match target.filter(|target| !target.is_empty()) {
            Some(target) => match self.resolve(ReferenceRole::File, &target)? {
                ContentRef::ContentRefFile(file) => Some(file),
                _ => return None,
            },
            None => None,
        };
        Some(
            BlockDrawing {
                object: Default::default(),
                r#type: Default::default(),
                key: None,
                is_void: Default::default(),
                data: BlockDrawingData {
                    r#ref: reference,
                    alt: Some(alt).filter(|alt| !alt.is_empty()),
                },
            }
            .into(),
        )
    }
}

/// Returns the dark variant, the image and the caption of a figure.
fn figure_parts(inner: HtmlSlice<'_>) -> Option<(Option<String>, &HtmlElement, Option<HtmlSlice<'_>>)> {
    let (dark, image, rest) = match inner.first()? {
        (HtmlToken::Open(image), rest) if image.name == "img" => (None, image, rest),
        (HtmlToken::Open(picture), _) if picture.name == "picture" && picture.attributes.all_consumed() => {
            let (picture, rest) = inner.first_element("picture")?;
            let (HtmlToken::Open(source), picture) = picture.first()? else {
                return None;
            };
            let (HtmlToken::Open(image), picture) = picture.first()? else {
                return None;
            };
            let understood = image.name == "img" && picture.is_blank();
            understood.then_some(())?;
            (Some(inline_elements::dark_source(source)?), image, rest)
        }
        _ => return None,
    };
    if rest.is_blank() {
        return Some((dark, image, None));
    }
    let (caption, rest) = rest.first_element("figcaption")?;
    rest.is_blank().then_some((dark, image, Some(caption)))
}

fn caption_paragraphs(title: &str) -> Vec<BlockParagraph> {
    match title.is_empty() {
        true => Vec::new(),
        false => vec![builders::paragraph(vec![InlineNode::Text(builders::plain_text(title))])],
    }
}

pub fn images(nodes: Vec<BlockImage>, data: BlockImagesData) -> DocumentBlock {
    BlockImages {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data,
        nodes: Some(nodes),
    }
    .into()
}

pub fn default_data() -> BlockImagesData {
    BlockImagesData {
        align: None,
        full_width: None,
        with_frame: None,
    }
}
