//! Dimensions of images, read from the first bytes of untrusted files. Images are never decoded.

/// Enough for the metadata that cameras write before the image data.
const MAX_SCANNED_BYTES: usize = 4 * 1024 * 1024;

/// The root element of an SVG has to begin and end within these bytes.
const MAX_SVG_HEADER_BYTES: usize = 16 * 1024;

/// The maximum width and height. Larger values are errors or attacks.
const MAX_SIDE: u32 = 1_000_000;

/// Width and height in pixels, if the file states them.
pub fn dimensions(content_type: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    let (width, height) = match content_type {
        "image/svg+xml" => svg_dimensions(bytes)?,
        other if other.starts_with("image/") => {
            let start = bytes.get(..MAX_SCANNED_BYTES).unwrap_or(bytes);
            let size = imagesize::blob_size(start).ok()?;
            (size.width.try_into().ok()?, size.height.try_into().ok()?)
        }
        _ => return None,
    };
    let fits = |side| (1..=MAX_SIDE).contains(&side);
    (fits(width) && fits(height)).then_some((width, height))
}

/// The `width` and `height` of the root element of an SVG in pixels, otherwise those of its `viewBox`.
fn svg_dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let start = String::from_utf8_lossy(bytes.get(..MAX_SVG_HEADER_BYTES).unwrap_or(bytes));
    let (_, root) = start.split_once("<svg")?;
    let (root, _) = root.split_once('>')?;
    let side = |name| pixels(attribute(root, name)?);
    if let Some(size) = side("width").zip(side("height")) {
        return Some(size);
    }
    let view = attribute(root, "viewBox")?;
    let mut numbers = view
        .split([' ', ',', '\t', '\r', '\n'])
        .filter(|part| !part.is_empty())
        .skip(2);
    Some((pixels(numbers.next()?)?, pixels(numbers.next()?)?))
}

fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = element;
    // The names of other attributes may end with `name`.
    while let Some((before, after)) = rest.split_once(name) {
        let value = after.trim_start().strip_prefix('=').map(str::trim_start);
        if before.ends_with(|c: char| c.is_ascii_whitespace())
            && let Some(value) = value
        {
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            return value.get(1..)?.split(quote).next();
        }
        rest = after;
    }
    None
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what does not fit ends at the largest number, which is no size"
)]
fn pixels(text: &str) -> Option<u32> {
    let number: f64 = text.trim().trim_end_matches("px").parse().ok()?;
    number.is_finite().then(|| number.round() as u32)
}
