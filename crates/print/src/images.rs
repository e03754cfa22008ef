//! Images: the size on paper of those that the typesetter can read. A single one that it cannot read would be the end of the
//! whole book.

use std::collections::HashMap;

use serde_json::{Value, json};
use typst::{
    foundations::Bytes,
    visualize::{ExchangeFormat, RasterFormat, RasterImage, SvgImage},
};

/// Points of the paper for each pixel.
const PIXEL: f64 = 0.6;

/// Pixels of an image. More would take too much memory.
const MAX_PIXELS: u64 = 60_000_000;

/// An image that the typesetter can read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Readable {
    /// In pixels.
    width: f64,
    height: f64,
    format: &'static str,
}

/// Reads an image. `None`: the typesetter cannot read it.
pub fn read(bytes: &Bytes) -> Option<Readable> {
    let image = match ExchangeFormat::detect(bytes) {
        Some(format) => {
            let (width, height) = dimensions(bytes)?;
            if u64::from(width).saturating_mul(u64::from(height)) > MAX_PIXELS {
                return None;
            }
            let image = RasterImage::plain(bytes.clone(), RasterFormat::Exchange(format)).ok()?;
            Readable {
                width: f64::from(image.width()),
                height: f64::from(image.height()),
                format: match format {
                    ExchangeFormat::Png => "png",
                    ExchangeFormat::Jpg => "jpg",
                    ExchangeFormat::Gif => "gif",
                    ExchangeFormat::Webp => "webp",
                },
            }
        }
        None => {
            let is_closed = std::str::from_utf8(bytes).is_ok_and(|text| !leads_out(text));
            let image = is_closed.then(|| SvgImage::new(bytes.clone()).ok())??;
            Readable {
                width: image.width(),
                height: image.height(),
                format: "svg",
            }
        }
    };
    let is_usable = |length: f64| length.is_finite() && (1.0..=100_000.0).contains(&length);
    (is_usable(image.width) && is_usable(image.height)).then_some(image)
}

/// Returns whether an SVG may refer to other files, which the typesetter would look for.
fn leads_out(svg: &str) -> bool {
    let has_links = |name: &str| {
        let elements = svg.split(name).skip(1);
        elements
            .filter_map(|element| element.split('>').next())
            .any(|attributes| {
                let links = attributes.split("href").skip(1);
                let mut targets = links.map(|link| link.trim_start_matches(['=', '"', '\'', ' ', '\n', '\r', '\t']));
                targets.any(|target| !target.starts_with("data:"))
            })
    };
    svg.contains("<!ENTITY") || has_links("image") || has_links("feImage")
}

/// The dimensions in the header of an image.
fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let size = imagesize::blob_size(bytes).ok()?;
    Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
}

/// Sets the sizes of the images of a book, and puts words in place of those that cannot be read.
pub fn set_sizes(node: &mut Value, sizes: &HashMap<String, Readable>) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| set_sizes(item, sizes)),
        Value::Object(members) => {
            members.values_mut().for_each(|value| set_sizes(value, sizes));
            let kind = members.get("k").and_then(Value::as_str);
            let is_block = kind == Some("image");
            if !is_block && kind != Some("icon") {
                return;
            }
            let source = members.get("src").and_then(Value::as_str);
            match source.and_then(|name| sizes.get(name)) {
                Some(image) => {
                    let given = members.get("width").and_then(Value::as_f64);
                    members.insert("width".to_owned(), json!(given.unwrap_or(image.width * PIXEL)));
                    members.insert("ratio".to_owned(), json!(image.height / image.width));
                    members.insert("format".to_owned(), json!(image.format));
                }
                None => *node = words(members, is_block),
            }
        }
        _ => {}
    }
}

/// The words of an image.
fn words(members: &serde_json::Map<String, Value>, is_block: bool) -> Value {
    let alt = members.get("alt").and_then(Value::as_str).unwrap_or_default();
    let text = json!({ "k": "t", "v": format!("[{alt}]"), "m": [], "c": "", "b": "" });
    if !is_block {
        return text;
    }
    let mut body = vec![text];
    body.extend(
        members
            .get("caption")
            .and_then(Value::as_array)
            .cloned()
            .into_iter()
            .flatten(),
    );
    json!({ "k": "p", "align": "center", "body": body })
}
