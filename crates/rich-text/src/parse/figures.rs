//! Pictures as blocks: `<figure>`, several of them in a `<div>`, drawings.

use comrak::{Node, nodes::NodeLink};
use openapi::models::{
    BlockDrawing, BlockDrawingData, BlockImage, BlockImageData, BlockImages, BlockImagesData, BlockParagraph,
    CaptionFragment, ContentRef, DocumentBlock, InlineNode, Length,
};

use super::{
    Reader,
    attribute_values::{alignment, length},
    html_slice::Html,
    items::{self, Picture},
    leaves,
};
use crate::{
    nodes::{enum_names::from_word, make, unions::Whole as _},
    references::{Role, media},
    syntax::html::{Element, Token},
};

/// What the contract allows for a description.
const DESCRIPTION: usize = 10_000;

impl<'a> Reader<'a, '_> {
    /// A paragraph that is nothing but a picture.
    pub(super) fn lone_image(&mut self, node: Node<'a>, link: &NodeLink) -> Option<DocumentBlock> {
        let picture = self.picture(node, link);
        let fits = |text: &str| text.chars().count() <= DESCRIPTION;
        match fits(&picture.alt) && fits(&picture.title) {
            true => self.images_of(&picture),
            false => None,
        }
    }

    /// A picture as a block of its own.
    fn images_of(&mut self, picture: &Picture) -> Option<DocumentBlock> {
        let caption = make_caption(&picture.title);
        let (alt, target) = (picture.alt.clone(), picture.target.clone());
        let image = self.block_image(&target, None, alt, None, None, caption)?;
        Some(images(vec![image], plain_data()))
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
            Some(dark) => Some(media(self.reference(Role::Media, dark)?)?),
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
                r#ref: media(self.reference(Role::Media, target)?)?,
                ref_dark,
                width,
                height,
                alt: Some(alt).filter(|alt| !alt.is_empty()),
            },
            fragments: (!caption.is_empty()).then(|| fragment(caption)).into_iter().collect(),
        })
    }

    /// `<div align="left"><figure>…</figure> <figure>…</figure></div>`
    pub(super) fn images_in_div(&mut self, element: &Element, inner: Html<'_>, depth: usize) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let data = BlockImagesData {
            align: attributes.take_as("align", from_word),
            full_width: attributes.take_flag("data-full-width"),
            with_frame: attributes.take_flag("data-with-frame"),
        };
        attributes.done().then_some(())?;
        let mut nodes = Vec::new();
        for (figure, inner) in inner.elements("figure")? {
            nodes.push(self.figure(figure, inner, depth)?);
        }
        (!nodes.is_empty()).then(|| images(nodes, data))
    }

    /// `<figure><img src="…" alt="…"><figcaption>…</figcaption></figure>`
    pub(super) fn figure(&mut self, element: &Element, inner: Html<'_>, depth: usize) -> Option<BlockImage> {
        element.attributes.done().then_some(())?;
        let (dark, image, caption) = parts(inner)?;
        let mut attributes = image.attributes.clone();
        let target = attributes.take("src")?;
        let alt = attributes.take_short("alt", DESCRIPTION).unwrap_or_default();
        let width = attributes.take_as("width", length);
        let height = attributes.take_as("height", length);
        attributes.done().then_some(())?;
        let caption = match caption {
            Some(caption) => self.caption(caption, depth)?,
            None => Vec::new(),
        };
        self.block_image(&target, dark.as_deref(), alt, width, height, caption)
    }

    fn caption(&mut self, caption: Html<'_>, depth: usize) -> Option<Vec<BlockParagraph>> {
        if caption.is_blank() {
            return Some(Vec::new());
        }
        let Some(paragraphs) = caption.elements("p") else {
            let items = items::of_tokens(caption.tokens());
            return Some(vec![make::paragraph(self.inlines_of(items, depth))]);
        };
        let mut made = Vec::new();
        for (element, inner) in paragraphs {
            let mut attributes = element.attributes.clone();
            let align = attributes.take_as("align", alignment);
            attributes.done().then_some(())?;
            made.push(make::aligned(
                self.inlines_of(items::of_tokens(inner.tokens()), depth),
                align,
            ));
        }
        Some(made)
    }

    /// `<img src="…" alt="" class="drawing">`; other pictures stand in a line.
    pub(super) fn drawing(&mut self, element: &Element) -> Option<DocumentBlock> {
        let mut attributes = element.attributes.clone();
        let class = attributes.take("class")?;
        let target = attributes.take("src");
        let alt = attributes.take("alt").unwrap_or_default();
        let understood = class.ends_with("drawing") && alt.is_empty() && attributes.done();
        understood.then_some(())?;
        let reference = match target.filter(|target| !target.is_empty()) {
            Some(target) => match self.reference(Role::File, &target)? {
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
                data: BlockDrawingData { r#ref: reference },
            }
            .whole(),
        )
    }
}

/// The picture of a figure with that for dark themes, and the caption.
fn parts(inner: Html<'_>) -> Option<(Option<String>, &Element, Option<Html<'_>>)> {
    let (dark, image, rest) = match inner.first()? {
        (Token::Open(image), rest) if image.name == "img" => (None, image, rest),
        (Token::Open(picture), _) if picture.name == "picture" && picture.attributes.done() => {
            let (picture, rest) = inner.first_element("picture")?;
            let (Token::Open(source), picture) = picture.first()? else {
                return None;
            };
            let (Token::Open(image), picture) = picture.first()? else {
                return None;
            };
            let understood = image.name == "img" && picture.is_blank();
            understood.then_some(())?;
            (Some(leaves::dark_source(source)?), image, rest)
        }
        _ => return None,
    };
    if rest.is_blank() {
        return Some((dark, image, None));
    }
    let (caption, rest) = rest.first_element("figcaption")?;
    rest.is_blank().then_some((dark, image, Some(caption)))
}

fn make_caption(title: &str) -> Vec<BlockParagraph> {
    match title.is_empty() {
        true => Vec::new(),
        false => vec![make::paragraph(vec![InlineNode::Text(make::plain(title))])],
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
    .whole()
}

pub fn plain_data() -> BlockImagesData {
    BlockImagesData {
        align: None,
        full_width: None,
        with_frame: None,
    }
}
