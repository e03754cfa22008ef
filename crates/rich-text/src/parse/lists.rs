//! Lists and list items.

use comrak::{
    Node,
    nodes::{ListType, NodeValue},
};
use openapi::models::{
    BlockListItem, BlockListItemData, BlockListOrdered, BlockListOrderedData, BlockListTasks, BlockListUnordered,
    DocumentBlock, ListItemBlock,
};

use super::{MarkdownParser, container_kind::ContainerKind, hoist};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    Ordered,
    Unordered,
    Tasks,
}

impl<'a> MarkdownParser<'a, '_> {
    /// Parses a list. Returns several lists if it mixes tasks with other items, or if an item contains a block that
    /// lists do not accept.
    pub(super) fn list(&mut self, node: Node<'a>, depth: usize) -> Vec<DocumentBlock> {
        let (ordered, mut number) = match &node.data().value {
            NodeValue::List(list) => (list.list_type == ListType::Ordered, list.start),
            _ => (false, 1),
        };
        let mut lists = Vec::new();
        let mut items: Vec<BlockListItem> = Vec::new();
        let mut kind = ListKind::Unordered;
        let mut start = number;
        for item in node.children() {
            let checked = match &item.data().value {
                NodeValue::TaskItem(task) => Some(task.symbol.is_some()),
                _ => None,
            };
            let own = match (checked, ordered) {
                (Some(_), _) => ListKind::Tasks,
                (None, true) => ListKind::Ordered,
                (None, false) => ListKind::Unordered,
            };
            if own != kind || items.is_empty() {
                lists.extend(list_node(kind, start, std::mem::take(&mut items)));
                (kind, start) = (own, number);
            }
            let blocks = self.blocks(item, ContainerKind::ListItem, depth + 2);
            let (inside, outside) = hoist::split_at_first(blocks);
            items.push(list_item(checked, inside));
            if !outside.is_empty() {
                lists.extend(list_node(kind, start, std::mem::take(&mut items)));
                lists.extend(outside);
            }
            number += 1;
        }
        lists.extend(list_node(kind, start, items));
        lists
    }
}

/// An item; `checked` for tasks.
pub(super) fn list_item(checked: Option<bool>, nodes: Vec<ListItemBlock>) -> BlockListItem {
    BlockListItem {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: checked.map(|checked| BlockListItemData { checked: Some(checked) }),
        nodes: Some(nodes),
    }
}

/// `None`: there are no items.
pub(super) fn list_node(kind: ListKind, start: usize, mut items: Vec<BlockListItem>) -> Option<DocumentBlock> {
    if items.is_empty() {
        return None;
    }

    items.shrink_to_fit();
    let nodes = Some(items);
    Some(match kind {
        ListKind::Ordered => BlockListOrdered {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: None,
            data: BlockListOrderedData {
                start: u32::try_from(start).ok().filter(|start| *start != 1),
            },
            nodes,
        }
        .into(),
        ListKind::Unordered => BlockListUnordered {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: None,
            data: None,
            nodes,
        }
        .into(),
        ListKind::Tasks => BlockListTasks {
            object: Default::default(),
            r#type: Default::default(),
            key: None,
            is_void: None,
            data: None,
            nodes,
        }
        .into(),
    })
}
