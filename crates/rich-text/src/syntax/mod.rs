//! Syntax: preprocessing, syntax tree, HTML, block tags, attributes, character references and escaping.

pub mod ast;
pub mod attributes;
pub mod bare_addresses;
pub mod block_tags;
pub mod definition_pass;
pub mod entities;
pub mod escape;
pub mod fence_info;
pub mod flanking;
pub mod html;
pub mod line_context;
pub mod link_definitions;
pub mod pieces;
pub mod prepare;
pub mod scripts;
pub mod text_definitions;
