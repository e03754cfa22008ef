//! The node types of the contract as [`Node`]s.

use openapi::models::{
    AnnotationBodyFragment, BlockBlockquote, BlockCode, BlockCodeLine, BlockColumn, BlockColumns, BlockContentRef,
    BlockDivider, BlockDrawing, BlockEmbed, BlockExpandable, BlockExpandableMeta, BlockFile, BlockHeading1,
    BlockHeading1Meta, BlockHeading2, BlockHeading2Meta, BlockHeading3, BlockHeading3Meta, BlockHint, BlockIf,
    BlockImage, BlockImages, BlockIntegration, BlockListItem, BlockListOrdered, BlockListTasks, BlockListUnordered,
    BlockMath, BlockOpenApiOperation, BlockOpenApiOperationMeta, BlockOpenApiSchemas, BlockOpenApiSchemasMeta,
    BlockOpenApiWebhook, BlockOpenApiWebhookMeta, BlockParagraph, BlockReusableContent, BlockStepper, BlockStepperStep,
    BlockSwagger, BlockSwaggerMeta, BlockTable, BlockTabs, BlockTabsItem, BlockTabsItemMeta, CaptionFragment,
    ContentRef, DocumentTableFragment, ExpandableBodyFragment, ExpandableFragment, ExpandableTitleFragment,
    InlineAnnotation, InlineButton, InlineEmoji, InlineExpression, InlineIcon, InlineImage, InlineLink, InlineMath,
    InlineMention, InlineNode, Text,
};
use serde_json::Value;

use super::{
    node::{AnchorSource, AsNode, Child, Node, NodeList, children_of},
    plain_text, references, table_cells, table_layout,
};
use crate::resolver::ReferenceRole;

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
                fn anchor(&self) -> Option<AnchorSource> {
                    let source: fn(&$kind) -> AnchorSource = $source;
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
                // Block types have this prefix in the contract.
                stringify!($kind).starts_with("Block")
            }
            $(
                fn references(&self) -> Vec<(ReferenceRole, ContentRef)> {
                    let references: fn(&$kind) -> Vec<(ReferenceRole, ContentRef)> = $references;
                    references(self)
                }
            )?
            fn children(&self) -> Vec<Child<'_>> {
                let found = std::iter::empty();
                $(let found = found.chain(children_of(stringify!($member), NodeList::all(&self.$member)));)*
                found.collect()
            }
            fn children_mut(&mut self) -> Vec<&mut dyn Node> {
                let found = std::iter::empty();
                $(
                    let members = NodeList::all_mut(&mut self.$member).iter_mut();
                    let found = found.chain(members.map(AsNode::as_node_mut));
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
node!(BlockFile "file" facts(data) children() refers(references::of_file));
node!(BlockDrawing "drawing" facts(data) children() refers(references::of_drawing));
node!(BlockEmbed "embed" facts(data) children());
node!(BlockContentRef "content-ref" facts(data) children() refers(references::of_content_ref));
node!(BlockReusableContent "reusable-content" facts(data) children() refers(references::of_reusable_content));
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
    anchor(BlockTabsItemMeta, |it| AnchorSource::Derived(it.data.title.clone().unwrap_or_default()))
);
node!(BlockStepper "stepper" facts() children(nodes));
node!(BlockStepperStep "stepper-step" facts(data) children(nodes));
node!(BlockColumns "columns" facts(data) children(nodes));
node!(BlockColumn "column" facts(data) children(nodes));
node!(
    BlockSwagger "swagger" facts(data) children()
    anchor(BlockSwaggerMeta, |it| AnchorSource::Derived(format!("{} {}", it.data.method, it.data.path)))
    refers(references::of_swagger)
);
node!(
    BlockOpenApiOperation "openapi-operation" facts(data) children()
    anchor(BlockOpenApiOperationMeta, |it| AnchorSource::Derived(format!("{} {}", it.data.method, it.data.path)))
    refers(references::of_operation)
);
node!(
    BlockOpenApiSchemas "openapi-schemas" facts(data) children()
    anchor(BlockOpenApiSchemasMeta, |it| AnchorSource::Derived(it.data.schemas.join(" ")))
    refers(references::of_schemas)
);
node!(
    BlockOpenApiWebhook "openapi-webhook" facts(data) children()
    anchor(BlockOpenApiWebhookMeta, |it| AnchorSource::Derived(it.data.name.clone()))
    refers(references::of_webhook)
);
node!(DocumentTableFragment "table-text" facts() children(nodes));
node!(InlineLink "link" facts(data) children(nodes) refers(references::of_link));
node!(InlineEmoji "emoji" facts(data) children());
node!(InlineIcon "icon" facts(data) children());
node!(InlineExpression "expression" facts(data) children());
node!(InlineMath "inline-math" facts(data) children());
node!(InlineImage "inline-image" facts(data) children() refers(references::of_inline_image));
node!(InlineMention "mention" facts(data) children() refers(references::of_mention));
node!(InlineButton "button" facts(data) children() refers(references::of_button));
node!(InlineAnnotation "annotation" facts() children(nodes, fragments));
node!(AnnotationBodyFragment "annotation-body" facts() children(nodes));

fn of_heading(id: Option<&str>, nodes: Option<&[InlineNode]>) -> AnchorSource {
    match id {
        Some(id) => AnchorSource::Explicit(id.to_owned()),
        None => AnchorSource::Derived(plain_text::of_inlines(nodes.unwrap_or_default())),
    }
}

fn of_expandable(expandable: &BlockExpandable) -> AnchorSource {
    let title = expandable.fragments.iter().find_map(|fragment| match fragment {
        ExpandableFragment::ExpandableTitleFragment(title) => title.nodes.first(),
        ExpandableFragment::ExpandableBodyFragment(_) => None,
    });
    let nodes = title.and_then(|title| title.nodes.as_deref());
    AnchorSource::Derived(plain_text::of_inlines(nodes.unwrap_or_default()))
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

    fn children(&self) -> Vec<Child<'_>> {
        Vec::new()
    }

    fn children_mut(&mut self) -> Vec<&mut dyn Node> {
        Vec::new()
    }
}

/// A blank caption counts as absent.
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

    fn references(&self) -> Vec<(ReferenceRole, ContentRef)> {
        references::of_image(self)
    }

    fn children(&self) -> Vec<Child<'_>> {
        let captions = children_of("fragments", &self.fragments);
        captions
            .zip(&self.fragments)
            .filter(|(_, caption)| !plain_text::is_blank_caption(caption))
            .map(|(step, _)| step)
            .collect()
    }

    fn children_mut(&mut self) -> Vec<&mut dyn Node> {
        let captions = self
            .fragments
            .iter_mut()
            .filter(|caption| !plain_text::is_blank_caption(caption));
        captions.map(|caption| caption as &mut dyn Node).collect()
    }
}

/// The children of a table are its text fragments in the order of its cells, whatever their stored order.
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
        table_layout::facts(self)
    }

    fn references(&self) -> Vec<(ReferenceRole, ContentRef)> {
        table_cells::references(self)
    }

    fn table(&self) -> Option<&BlockTable> {
        Some(self)
    }

    fn children(&self) -> Vec<Child<'_>> {
        let texts = table_layout::texts(self).into_iter();
        texts
            .filter_map(|index| {
                let node = self.fragments.get(index)?;
                Some(Child {
                    member: "fragments",
                    index,
                    node,
                })
            })
            .collect()
    }

    fn children_mut(&mut self) -> Vec<&mut dyn Node> {
        let order = table_layout::texts(self);
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
