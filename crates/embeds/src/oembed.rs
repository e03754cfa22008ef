//! oEmbed responses (https://oembed.com) in JSON.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    frame::{Frame, pixels},
    text::{MAX_SITE, MAX_TITLE, one_line},
};

/// The content of an oEmbed response.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OEmbed {
    pub title: Option<String>,
    /// The name of the provider.
    pub site: Option<String>,
    /// The frame of a video or of other rich content.
    pub frame: Option<Frame>,
}

/// Members of any type, because providers differ in what they write.
#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    r#type: Value,
    #[serde(default)]
    title: Value,
    #[serde(default)]
    provider_name: Value,
    #[serde(default)]
    html: Value,
    #[serde(default)]
    width: Value,
    #[serde(default)]
    height: Value,
}

impl OEmbed {
    /// Reads a response. `None` if it is not one.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let response: Response = serde_json::from_slice(bytes).ok()?;
        let line = |value: &Value, max| value.as_str().and_then(|text| one_line(text, max));
        let frame = match response.r#type.as_str()? {
            "video" | "rich" => response.html.as_str().and_then(Frame::find),
            "photo" | "link" => None,
            _ => return None,
        };
        Some(Self {
            title: line(&response.title, MAX_TITLE),
            site: line(&response.provider_name, MAX_SITE),
            frame: frame.map(|frame| Frame {
                width: frame.width.or_else(|| size(&response.width)),
                height: frame.height.or_else(|| size(&response.height)),
                ..frame
            }),
        })
    }
}

fn size(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => pixels(&number.to_string()),
        Value::String(text) => pixels(text),
        _ => None,
    }
}
