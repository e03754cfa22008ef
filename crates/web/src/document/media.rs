//! Images, files and drawings.

use openapi::models::{
    BlockDrawing, BlockFile, BlockImages, BlockImagesDataAlign, ContentRef, ContentRefMedia, Length,
};
use rich_text::from_media;

use super::{
    FileTarget, Writer,
    layout::{pixels, width_class},
};

use crate::Href;

impl Writer<'_> {
    pub(super) fn images(&mut self, block: &BlockImages) {
        let images = block.nodes.as_deref().unwrap_or_default();
        let align = match block.data.align {
            Some(BlockImagesDataAlign::Left) => Some("left"),
            Some(BlockImagesDataAlign::Right) => Some("right"),
            Some(BlockImagesDataAlign::Center) | None => None,
        };
        let framed = (block.data.with_frame == Some(true)).then_some("framed");
        let classes: Vec<&str> = ["images"].into_iter().chain(align).chain(framed).collect();
        drop(self.html.open("div").attribute("class", &classes.join(" ")));
        for image in images {
            let data = &image.data;
            self.html.markup("<figure>");
            let alt = data.alt.as_deref().unwrap_or_default();
            self.picture((&data.r#ref, data.ref_dark.as_ref()), alt, (data.width.as_ref(), ""));
            let captions = image.fragments.iter().flat_map(|caption| &caption.nodes);
            let captions: Vec<_> = captions
                .filter(|it| it.nodes.as_ref().is_some_and(|nodes| !nodes.is_empty()))
                .collect();
            if !captions.is_empty() {
                self.html.markup("<figcaption>");
                for (number, paragraph) in captions.into_iter().enumerate() {
                    if number > 0 {
                        self.html.markup("<br>");
                    }
                    self.inlines(paragraph.nodes.as_deref().unwrap_or_default());
                }
                self.html.markup("</figcaption>");
            }
            self.html.markup("</figure>");
        }
        self.html.markup("</div>");
    }

    /// An image, with another one for dark pages if there is one.
    pub(super) fn picture(
        &mut self,
        (light, dark): (&ContentRefMedia, Option<&ContentRefMedia>),
        alt: &str,
        (width, class): (Option<&Length>, &'static str),
    ) {
        let class_of = |theme: Option<&'static str>| {
            let width = width.and_then(width_class);
            let classes = [Some(class).filter(|class| !class.is_empty()), theme, width.as_deref()];
            classes.into_iter().flatten().collect::<Vec<_>>().join(" ")
        };
        match dark {
            None => self.image(light, alt, (width, &class_of(None))),
            Some(dark) => {
                self.image(light, alt, (width, &class_of(Some("light"))));
                self.image(dark, alt, (width, &class_of(Some("dark"))));
            }
        }
    }

    fn image(&mut self, reference: &ContentRefMedia, alt: &str, (width, class): (Option<&Length>, &str)) {
        let reference = from_media(reference);
        let file = self.file_of(&reference);
        let src = match &file {
            Some(file) => Some(file.href.clone()),
            None => match &reference {
                ContentRef::ContentRefUrl(url) => Href::image(&url.url),
                _ => None,
            },
        };
        let Some(src) = src else {
            self.html.text(alt);
            return;
        };
        let set = width.and_then(pixels);
        let own = file.as_ref().and_then(|file| file.dimensions);
        let image = self
            .html
            .open("img")
            .src(&src)
            .attribute("alt", alt)
            .attribute("loading", "lazy");
        let image = image.optional("class", Some(class).filter(|class| !class.is_empty()));
        match (set, own) {
            (Some(width), _) => drop(image.attribute("width", &width)),
            (None, Some((width, height))) => {
                drop(
                    image
                        .attribute("width", &width.to_string())
                        .attribute("height", &height.to_string()),
                );
            }
            (None, None) => drop(image),
        }
    }

    pub(super) fn file_of(&self, reference: &ContentRef) -> Option<FileTarget> {
        match reference {
            ContentRef::ContentRefFile(file) => self.targets.file(&file.file).cloned(),
            _ => None,
        }
    }

    pub(super) fn file(&mut self, block: &BlockFile) {
        let reference = ContentRef::ContentRefFile(block.data.r#ref.clone());
        let Some(file) = self.file_of(&reference) else {
            return;
        };
        drop(
            self.html
                .open("a")
                .attribute("class", "card")
                .href(&file.href)
                .flag("download", true),
        );
        self.html.markup("<strong>");
        self.html.text(&file.name);
        self.html.markup("</strong><small>");
        self.html.text(&format!("{} · {}", file.content_type, size(file.size)));
        self.html.markup("</small></a>");
    }

    pub(super) fn drawing(&mut self, block: &BlockDrawing) {
        let alt = block.data.alt.as_deref().unwrap_or_default();
        self.html.markup("<div class=\"images\"><figure>");
        match &block.data.r#ref {
            Some(file) => self.picture((&ContentRefMedia::ContentRefFile(file.clone()), None), alt, (None, "")),
            None => self.html.text(alt),
        }
        self.html.markup("</figure></div>");
    }
}

/// A size in the largest unit of which there is one.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["B", "KB", "MB", "GB"];
    let (mut left, mut unit) = (bytes, 0);
    while left >= 1000 && unit + 1 < UNITS.len() {
        left = left.div_ceil(1000);
        unit += 1;
    }
    format!("{left} {}", UNITS.get(unit).unwrap_or(&"B"))
}
