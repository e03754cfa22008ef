//! All nodes alike: their key, their own facts and their children.

use openapi::models::{
    AnnotationBodyFragment, BlockBlockquote, BlockCode, BlockCodeLine, BlockColumn, BlockColumns, BlockContentRef,
    BlockDivider, BlockDrawing, BlockEmbed, BlockExpandable, BlockExpandableMeta, BlockFile, BlockHeading1,
    BlockHeading1Meta, BlockHeading2, BlockHeading2Meta, BlockHeading3, BlockHeading3Meta, BlockHint, BlockIf,
    BlockImage, BlockImages, BlockIntegration, BlockListItem, BlockListOrdered, BlockListTasks, BlockListUnordered,
    BlockMath, BlockOpenApiOperation, BlockOpenApiOperationMeta, BlockOpenApiSchemas, BlockOpenApiSchemasMeta,
    BlockOpenApiWebhook, BlockOpenApiWebhookMeta, BlockParagraph, BlockReusableContent, BlockStepper, BlockStepperStep,
    BlockSwagger, BlockSwaggerMeta, BlockTable, BlockTabs, BlockTabsItem, BlockTabsItemMeta, CaptionFragment,
    CodeLineInline, CodeLineNode, ContentRef, DocumentTableFragment, ExpandableBodyFragment, ExpandableFragment,
    ExpandableTitleFragment, Inline, InlineAnnotation, InlineButton, InlineEmoji, InlineExpression, InlineIcon,
    InlineImage, InlineLink, InlineMath, InlineMention, InlineNode, LinkNode, Text,
};
use serde_json::Value;

use super::{anchors::Source, family::node_of_variants, refers, words};
use crate::{
    references::Role,
    table::{cells, order},
};

pub trait Node {
    fn key(&self) -> &Option<String>;
    fn key_mut(&mut self) -> &mut Option<String>;
    /// The type of the node.
    fn name(&self) -> &'static str;
    /// What the node says by itself, without children and without what the server found out.
    fn facts(&self) -> Value;
    /// What the anchor of the node is made from, if it has one.
    fn anchor(&self) -> Option<Source> {
        None
    }
    fn set_anchor(&mut self, _: String) {}
    /// The anchor that was given.
    fn anchor_id(&self) -> Option<&str> {
        None
    }
    fn is_block(&self) -> bool {
        true
    }
    /// What the node refers to by itself, without its children.
    fn references(&self) -> Vec<(Role, ContentRef)> {
        Vec::new()
    }
    /// Texts are compared together with their neighbours.
    fn text(&self) -> Option<&Text> {
        None
    }
    fn table(&self) -> Option<&BlockTable> {
        None
    }
    fn children(&self) -> Vec<Step<'_>>;
    /// The same in the same order.
    fn children_mut(&mut self) -> Vec<&mut dyn Node>;
}

/// A child and how it is reached.
pub struct Step<'a> {
    pub member: &'static str,
    pub index: usize,
    pub node: &'a dyn Node,
}

/// A list that may be left out.
trait Many<T> {
    fn all(&self) -> &[T];
    fn all_mut(&mut self) -> &mut [T];
}

impl<T> Many<T> for Vec<T> {
    fn all(&self) -> &[T] {
        self
    }

    fn all_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T> Many<T> for Option<Vec<T>> {
    fn all(&self) -> &[T] {
        self.as_deref().unwrap_or_default()
    }

    fn all_mut(&mut self) -> &mut [T] {
        self.as_deref_mut().unwrap_or_default()
    }
}

pub fn steps<'a, T: Node + 'a>(member: &'static str, nodes: &'a [T]) -> impl Iterator<Item = Step<'a>> {
    nodes
        .iter()
        .enumerate()
        .map(move |(index, node)| Step { member, index, node })
}

macro_rules! node {
    (
        $kind:ident $name:literal facts($($fact:ident)?) children($($member:ident),*)
        $(anchor($meta:ident, $source:expr))?
        $(refers($references:expr))?
    ) => {
        impl Node for $kind {
            fn key(&self) -> &Option<String> {
                &self.key
            }
            fn key_mut(&mut self) -> &mut Option<String> {
                &mut self.key
            }
            fn name(&self) -> &'static str {
                $name
            }
            fn facts(&self) -> Value {
                let facts = Value::Null;
                $(let _ = facts; let facts = serde_json::to_value(&self.$fact).unwrap_or_default();)?
                facts
            }
            $(
                fn anchor(&self) -> Option<Source> {
                    let source: fn(&$kind) -> Source = $source;
                    Some(source(self))
                }
                fn set_anchor(&mut self, id: String) {
                    self.meta = Some($meta { id });
                }
                fn anchor_id(&self) -> Option<&str> {
                    self.meta.as_ref().map(|meta| meta.id.as_str())
                }
            )?
            fn is_block(&self) -> bool {
                // So the contract names them.
                stringify!($kind).starts_with("Block")
            }
            $(
                fn references(&self) -> Vec<(Role, ContentRef)> {
                    let references: fn(&$kind) -> Vec<(Role, ContentRef)> = $references;
                    references(self)
                }
            )?
            fn children(&self) -> Vec<Step<'_>> {
                let found = std::iter::empty();
                $(let found = found.chain(steps(stringify!($member), Many::all(&self.$member)));)*
                found.collect()
            }
            fn children_mut(&mut self) -> Vec<&mut dyn Node> {
                let found = std::iter::empty();
                $(
                    let members = Many::all_mut(&mut self.$member).iter_mut();
                    let found = found.chain(members.map(|child| child as &mut dyn Node));
                )*
                found.collect()
            }
        }
    };
}

node!(BlockParagraph "paragraph" facts(data) children(nodes));
node!(
    BlockHeading1 "heading-1" facts(data) children(nodes)
    anchor(BlockHeading1Meta, |it| of_heading(it.data.id.as_deref(), it.nodes.as_deref()))
);
node!(
    BlockHeading2 "heading-2" facts(data) children(nodes)
    anchor(BlockHeading2Meta, |it| of_heading(it.data.id.as_deref(), it.nodes.as_deref()))
);
node!(
    BlockHeading3 "heading-3" facts(data) children(nodes)
    anchor(BlockHeading3Meta, |it| of_heading(it.data.id.as_deref(), it.nodes.as_deref()))
);
node!(BlockListOrdered "list-ordered" facts(data) children(nodes));
node!(BlockListUnordered "list-unordered" facts() children(nodes));
node!(BlockListTasks "list-tasks" facts() children(nodes));
node!(BlockListItem "list-item" facts(data) children(nodes));
node!(BlockDivider "divider" facts() children());
node!(BlockBlockquote "blockquote" facts() children(nodes));
node!(BlockHint "hint" facts(data) children(nodes));
node!(BlockIf "if" facts(data) children(nodes));
node!(BlockImages "images" facts(data) children(nodes));
node!(CaptionFragment "caption" facts() children(nodes));
node!(BlockFile "file" facts(data) children() refers(refers::of_file));
node!(BlockDrawing "drawing" facts(data) children() refers(refers::of_drawing));
node!(BlockEmbed "embed" facts(data) children());
node!(BlockContentRef "content-ref" facts(data) children() refers(refers::of_content_ref));
node!(BlockReusableContent "reusable-content" facts(data) children() refers(refers::of_reusable_content));
node!(BlockIntegration "integration" facts(data) children());
node!(BlockCode "code" facts(data) children(nodes));
node!(BlockCodeLine "code-line" facts(data) children(nodes));
node!(BlockMath "math" facts(data) children());
node!(BlockExpandable "expandable" facts(data) children(fragments) anchor(BlockExpandableMeta, of_expandable));
node!(ExpandableTitleFragment "expandable-title" facts() children(nodes));
node!(ExpandableBodyFragment "expandable-body" facts() children(nodes));
node!(BlockTabs "tabs" facts(data) children(nodes));
node!(
    BlockTabsItem "tabs-item" facts(data) children(nodes)
    anchor(BlockTabsItemMeta, |it| Source::Words(it.data.title.clone().unwrap_or_default()))
);
node!(BlockStepper "stepper" facts() children(nodes));
node!(BlockStepperStep "stepper-step" facts(data) children(nodes));
node!(BlockColumns "columns" facts(data) children(nodes));
node!(BlockColumn "column" facts(data) children(nodes));
node!(
    BlockSwagger "swagger" facts(data) children()
    anchor(BlockSwaggerMeta, |it| Source::Words(format!("{} {}", it.data.method, it.data.path)))
    refers(refers::of_swagger)
);
node!(
    BlockOpenApiOperation "openapi-operation" facts(data) children()
    anchor(BlockOpenApiOperationMeta, |it| Source::Words(format!("{} {}", it.data.method, it.data.path)))
    refers(refers::of_operation)
);
node!(
    BlockOpenApiSchemas "openapi-schemas" facts(data) children()
    anchor(BlockOpenApiSchemasMeta, |it| Source::Words(it.data.schemas.join(" ")))
    refers(refers::of_schemas)
);
node!(
    BlockOpenApiWebhook "openapi-webhook" facts(data) children()
    anchor(BlockOpenApiWebhookMeta, |it| Source::Words(it.data.name.clone()))
    refers(refers::of_webhook)
);
node!(DocumentTableFragment "table-text" facts() children(nodes));
node!(InlineLink "link" facts(data) children(nodes) refers(refers::of_link));
node!(InlineEmoji "emoji" facts(data) children());
node!(InlineIcon "icon" facts(data) children());
node!(InlineExpression "expression" facts(data) children());
node!(InlineMath "inline-math" facts(data) children());
node!(InlineImage "inline-image" facts(data) children() refers(refers::of_inline_image));
node!(InlineMention "mention" facts(data) children() refers(refers::of_mention));
node!(InlineButton "button" facts(data) children() refers(refers::of_button));
node!(InlineAnnotation "annotation" facts() children(nodes, fragments));
node!(AnnotationBodyFragment "annotation-body" facts() children(nodes));

node_of_variants!(ExpandableFragment: ExpandableTitleFragment, ExpandableBodyFragment);
node_of_variants!(InlineNode: Text, Inline);
node_of_variants!(LinkNode: Text, InlineImage);
node_of_variants!(CodeLineNode: Text, CodeLineInline);
node_of_variants!(CodeLineInline: InlineAnnotation, InlineExpression);
node_of_variants!(
    Inline: InlineLink, InlineEmoji, InlineIcon, InlineExpression, InlineMath, InlineImage, InlineMention, InlineButton,
    InlineAnnotation
);

fn of_heading(id: Option<&str>, nodes: Option<&[InlineNode]>) -> Source {
    match id {
        Some(id) => Source::Chosen(id.to_owned()),
        None => Source::Words(words::of_line(nodes.unwrap_or_default())),
    }
}

fn of_expandable(expandable: &BlockExpandable) -> Source {
    let title = expandable.fragments.iter().find_map(|fragment| match fragment {
        ExpandableFragment::ExpandableTitleFragment(title) => title.nodes.first(),
        ExpandableFragment::ExpandableBodyFragment(_) => None,
    });
    let nodes = title.and_then(|title| title.nodes.as_deref());
    Source::Words(words::of_line(nodes.unwrap_or_default()))
}

impl Node for Text {
    fn key(&self) -> &Option<String> {
        &self.key
    }

    fn key_mut(&mut self) -> &mut Option<String> {
        &mut self.key
    }

    fn name(&self) -> &'static str {
        "text"
    }

    fn facts(&self) -> Value {
        Value::Null
    }

    fn is_block(&self) -> bool {
        false
    }

    fn text(&self) -> Option<&Text> {
        Some(self)
    }

    fn children(&self) -> Vec<Step<'_>> {
        Vec::new()
    }

    fn children_mut(&mut self) -> Vec<&mut dyn Node> {
        Vec::new()
    }
}

/// A caption without text is none.
impl Node for BlockImage {
    fn key(&self) -> &Option<String> {
        &self.key
    }

    fn key_mut(&mut self) -> &mut Option<String> {
        &mut self.key
    }

    fn name(&self) -> &'static str {
        "image"
    }

    fn facts(&self) -> Value {
        serde_json::to_value(&self.data).unwrap_or_default()
    }

    fn references(&self) -> Vec<(Role, ContentRef)> {
        refers::of_image(self)
    }

    fn children(&self) -> Vec<Step<'_>> {
        let captions = steps("fragments", &self.fragments);
        captions
            .zip(&self.fragments)
            .filter(|(_, caption)| !is_blank(caption))
            .map(|(step, _)| step)
            .collect()
    }

    fn children_mut(&mut self) -> Vec<&mut dyn Node> {
        let captions = self.fragments.iter_mut().filter(|caption| !is_blank(caption));
        captions.map(|caption| caption as &mut dyn Node).collect()
    }
}

pub fn is_blank(caption: &CaptionFragment) -> bool {
    match caption.nodes.as_slice() {
        [] => true,
        [paragraph] => paragraph.nodes.iter().flatten().all(order::is_blank_text),
        _ => false,
    }
}

/// The texts of a table are its children in the order of its cells, whatever the order in which they are kept.
impl Node for BlockTable {
    fn key(&self) -> &Option<String> {
        &self.key
    }

    fn key_mut(&mut self) -> &mut Option<String> {
        &mut self.key
    }

    fn name(&self) -> &'static str {
        "table"
    }

    fn facts(&self) -> Value {
        order::facts(self)
    }

    fn references(&self) -> Vec<(Role, ContentRef)> {
        cells::references(self)
    }

    fn table(&self) -> Option<&BlockTable> {
        Some(self)
    }

    fn children(&self) -> Vec<Step<'_>> {
        let texts = order::texts(self).into_iter();
        texts
            .filter_map(|index| {
                let node = self.fragments.get(index)?;
                Some(Step {
                    member: "fragments",
                    index,
                    node,
                })
            })
            .collect()
    }

    fn children_mut(&mut self) -> Vec<&mut dyn Node> {
        let order = order::texts(self);
        let mut fragments: Vec<Option<&mut DocumentTableFragment>> = self.fragments.iter_mut().map(Some).collect();
        let mut found: Vec<&mut dyn Node> = Vec::new();
        for index in order {
            if let Some(fragment) = fragments.get_mut(index).and_then(Option::take) {
                found.push(fragment);
            }
        }
        found
    }
}
