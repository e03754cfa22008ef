//! Constructors of container blocks.

use openapi::models::{
    BlockCode, BlockColumn, BlockColumnData, BlockColumns, BlockColumnsData, BlockExpandable, BlockExpandableData,
    BlockHint, BlockHintData, BlockIf, BlockIfData, BlockPrompt, BlockPromptData, BlockStepper, BlockStepperStep,
    BlockStepperStepData, BlockTabs, BlockTabsData, BlockTabsItem, BlockTabsItemData, BlockUpdate, BlockUpdateData,
    BlockUpdates, BlockUpdatesData, ColumnBlock, DocumentBlock, ExpandableBlock, ExpandableBodyFragment,
    ExpandableFragment, ExpandableTitleFragment, HintBlock, InlineNode, PanelBlock, StepBlock, UpdateBlock,
};

use super::hoist;
use crate::nodes::builders;

pub fn hint(data: BlockHintData, nodes: Vec<HintBlock>) -> DocumentBlock {
    BlockHint {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(nodes),
    }
    .into()
}

pub fn condition(data: BlockIfData, nodes: Vec<DocumentBlock>) -> DocumentBlock {
    BlockIf {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(nodes),
    }
    .into()
}

pub fn tabs(data: BlockTabsData, nodes: Vec<BlockTabsItem>) -> DocumentBlock {
    BlockTabs {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: data.full_width.is_some().then_some(data),
        nodes: Some(nodes),
    }
    .into()
}

pub fn tabs_item(data: BlockTabsItemData, nodes: Vec<PanelBlock>) -> BlockTabsItem {
    BlockTabsItem {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        meta: None,
        nodes: Some(nodes),
    }
}

pub fn stepper(nodes: Vec<BlockStepperStep>) -> DocumentBlock {
    BlockStepper {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: None,
        nodes: Some(nodes),
    }
    .into()
}

pub fn stepper_step(data: BlockStepperStepData, nodes: Vec<StepBlock>) -> BlockStepperStep {
    BlockStepperStep {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(nodes),
    }
}

pub fn updates(data: BlockUpdatesData, nodes: Vec<BlockUpdate>) -> DocumentBlock {
    BlockUpdates {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(nodes),
    }
    .into()
}

pub fn update(data: BlockUpdateData, nodes: Vec<UpdateBlock>) -> BlockUpdate {
    BlockUpdate {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(nodes),
    }
}

pub fn prompt(data: BlockPromptData, nodes: Vec<BlockCode>) -> DocumentBlock {
    BlockPrompt {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(nodes),
    }
    .into()
}

pub fn columns(data: BlockColumnsData, nodes: Vec<BlockColumn>) -> DocumentBlock {
    BlockColumns {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data,
        nodes: Some(nodes),
    }
    .into()
}

pub fn column(data: BlockColumnData, nodes: Vec<ColumnBlock>) -> BlockColumn {
    BlockColumn {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data,
        nodes: Some(nodes),
    }
}

/// Builds an expandable from the blocks that it accepts; the others follow it.
pub fn details(open: Option<bool>, title: Vec<InlineNode>, blocks: Vec<DocumentBlock>) -> Vec<DocumentBlock> {
    let (mut inside, outside) = hoist::split_at_first::<ExpandableBlock>(blocks);
    if inside.is_empty() {
        inside.push(ExpandableBlock::BlockParagraph(builders::paragraph(Vec::new())));
    }
    let title = ExpandableFragment::ExpandableTitleFragment(ExpandableTitleFragment {
        object: Default::default(),
        key: None,
        fragment: Default::default(),
        r#type: Default::default(),
        nodes: vec![builders::paragraph(title)],
    });
    let body = ExpandableFragment::ExpandableBodyFragment(ExpandableBodyFragment {
        object: Default::default(),
        key: None,
        fragment: Default::default(),
        r#type: Default::default(),
        nodes: inside,
    });
    let expandable = BlockExpandable {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: Default::default(),
        data: BlockExpandableData { default_expanded: open },
        meta: None,
        fragments: vec![title, body],
    };
    let mut blocks = vec![expandable.into()];
    blocks.extend(outside);
    blocks
}
