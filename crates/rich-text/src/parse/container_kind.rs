//! The kinds of containers, and the blocks that each accepts.

/// The container of a list of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    Document,
    ListItem,
    Blockquote,
    Hint,
    Tab,
    Step,
    Update,
    Column,
    Expandable,
    Annotation,
    Prompt,
    /// A cell of an HTML table. The contract accepts all blocks there, HTML only these.
    Cell,
}

impl ContainerKind {
    /// Returns whether an image alone in a paragraph becomes an images block.
    pub fn takes_images(self) -> bool {
        self != Self::Cell && self.accepts("images")
    }

    /// Returns whether the contract accepts a block of this type in the container.
    pub fn accepts(self, name: &str) -> bool {
        let is_essential = matches!(name, "paragraph" | "heading-1" | "heading-2" | "heading-3" | "divider")
            || name.starts_with("list-");
        let panel = matches!(
            name,
            "content-ref"
                | "code"
                | "embed"
                | "file"
                | "images"
                | "drawing"
                | "hint"
                | "prompt"
                | "blockquote"
                | "math"
                | "integration"
        );
        match self {
            Self::Document => true,
            Self::ListItem => is_essential || matches!(name, "code" | "hint" | "blockquote" | "math" | "table"),
            Self::Blockquote => is_essential || name == "blockquote",
            Self::Hint => is_essential || matches!(name, "embed" | "integration" | "table"),
            Self::Tab => is_essential || panel,
            Self::Step => is_essential || panel || name == "expandable",
            Self::Update => is_essential || panel || matches!(name, "expandable" | "tabs"),
            Self::Column => is_essential || panel || matches!(name, "expandable" | "stepper" | "table"),
            Self::Expandable => {
                is_essential
                    || matches!(
                        name,
                        "images"
                            | "code"
                            | "table"
                            | "hint"
                            | "blockquote"
                            | "reusable-content"
                            | "prompt"
                            | "file"
                            | "integration"
                    )
            }
            Self::Annotation => is_essential || name == "code",
            Self::Prompt => is_essential || name == "code",
            Self::Cell => is_essential || matches!(name, "code" | "images" | "blockquote"),
        }
    }
}
