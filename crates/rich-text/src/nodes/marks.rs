//! The marks of a text as a set.

use openapi::models::{
    Mark, MarkBold, MarkCode, MarkColor, MarkColorData, MarkItalic, MarkKeyboard, MarkStrikethrough, MarkSubscript,
    MarkSuperscript, TextColor,
};

/// The marks without data, in nesting order, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkStyle {
    Bold,
    Italic,
    Strikethrough,
    Superscript,
    Subscript,
    Keyboard,
    Code,
}

impl MarkStyle {
    pub const ALL: [Self; 7] = [
        Self::Bold,
        Self::Italic,
        Self::Strikethrough,
        Self::Superscript,
        Self::Subscript,
        Self::Keyboard,
        Self::Code,
    ];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkColors {
    pub text: TextColor,
    pub background: TextColor,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkSet {
    styles: u8,
    pub colors: Option<MarkColors>,
}

impl MarkSet {
    pub fn has(self, style: MarkStyle) -> bool {
        self.styles & style.bit() != 0
    }

    pub fn set(&mut self, style: MarkStyle, on: bool) {
        match on {
            true => self.styles |= style.bit(),
            false => self.styles &= !style.bit(),
        }
    }

    pub fn without_code(mut self) -> Self {
        self.set(MarkStyle::Code, false);
        self
    }

    /// Returns the marks in both sets.
    pub fn intersection(self, other: Self) -> Self {
        Self {
            styles: self.styles & other.styles,
            colors: self.colors.filter(|colors| other.colors == Some(*colors)),
        }
    }

    /// Returns the marks that are not in the other set.
    pub fn difference(self, other: Self) -> Self {
        Self {
            styles: self.styles & !other.styles,
            colors: self.colors.filter(|_| other.colors.is_none()),
        }
    }

    pub fn is_empty(self) -> bool {
        self.styles == 0 && self.colors.is_none()
    }

    /// Returns a number that is unique to this set.
    pub fn to_bits(self) -> u32 {
        let colors = self.colors.map_or(0, |colors| {
            (colors.text as u32 + 1) << 8 | (colors.background as u32 + 1)
        });
        u32::from(self.styles) << 16 | colors
    }

    pub fn to_nodes(self) -> Vec<Mark> {
        let styles = MarkStyle::ALL.into_iter().filter(|style| self.has(*style));
        let mut marks: Vec<Mark> = styles.map(node).collect();
        marks.extend(self.colors.map(|colors| {
            Mark::MarkColor(MarkColor {
                object: Default::default(),
                r#type: Default::default(),
                data: MarkColorData {
                    text: colors.text,
                    background: colors.background,
                },
            })
        }));
        marks
    }

    pub fn from_nodes(nodes: &[Mark]) -> Self {
        let mut marks = Self::default();
        for node in nodes {
            match node {
                Mark::MarkBold(_) => marks.set(MarkStyle::Bold, true),
                Mark::MarkItalic(_) => marks.set(MarkStyle::Italic, true),
                Mark::MarkStrikethrough(_) => marks.set(MarkStyle::Strikethrough, true),
                Mark::MarkSuperscript(_) => marks.set(MarkStyle::Superscript, true),
                Mark::MarkSubscript(_) => marks.set(MarkStyle::Subscript, true),
                Mark::MarkKeyboard(_) => marks.set(MarkStyle::Keyboard, true),
                Mark::MarkCode(_) => marks.set(MarkStyle::Code, true),
                Mark::MarkColor(mark) => {
                    marks.colors = Some(MarkColors {
                        text: mark.data.text,
                        background: mark.data.background,
                    });
                }
            }
        }
        marks
    }
}

fn node(style: MarkStyle) -> Mark {
    macro_rules! mark {
        ($kind:ident) => {
            Mark::$kind($kind {
                object: Default::default(),
                r#type: Default::default(),
            })
        };
    }
    match style {
        MarkStyle::Bold => mark!(MarkBold),
        MarkStyle::Italic => mark!(MarkItalic),
        MarkStyle::Strikethrough => mark!(MarkStrikethrough),
        MarkStyle::Superscript => mark!(MarkSuperscript),
        MarkStyle::Subscript => mark!(MarkSubscript),
        MarkStyle::Keyboard => mark!(MarkKeyboard),
        MarkStyle::Code => mark!(MarkCode),
    }
}
