//! The syntax of the Markdown: preparation, syntax tree, HTML, block tags, attributes, entities and escaping.

pub mod ast;
pub mod attributes;
pub mod entities;
pub mod escape;
pub mod html;
pub mod link_definitions;
pub mod prepare;
pub mod tags;
