//! A text that is parsed in pieces has the same nodes as one that is parsed as a whole.

use openapi::models::DocumentBlock;
use proptest::{collection::vec, prelude::*};

use super::{cases, generated};
use crate::{DocumentLimits, UrlResolver, error::DocumentError, parse::BlockParser};

fn blocks(markdown: &str, least: usize) -> Result<Vec<DocumentBlock>, DocumentError> {
    let limits = DocumentLimits::default();
    let mut parser = BlockParser::new(markdown.into(), &limits, &UrlResolver)?.in_pieces_of(least);
    let mut blocks = Vec::new();
    while parser.next_piece(&mut |block| {
        blocks.push(block);
        Ok(())
    })? {}
    Ok(blocks)
}

#[track_caller]
fn assert_same(markdown: &str) {
    assert_eq!(blocks(markdown, 1), blocks(markdown, usize::MAX), "{markdown:?}");
}

#[test]
fn pieces_of_samples() {
    let everything = include_str!("samples/everything.md");
    assert_same(everything);
    // Without definitions, which keep a text in one piece.
    let lines = everything.lines().filter(|line| !line.contains("]:"));
    assert_same(&lines.collect::<Vec<_>>().join("\n"));
    let parts: Vec<&str> = everything.split("\n\n").filter(|part| !part.contains("]:")).collect();
    for (at, part) in parts.iter().enumerate() {
        for other in parts.iter().skip(at) {
            assert_same(&format!("{part}\n\n{other}\n\nend"));
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn pieces_of_generated_texts(parts in vec(vec(0..generated::PIECES.len(), 0..6), 1..8)) {
        let texts: Vec<String> = parts.iter().map(|part| generated::text(part).0.replace("]:", "]")).collect();
        assert_same(&texts.join("\n\n"));
    }
}
