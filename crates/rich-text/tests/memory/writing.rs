//! Peak memory of the steps of a write, by the shape of the text.

use rich_text::{DocumentError, DocumentLimits, IdPathResolver, LinkChange, check_memory};

use crate::{
    peak,
    shapes::{SHAPES, Shape},
};

/// Shapes that take the most memory of those with as many bytes, which are few enough that their nodes are limited most.
const DENSE: [&str; 9] = [
    "paragraphs in hints",
    "html tables in a hint",
    "links to many targets in a text",
    "comment of empty lines",
    "mail addresses",
    "pipe table",
    "rows without bars",
    "long html table of one column",
    "long table of one column",
];
const DENSE_LENGTH: usize = 100_000;

/// Shapes that take the most memory for each byte of a long text.
const LONG: [&str; 3] = ["code of empty lines", "comment of empty lines", "links in a text"];
const LONG_LENGTH: usize = 300_000;

/// Tables of one column, which take the most memory for each byte of a text of a megabyte.
const TABLES: [&str; 1] = ["rows without bars"];
const TABLE_LENGTH: usize = 1_000_000;

/// The most memory of the steps of a write: for each byte of the text, and for the nodes of its largest block.
const FACTOR: usize = 8;
const LARGEST_BLOCK: usize = 160_000_000;

fn rewrite(text: &str) -> Result<(), DocumentError> {
    rich_text::rewrite_links(text, &mut |_, _| LinkChange::Keep).map(drop)
}

fn extract(text: &str) -> Result<(), DocumentError> {
    rich_text::extract(text, &DocumentLimits::of_new_texts(), &IdPathResolver, &mut drop).map(drop)
}

/// The steps of writing a text of this shape: checking it, and if it is accepted, rewriting and extracting its links.
pub fn measure(shape: &Shape, length: usize, exceeded: &mut Vec<String>) {
    let text = shape.text(length);
    let with_definition = format!("[zz]: b\n\n{text}");
    let reserved = check_memory(&text);
    let mut require = |step: &str, taken: usize, reserved: usize| {
        if taken > reserved {
            exceeded.push(format!("{} {length}: {step} {taken} of {reserved}", shape.name));
        }
    };
    require("the reservation", reserved, text.len() * FACTOR + LARGEST_BLOCK);
    let each = |bytes: usize| bytes as f64 / text.len() as f64;
    let (checking, checked) = peak(|| rich_text::check(&text, &DocumentLimits::of_new_texts()));
    require("checking", checking, reserved);
    print!("{:>36} {:>8} {:>6.1}", shape.name, text.len(), each(checking));
    if let Err(refusal) = checked {
        println!("                        {:>6.1}  {}", each(reserved), refusal.message);
        return;
    }
    let (rewriting, rewritten) = peak(|| rewrite(&text));
    require("rewriting", rewriting, reserved);
    let (with_definition, rewritten_with_definition) = peak(|| rewrite(&with_definition));
    require("rewriting with a definition", with_definition, reserved);
    let (extracting, extracted) = peak(|| extract(&text));
    require("extracting", extracting, reserved);
    assert!(rewritten.is_ok() && rewritten_with_definition.is_ok() && extracted.is_ok());
    println!(
        " {:>6.1} {:>6.1} {:>6.1}   {:>6.1}",
        each(rewriting),
        each(with_definition),
        each(extracting),
        each(reserved),
    );
}

/// Longer texts of the shapes that take the most memory.
pub fn measure_dense(exceeded: &mut Vec<String>) {
    for (names, length) in [
        (DENSE.as_slice(), DENSE_LENGTH),
        (LONG.as_slice(), LONG_LENGTH),
        (TABLES.as_slice(), TABLE_LENGTH),
    ] {
        for name in names {
            let shape = SHAPES.iter().find(|shape| shape.name == *name);
            assert!(shape.is_some(), "{name}");
            shape.into_iter().for_each(|shape| measure(shape, length, exceeded));
        }
    }
}
