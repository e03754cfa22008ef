//! Image blocks and drawings.

use openapi::error::ErrorRule;
use openapi::models::{BlockDrawing, BlockImage, BlockImages, BlockImagesData, ContentRef, InlineNode};

use super::{
    MarkdownRenderer,
    attributes::{align_attribute, attribute, format_length},
    inlines::{image_markdown, with_dark_variant},
};
use crate::{
    error::DocumentError,
    nodes::{enum_names::enum_name, plain_text::is_blank_caption},
    resolver::{ReferenceRole, from_media},
    syntax::escape::EscapeMode,
};

impl<'d> MarkdownRenderer<'d, '_> {
    pub(super) fn images(&mut self, images: &'d BlockImages) -> Result<(), DocumentError> {
        let nodes = images.nodes.as_deref().unwrap_or_default();
        let attributes = images_attributes(&images.data);
        if let [image] = nodes
            && attributes.is_empty()
        {
            let line = self.with_path("nodes", 0, |renderer| match unformatted_caption(image) {
                Some(caption) if is_markdown_image(image) => renderer.markdown_image(image, &caption),
                _ => renderer.figure(image),
            })?;
            self.out.line(&line);
            return Ok(());
        }
        if nodes.is_empty() {
            return Err(self.error(
                ErrorRule::NoImage,
                "`nodes` is empty: Markdown cannot express an images block without images.",
            ));
        }
        let html = self.images_html(images)?;
        self.out.line(&html);
        Ok(())
    }

    pub(super) fn images_html(&mut self, images: &'d BlockImages) -> Result<String, DocumentError> {
        let nodes = images.nodes.as_deref().unwrap_or_default();
        let attributes = images_attributes(&images.data);
        let mut figures = Vec::new();
        for (index, image) in nodes.iter().enumerate() {
            figures.push(self.with_path("nodes", index, |renderer| renderer.figure(image))?);
        }
        Ok(match figures.as_slice() {
            [figure] if attributes.is_empty() => figure.clone(),
            figures => format!("<div{attributes}>{}</div>", figures.join(" ")),
        })
    }

    fn markdown_image(&mut self, image: &BlockImage, caption: &str) -> Result<String, DocumentError> {
        let target = self.format_target(ReferenceRole::Media, &from_media(&image.data.r#ref))?;
        Ok(image_markdown(
            &target,
            image.data.alt.as_deref().unwrap_or_default(),
            caption,
        ))
    }

    fn figure(&mut self, image: &'d BlockImage) -> Result<String, DocumentError> {
        let data = &image.data;
        let target = self.format_target(ReferenceRole::Media, &from_media(&data.r#ref))?;
        let alt = data.alt.as_deref().unwrap_or_default();
        let mut html = format!("<img {} {}", attribute("src", &target), attribute("alt", alt));
        for (name, value) in [("width", &data.width), ("height", &data.height)] {
            if let Some(value) = value {
                html.push_str(&format!(" {}", attribute(name, &format_length(value))));
            }
        }
        html.push('>');
        if let Some(dark) = &data.ref_dark {
            html = with_dark_variant(&self.format_target(ReferenceRole::Media, &from_media(dark))?, &html);
        }
        let caption = self.caption(image)?;
        Ok(format!("<figure>{html}<figcaption>{caption}</figcaption></figure>"))
    }

    fn caption(&mut self, image: &'d BlockImage) -> Result<String, DocumentError> {
        let captions: Vec<_> = image
            .fragments
            .iter()
            .filter(|caption| !is_blank_caption(caption))
            .collect();
        let paragraphs = match captions.as_slice() {
            [] => return Ok(String::new()),
            [caption] => caption.nodes.as_slice(),
            _ => return Err(self.error(ErrorRule::Caption, "`fragments` has more than one caption.")),
        };
        let mut html = Vec::new();
        for paragraph in paragraphs {
            let align = align_attribute(paragraph.data.as_ref().and_then(|data| data.align));
            let content = self.inlines(paragraph.nodes.as_deref().unwrap_or_default(), EscapeMode::Html)?;
            match paragraphs.len() == 1 && align.is_empty() {
                true => html.push(content),
                false => html.push(format!("<p{align}>{content}</p>")),
            }
        }
        Ok(html.join(""))
    }

    pub(super) fn drawing(&mut self, drawing: &BlockDrawing) -> Result<(), DocumentError> {
        let target = match &drawing.data.r#ref {
            Some(file) => self.format_target(ReferenceRole::File, &ContentRef::ContentRefFile(file.clone()))?,
            None => String::new(),
        };
        let src = attribute("src", &target);
        let alt = attribute("alt", drawing.data.alt.as_deref().unwrap_or_default());
        self.out.line(&format!("<img {src} {alt} class=\"gitbook-drawing\">"));
        Ok(())
    }
}

fn images_attributes(data: &BlockImagesData) -> String {
    let mut attributes = String::new();
    if let Some(align) = data.align {
        attributes.push_str(&format!(" align=\"{}\"", enum_name(align)));
    }
    for (name, value) in [
        ("data-full-width", data.full_width),
        ("data-with-frame", data.with_frame),
    ] {
        if let Some(value) = value {
            attributes.push_str(&format!(" {name}=\"{value}\""));
        }
    }
    attributes
}

fn is_markdown_image(image: &BlockImage) -> bool {
    let data = &image.data;
    data.ref_dark.is_none() && data.width.is_none() && data.height.is_none()
}

/// Returns the text of a caption without marks, inlines or alignment; `None` for any other caption.
fn unformatted_caption(image: &BlockImage) -> Option<String> {
    let mut captions = image.fragments.iter().filter(|caption| !is_blank_caption(caption));
    let (caption, None) = (captions.next(), captions.next()) else {
        return None;
    };
    let Some(caption) = caption else {
        return Some(String::new());
    };
    let [paragraph] = caption.nodes.as_slice() else {
        return None;
    };
    let mut content = String::new();
    for node in paragraph.nodes.iter().flatten() {
        match node {
            InlineNode::Text(text) if text.leaves.iter().all(|leaf| leaf.marks.is_empty()) => {
                content.extend(text.leaves.iter().map(|leaf| leaf.text.as_str()));
            }
            InlineNode::Text(_) | InlineNode::Inline(_) => return None,
        }
    }
    let usual = align_attribute(paragraph.data.as_ref().and_then(|data| data.align)).is_empty();
    usual.then_some(content)
}
