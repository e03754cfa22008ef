//! Style sheets and the script of pages.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use crate::Href;

/// A file that all sites share. Its name changes with its bytes, so that browsers keep it for good.
pub struct Asset {
    pub name: String,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| asset("style", "css", "text/css; charset=utf-8", include_str!("style.css")));

pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    asset(
        "script",
        "js",
        "text/javascript; charset=utf-8",
        include_str!("script.js"),
    )
});

/// The code after the list of pages in the script that searches a static site.
pub const STATIC_SEARCH: &str = include_str!("search.js");

fn asset(name: &str, extension: &str, content_type: &'static str, text: &'static str) -> Asset {
    Asset {
        name: format!("{name}-{}.{extension}", digest(text)),
        content_type,
        bytes: text.as_bytes(),
    }
}

/// The beginning of the hash of a text, for names of files.
pub fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// What a site chooses of its look.
pub struct Palette {
    /// Colors on light and on dark pages.
    pub primary: (Color, Color),
    pub info: (Color, Color),
    pub success: (Color, Color),
    pub warning: (Color, Color),
    pub danger: (Color, Color),
    /// Pixels.
    pub corner: u8,
    pub font: Font,
    /// The font of headings. `None`: that of texts.
    pub heading: Option<Font>,
    pub mono: Font,
}

/// A font of a site. Where a reader does not get it, one of their system takes its place.
pub struct Font {
    pub family: String,
    pub kind: FontKind,
    pub files: Vec<FontFile>,
}

#[derive(Clone, Copy)]
pub enum FontKind {
    Sans,
    Serif,
    Mono,
}

/// A file of a font in one weight.
pub struct FontFile {
    pub weight: u32,
    pub href: Href,
    pub format: Option<&'static str>,
}

impl Font {
    /// The value of `font-family`.
    fn stack(&self) -> String {
        let system = match self.kind {
            FontKind::Sans => "--system",
            FontKind::Serif => "--system-serif",
            FontKind::Mono => "--system-mono",
        };
        format!("{}, var({system})", quoted(&self.family))
    }

    /// The rules that load the files. Files of one weight that follow each other are alternatives.
    fn rules(&self) -> String {
        let rule = |files: &[FontFile]| {
            let weight = files.first().map_or(400, |file| file.weight);
            let source = |file: &FontFile| {
                let format = file.format.map(|format| format!(" format({})", quoted(format)));
                format!("url({}){}", quoted(file.href.as_str()), format.unwrap_or_default())
            };
            let sources: Vec<String> = files.iter().map(source).collect();
            format!(
                "@font-face {{ font-family: {}; font-weight: {weight}; font-display: swap; src: {}; }}\n",
                quoted(&self.family),
                sources.join(", ")
            )
        };
        self.files.chunk_by(|a, b| a.weight == b.weight).map(rule).collect()
    }
}

/// A text as a string of CSS, in which every character that could mean anything else is escaped.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        ' ' | '-' | '_' | '.' | '/' => c.to_string(),
        _ if c.is_alphanumeric() => c.to_string(),
        _ => format!("\\{:x} ", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

impl Palette {
    /// The style sheet of the site. A color that could not be read on the pages is made darker or lighter until it can.
    pub fn style(&self) -> String {
        let fonts = [
            ("font", Some(&self.font)),
            ("heading", self.heading.as_ref()),
            ("mono", Some(&self.mono)),
        ];
        let fonts = fonts.into_iter().filter_map(|(name, font)| Some((name, font?)));
        let mut style: String = fonts.clone().map(|(_, font)| font.rules()).collect();
        style.push_str(":root {\n");
        for (name, font) in fonts {
            style.push_str(&format!("  --{name}: {};\n", font.stack()));
        }
        let colors = [
            ("primary", self.primary),
            ("info", self.info),
            ("success", self.success),
            ("warning", self.warning),
            ("danger", self.danger),
        ];
        for (name, (light, dark)) in colors {
            let (light, dark) = (light.readable_on(LIGHT), dark.readable_on(DARK));
            style.push_str(&format!("  --{name}: light-dark({}, {});\n", light.hex(), dark.hex()));
            if name == "primary" {
                let (light, dark) = (light.opposite(), dark.opposite());
                style.push_str(&format!(
                    "  --on-primary: light-dark({}, {});\n",
                    light.hex(),
                    dark.hex()
                ));
            }
        }
        style.push_str(&format!("  --corner: {}px;\n}}\n", self.corner));
        style
    }
}

/// The most opposite backgrounds on light and on dark pages, those of raised parts.
const LIGHT: Color = Color([0xf5, 0xf6, 0xf8]);
const DARK: Color = Color([0x1f, 0x22, 0x26]);

/// The contrast that small text has to have (WCAG 2.2, 1.4.3).
const MIN_CONTRAST: f64 = 4.5;

/// A color by red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

impl Color {
    /// A color as `#rgb` or `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        let digits: Vec<u8> = digits
            .chars()
            .map(|digit| digit.to_digit(16).and_then(|it| u8::try_from(it).ok()))
            .collect::<Option<_>>()?;
        match *digits.as_slice() {
            [r, g, b] => Some(Self([r * 17, g * 17, b * 17])),
            [r1, r2, g1, g2, b1, b2] => Some(Self([r1 * 16 + r2, g1 * 16 + g2, b1 * 16 + b2])),
            _ => None,
        }
    }

    fn hex(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// The relative luminance, as WCAG defines it.
    fn luminance(self) -> f64 {
        let [r, g, b] = self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The color itself, or the nearest of its shades that can be read.
    pub fn readable_on(self, page: Self) -> Self {
        let end = page.opposite();
        let shades = (0..=20_u16).map(|step| {
            let mixed = |at: usize| {
                let part = |color: Self| color.0.get(at).copied().map_or(0, u16::from);
                u8::try_from((part(self) * (20 - step) + part(end) * step) / 20).unwrap_or(u8::MAX)
            };
            Self([mixed(0), mixed(1), mixed(2)])
        });
        let mut readable = shades.filter(|shade| shade.contrast(page) >= MIN_CONTRAST);
        readable.next().unwrap_or(end)
    }

    /// Black or white, whichever can be read on the color.
    fn opposite(self) -> Self {
        let (black, white) = (Self([0, 0, 0]), Self([0xff; 3]));
        if self.contrast(black) > self.contrast(white) {
            black
        } else {
            white
        }
    }
}
