//! Pictures as blocks.

use openapi::models::{BlockDrawing, BlockImage, BlockImages, ContentRef, InlineNode};

use super::{
    Writer,
    blocks::align,
    containers::length,
    leaves::{attribute, picture, with_dark},
};
use crate::{
    nodes::{enum_names::word, plain_text::is_blank_caption},
    references::{Role, of_media},
    refusal::Refusal,
    syntax::escape::Mode,
};

impl<'d> Writer<'d, '_> {
    pub(super) fn images(&mut self, images: &'d BlockImages) -> Result<(), Refusal> {
        let data = &images.data;
        let nodes = images.nodes.as_deref().unwrap_or_default();
        let mut attributes = String::new();
        if let Some(align) = data.align {
            attributes.push_str(&format!(" align=\"{}\"", word(align)));
        }
        if data.full_width == Some(true) {
            attributes.push_str(" data-full-width=\"true\"");
        }
        if data.with_frame == Some(true) {
            attributes.push_str(" data-with-frame=\"true\"");
        }
        if let [image] = nodes
            && attributes.is_empty()
        {
            let line = self.within("nodes", 0, |writer| match plain_caption(image) {
                Some(caption) if is_plain(image) => writer.short(image, &caption),
                _ => writer.figure(image),
            })?;
            self.out.line(&line);
            return Ok(());
        }
        if nodes.is_empty() {
            return Err(self.refuse(
                "no-image",
                "A block of pictures without pictures has no form in Markdown.",
            ));
        }
        let mut figures = Vec::new();
        for (index, image) in nodes.iter().enumerate() {
            figures.push(self.within("nodes", index, |writer| writer.figure(image))?);
        }
        self.out.line(&format!("<div{attributes}>{}</div>", figures.join(" ")));
        Ok(())
    }

    fn short(&mut self, image: &BlockImage, caption: &str) -> Result<String, Refusal> {
        let target = self.target(Role::Media, &of_media(&image.data.r#ref))?;
        Ok(picture(&target, image.data.alt.as_deref().unwrap_or_default(), caption))
    }

    fn figure(&mut self, image: &'d BlockImage) -> Result<String, Refusal> {
        let data = &image.data;
        let target = self.target(Role::Media, &of_media(&data.r#ref))?;
        let alt = data.alt.as_deref().unwrap_or_default();
        let mut html = format!("<img {} {}", attribute("src", &target), attribute("alt", alt));
        for (name, value) in [("width", &data.width), ("height", &data.height)] {
            if let Some(value) = value {
                html.push_str(&format!(" {}", attribute(name, &length(value))));
            }
        }
        html.push('>');
        if let Some(dark) = &data.ref_dark {
            html = with_dark(&self.target(Role::Media, &of_media(dark))?, &html);
        }
        let caption = self.caption(image)?;
        Ok(format!("<figure>{html}<figcaption>{caption}</figcaption></figure>"))
    }

    fn caption(&mut self, image: &'d BlockImage) -> Result<String, Refusal> {
        let captions: Vec<_> = image
            .fragments
            .iter()
            .filter(|caption| !is_blank_caption(caption))
            .collect();
        let paragraphs = match captions.as_slice() {
            [] => return Ok(String::new()),
            [caption] => caption.nodes.as_slice(),
            _ => return Err(self.refuse("caption", "A picture has one caption.")),
        };
        let mut html = Vec::new();
        for paragraph in paragraphs {
            let align = align(paragraph.data.as_ref().and_then(|data| data.align));
            let words = self.inlines(paragraph.nodes.as_deref().unwrap_or_default(), Mode::Html)?;
            match paragraphs.len() == 1 && align.is_empty() {
                true => html.push(words),
                false => html.push(format!("<p{align}>{words}</p>")),
            }
        }
        Ok(html.join(""))
    }

    pub(super) fn drawing(&mut self, drawing: &BlockDrawing) -> Result<(), Refusal> {
        let target = match &drawing.data.r#ref {
            Some(file) => self.target(Role::File, &ContentRef::ContentRefFile(file.clone()))?,
            None => String::new(),
        };
        let src = attribute("src", &target);
        self.out.line(&format!("<img {src} alt=\"\" class=\"drawing\">"));
        Ok(())
    }
}

fn is_plain(image: &BlockImage) -> bool {
    let data = &image.data;
    data.ref_dark.is_none() && data.width.is_none() && data.height.is_none()
}

/// The words of a caption that are nothing more; none if it is more.
fn plain_caption(image: &BlockImage) -> Option<String> {
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
    let mut words = String::new();
    for node in paragraph.nodes.iter().flatten() {
        match node {
            InlineNode::Text(text) if text.leaves.iter().all(|leaf| leaf.marks.is_empty()) => {
                words.extend(text.leaves.iter().map(|leaf| leaf.text.as_str()));
            }
            InlineNode::Text(_) | InlineNode::Inline(_) => return None,
        }
    }
    let usual = align(paragraph.data.as_ref().and_then(|data| data.align)).is_empty();
    usual.then_some(words)
}
