//! The node types of the contract as [`DocumentNode`]s.

use openapi::models::{
    AnnotationBodyFragment, BlockBlockquote, BlockCode, BlockCodeLine, BlockColumn, BlockColumns, BlockContentRef,
    BlockDivider, BlockDrawing, BlockEmbed, BlockExpandable, BlockExpandableMeta, BlockFile, BlockHeading1,
    BlockHeading1Meta, BlockHeading2, BlockHeading2Meta, BlockHeading3, BlockHeading3Meta, BlockHint, BlockIf,
    BlockImage, BlockImages, BlockIntegration, BlockListItem, BlockListOrdered, BlockListTasks, BlockListUnordered,
    BlockMath, BlockOpenApiOperation, BlockOpenApiOperationMeta, BlockOpenApiSchemas, BlockOpenApiSchemasMeta,
    BlockOpenApiWebhook, BlockOpenApiWebhookMeta, BlockParagraph, BlockPrompt, BlockReusableContent, BlockStepper,
    BlockStepperStep, BlockSwagger, BlockSwaggerMeta, BlockTable, BlockTabs, BlockTabsItem, BlockTabsItemMeta,
    BlockUpdate, BlockUpdates, CaptionFragment, ContentRef, DocumentTableFragment, ExpandableBodyFragment,
    ExpandableFragment, ExpandableTitleFragment, InlineAnnotation, InlineButton, InlineEmoji, InlineExpression,
    InlineIcon, InlineImage, InlineLink, InlineMath, InlineMention, InlineNode, Text,
};
use serde_json::Value;

use super::{
    node::{AnchorSource, AsNode, ChildNode, ChildNodes, DocumentNode, NodeList, NodesMut, children_of},
    plain_text, references, table_cells, table_layout,
};
use crate::resolver::ReferenceRole;

macro_rules! node {
    (
        $kind:ident $name:literal data($($data:ident)?) children($($member:ident),*)
        $(anchor($meta:ident, $source:expr))?
        $(references($references:expr))?
        $(addresses($addresses:expr))?
    ) => {
        impl DocumentNode for $kind {
            fn key(&self) -> &Option<String> {
                &self.key
            }
            fn key_mut(&mut self) -> &mut Option<String> {
                &mut self.key
            }
            fn name(&self) -> &'static str {
                $name
            }
            fn data(&self) -> Value {
                let data = Value::Null;
                $(let _ = data; let data = serde_json::to_value(&self.$data).unwrap_or_default();)?
                data
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
            $(
                fn addresses(&self) -> Vec<(ReferenceRole, &str)> {
                    let addresses: fn(&$kind) -> Vec<(ReferenceRole, &str)> = $addresses;
                    addresses(self)
                }
            )?
            fn children(&self) -> ChildNodes<'_> {
                let children = std::iter::empty();
                $(let children = children.chain(children_of(stringify!($member), NodeList::all(&self.$member)));)*
                Box::new(children)
            }
            fn children_mut(&mut self) -> NodesMut<'_> {
                let children = std::iter::empty();
                $(
                    let members = NodeList::all_mut(&mut self.$member).iter_mut();
                    let children = children.chain(members.map(AsNode::as_node_mut));
                )*
                Box::new(children)
            }
        }
    };
}

node!(BlockParagraph "paragraph" data(data) children(nodes));
node!(
    BlockHeading1 "heading-1" data(data) children(nodes)
    anchor(BlockHeading1Meta, |it| heading_anchor(it.data.id.as_deref(), it.nodes.as_deref()))
);
node!(
    BlockHeading2 "heading-2" data(data) children(nodes)
    anchor(BlockHeading2Meta, |it| heading_anchor(it.data.id.as_deref(), it.nodes.as_deref()))
);
node!(
    BlockHeading3 "heading-3" data(data) children(nodes)
    anchor(BlockHeading3Meta, |it| heading_anchor(it.data.id.as_deref(), it.nodes.as_deref()))
);
node!(BlockListOrdered "list-ordered" data(data) children(nodes));
node!(BlockListUnordered "list-unordered" data() children(nodes));
node!(BlockListTasks "list-tasks" data() children(nodes));
node!(BlockListItem "list-item" data(data) children(nodes));
node!(BlockDivider "divider" data() children());
node!(BlockBlockquote "blockquote" data() children(nodes));
node!(BlockHint "hint" data(data) children(nodes));
node!(BlockIf "if" data(data) children(nodes));
node!(BlockImages "images" data(data) children(nodes));
node!(CaptionFragment "caption" data() children(nodes));
node!(BlockFile "file" data(data) children() references(references::file_references));
node!(BlockDrawing "drawing" data(data) children() references(references::drawing_references));
node!(BlockEmbed "embed" data(data) children() addresses(references::embed_addresses));
node!(BlockContentRef "content-ref" data(data) children() references(references::content_ref_references));
node!(BlockReusableContent "reusable-content" data(data) children() references(references::reusable_content_references));
node!(BlockIntegration "integration" data(data) children());
node!(BlockCode "code" data(data) children(nodes));
node!(BlockCodeLine "code-line" data(data) children(nodes));
node!(BlockMath "math" data(data) children());
node!(BlockExpandable "expandable" data(data) children(fragments) anchor(BlockExpandableMeta, expandable_anchor));
node!(ExpandableTitleFragment "expandable-title" data() children(nodes));
node!(ExpandableBodyFragment "expandable-body" data() children(nodes));
node!(BlockTabs "tabs" data(data) children(nodes));
node!(
    BlockTabsItem "tabs-item" data(data) children(nodes)
    anchor(BlockTabsItemMeta, |it| AnchorSource::Derived(it.data.title.clone().unwrap_or_default()))
);
node!(BlockStepper "stepper" data() children(nodes));
node!(BlockStepperStep "stepper-step" data(data) children(nodes));
node!(BlockUpdates "updates" data(data) children(nodes));
node!(BlockUpdate "update" data(data) children(nodes));
node!(BlockPrompt "prompt" data(data) children(nodes));
node!(BlockColumns "columns" data(data) children(nodes));
node!(BlockColumn "column" data(data) children(nodes));
node!(
    BlockSwagger "swagger" data(data) children()
    anchor(BlockSwaggerMeta, |it| AnchorSource::Derived(format!("{} {}", it.data.method, it.data.path)))
    references(references::swagger_references)
    addresses(references::swagger_addresses)
);
node!(
    BlockOpenApiOperation "openapi-operation" data(data) children()
    anchor(BlockOpenApiOperationMeta, |it| AnchorSource::Derived(format!("{} {}", it.data.method, it.data.path)))
    references(references::operation_references)
    addresses(references::operation_addresses)
);
node!(
    BlockOpenApiSchemas "openapi-schemas" data(data) children()
    anchor(BlockOpenApiSchemasMeta, |it| AnchorSource::Derived(it.data.schemas.join(" ")))
    references(references::schemas_references)
    addresses(references::schemas_addresses)
);
node!(
    BlockOpenApiWebhook "openapi-webhook" data(data) children()
    anchor(BlockOpenApiWebhookMeta, |it| AnchorSource::Derived(it.data.name.clone()))
    references(references::webhook_references)
    addresses(references::webhook_addresses)
);
node!(DocumentTableFragment "table-text" data() children(nodes));
node!(InlineLink "link" data(data) children(nodes) references(references::link_references));
node!(InlineEmoji "emoji" data(data) children());
node!(InlineIcon "icon" data(data) children());
node!(InlineExpression "expression" data(data) children());
node!(InlineMath "inline-math" data(data) children());
node!(InlineImage "inline-image" data(data) children() references(references::inline_image_references));
node!(InlineMention "mention" data(data) children() references(references::mention_references));
node!(InlineButton "button" data(data) children() references(references::button_references));
node!(InlineAnnotation "annotation" data() children(nodes, fragments));
node!(AnnotationBodyFragment "annotation-body" data() children(nodes));

fn heading_anchor(id: Option<&str>, nodes: Option<&[InlineNode]>) -> AnchorSource {
    match id {
        Some(id) => AnchorSource::Explicit(id.to_owned()),
        None => AnchorSource::Derived(plain_text::of_inlines(nodes.unwrap_or_default())),
    }
}

fn expandable_anchor(expandable: &BlockExpandable) -> AnchorSource {
    let title = expandable.fragments.iter().find_map(|fragment| match fragment {
        ExpandableFragment::ExpandableTitleFragment(title) => title.nodes.first(),
        ExpandableFragment::ExpandableBodyFragment(_) => None,
    });
    let nodes = title.and_then(|title| title.nodes.as_deref());
    AnchorSource::Derived(plain_text::of_inlines(nodes.unwrap_or_default()))
}

impl DocumentNode for Text {
    fn key(&self) -> &Option<String> {
        &self.key
    }

    fn key_mut(&mut self) -> &mut Option<String> {
        &mut self.key
    }

    fn name(&self) -> &'static str {
        "text"
    }

    fn data(&self) -> Value {
        Value::Null
    }

    fn is_block(&self) -> bool {
        false
    }

    fn text(&self) -> Option<&Text> {
        Some(self)
    }

    fn children(&self) -> ChildNodes<'_> {
        Box::new(std::iter::empty())
    }

    fn children_mut(&mut self) -> NodesMut<'_> {
        Box::new(std::iter::empty())
    }
}

/// A blank caption counts as absent.
impl DocumentNode for BlockImage {
    fn key(&self) -> &Option<String> {
        &self.key
    }

    fn key_mut(&mut self) -> &mut Option<String> {
        &mut self.key
    }

    fn name(&self) -> &'static str {
        "image"
    }

    fn data(&self) -> Value {
        serde_json::to_value(&self.data).unwrap_or_default()
    }

    fn references(&self) -> Vec<(ReferenceRole, ContentRef)> {
        references::image_references(self)
    }

    fn children(&self) -> ChildNodes<'_> {
        let captions = children_of("fragments", &self.fragments).zip(&self.fragments);
        let filled = captions.filter(|(_, caption)| !plain_text::is_blank_caption(caption));
        Box::new(filled.map(|(step, _)| step))
    }

    fn children_mut(&mut self) -> NodesMut<'_> {
        let captions = self
            .fragments
            .iter_mut()
            .filter(|caption| !plain_text::is_blank_caption(caption));
        Box::new(captions.map(AsNode::as_node_mut))
    }
}

/// The children of a table are its text fragments in the order of its cells, whatever their stored order.
impl DocumentNode for BlockTable {
    fn key(&self) -> &Option<String> {
        &self.key
    }

    fn key_mut(&mut self) -> &mut Option<String> {
        &mut self.key
    }

    fn name(&self) -> &'static str {
        "table"
    }

    fn data(&self) -> Value {
        Value::Null
    }

    fn references(&self) -> Vec<(ReferenceRole, ContentRef)> {
        table_cells::references(self)
    }

    fn table(&self) -> Option<&BlockTable> {
        Some(self)
    }

    fn children(&self) -> ChildNodes<'_> {
        let texts = table_layout::filled_fragments(self).into_iter();
        Box::new(texts.filter_map(|index| {
            let node = self.fragments.get(index)?;
            Some(ChildNode {
                member: "fragments",
                index,
                node,
            })
        }))
    }

    fn children_mut(&mut self) -> NodesMut<'_> {
        let order = table_layout::filled_fragments(self);
        let mut fragments: Vec<Option<&mut DocumentTableFragment>> = self.fragments.iter_mut().map(Some).collect();
        let mut children: Vec<&mut dyn DocumentNode> = Vec::new();
        for index in order {
            if let Some(fragment) = fragments.get_mut(index).and_then(Option::take) {
                children.push(fragment);
            }
        }
        Box::new(children.into_iter())
    }
}
