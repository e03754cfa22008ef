//! A page as Markdown.

use rich_text::{LinkChange, ReferenceRole, rewrite_links};
use url::Url;
pub use websites::Target;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Html,
    Markdown,
    /// A list of links, such as `llms.txt`, which is no page.
    Links,
}

impl Format {
    /// The format of what is at an address. `None`: it is no page.
    pub fn of(content_type: Option<&str>, url: &Url) -> Option<Self> {
        let essence = content_type
            .and_then(|value| value.split(';').next())
            .map(|value| value.trim().to_ascii_lowercase());
        let extension = url
            .path()
            .rsplit_once('.')
            .map(|(_, extension)| extension.to_ascii_lowercase());
        match (essence.as_deref(), extension.as_deref()) {
            (Some("text/html" | "application/xhtml+xml"), _) => Some(Self::Html),
            (Some("text/markdown"), _) => Some(Self::Markdown),
            (Some("text/plain" | "application/octet-stream") | None, Some("md" | "markdown")) => Some(Self::Markdown),
            (Some("text/plain") | None, Some("txt")) => Some(Self::Links),
            (None, _) => Some(Self::Html),
            _ => None,
        }
    }
}

/// Reads a page. `resolve` returns targets as they are to be written, as [`websites::markdown`] asks for them.
pub fn read(
    bytes: &[u8],
    format: Format,
    content_type: &str,
    address: &Url,
    resolve: &mut dyn FnMut(Target, &Url) -> Option<String>,
) -> String {
    let text = embeds::decode(bytes, Some(content_type));
    if format == Format::Html {
        return websites::markdown(&text, address, resolve);
    }
    let mut change = |target: &str, role: ReferenceRole| {
        let kind = match role {
            ReferenceRole::Link => Target::Page,
            ReferenceRole::Media | ReferenceRole::File => Target::Picture,
            _ => return LinkChange::Keep,
        };
        let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
        if path.is_empty() {
            return LinkChange::Keep;
        }
        let Ok(url) = address.join(path) else {
            return LinkChange::Keep;
        };
        let resolved = resolve(kind, &url).unwrap_or_else(|| url.to_string());
        LinkChange::Replace(match fragment {
            "" => resolved,
            fragment => format!("{resolved}#{fragment}"),
        })
    };
    rewrite_links(&text, &mut change).unwrap_or_else(|_| text.clone().into_owned())
}
