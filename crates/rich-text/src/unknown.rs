//! Syntax that nodes keep as it was written.

use crate::{
    AsNode, DocumentError, DocumentLimits, DocumentNode, DocumentStream, UrlResolver, syntax::block_tags::BlockTag,
};

/// Returns the tags and blocks that have no nodes of their own, in the order of the text. Comments are not among them, nor are
/// the ends of tags, tags that include a text, and words in angle brackets, which stand for themselves.
pub fn unknown_syntax(markdown: &str) -> Result<Vec<String>, DocumentError> {
    if !markdown.contains('<') && !markdown.contains("{%") {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let mut stream = DocumentStream::new(markdown, &DocumentLimits::default(), &UrlResolver)?;
    stream.for_each(&mut |block| collect(block.as_node(), &mut found))?;
    Ok(found)
}

fn collect(node: &dyn DocumentNode, found: &mut Vec<String>) {
    let leaves = node.text().into_iter().flat_map(|text| &text.leaves);
    let unseen = leaves.filter(|leaf| leaf.source.as_ref() != Some(&leaf.text));
    let sources = unseen.filter_map(|leaf| leaf.source.as_deref());
    let is_include = |source: &str| BlockTag::parse(source).is_some_and(|tag| tag.included().is_some());
    let is_left_out =
        |source: &&str| ["<!--", "</", "{% end"].iter().any(|start| source.starts_with(start)) || is_include(source);
    found.extend(sources.filter(|source| !is_left_out(source)).map(str::to_owned));
    for child in node.children() {
        collect(child.node, found);
    }
}
