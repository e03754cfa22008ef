//! The kinds of values by their place in a document.

/// The members of objects whose values have the members that the format gives them, not names.
const BY_NAME: [&str; 26] = [
    "$defs",
    "additionalOperations",
    "callbacks",
    "content",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "encoding",
    "headers",
    "links",
    "mapping",
    "mediaTypes",
    "parameters",
    "pathItems",
    "paths",
    "patternProperties",
    "properties",
    "requestBodies",
    "responses",
    "schemas",
    "scopes",
    "securityDefinitions",
    "securitySchemes",
    "variables",
    "webhooks",
    // The documents that others refer to.
    "x-ext",
];

/// The members of objects that hold values of the API.
const LITERAL: [&str; 5] = ["const", "default", "enum", "example", "examples"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// An object of the format, or a list of such objects.
    Object,
    /// Objects by names that the document chooses, or a list of objects.
    ByName,
    /// A value of the API, or of an extension.
    Literal,
}

impl Position {
    /// The position of a member of an object here.
    pub fn member(self, name: &str) -> Self {
        match self {
            Self::ByName => Self::Object,
            Self::Literal => Self::Literal,
            Self::Object if BY_NAME.contains(&name) => Self::ByName,
            Self::Object if LITERAL.contains(&name) || name.starts_with("x-") => Self::Literal,
            Self::Object => Self::Object,
        }
    }

    /// The position of an item of an array here.
    pub fn item(self) -> Self {
        match self {
            Self::Literal => Self::Literal,
            Self::Object | Self::ByName => Self::Object,
        }
    }
}
