//! Peak memory of a text that is parsed block by block, by the shape of the text.

mod shapes;

use peak_alloc::PeakAlloc;
use rich_text::{
    DocumentError, DocumentLimits, DocumentStream, PartWriter, UrlResolver, check_memory, document_memory, render_with,
    rendering_memory, stream_memory,
};
use shapes::SHAPES;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Lengths of the texts; `LENGTHS=300000,1000000` has others. `ONLY=code` chooses the shapes with this word in their names.
const LENGTHS: &str = "10000";

/// Shapes whose long texts take the most memory for a byte.
const DENSE: [&str; 5] = ["links", "entities", "escapes", "code in tabs", "html tables in a hint"];
const DENSE_LENGTH: usize = 1_000_000;

/// A shape whose long texts have the most JSON in one piece.
const LONG_PIECE: &str = "code of empty lines";
const READING_FACTOR: usize = 100;

/// Returns the peak of allocated bytes during `work`, beyond those before it.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = work();
    (MEMORY.peak_usage().saturating_sub(before), result)
}

/// Reads a text as nodes, with the JSON of one piece at a time. Returns the most memory between the pieces.
fn read(text: &str, limits: &DocumentLimits) -> Result<usize, DocumentError> {
    let before = MEMORY.current_usage();
    let mut stream = DocumentStream::new(text, limits, &UrlResolver)?;
    let (mut writer, mut between) = (PartWriter::default(), 0);
    loop {
        let mut json = Vec::new();
        let has_more = stream.next_piece(&mut |part| assert!(writer.write(&part, &mut json).is_ok()))?;
        drop(json);
        between = between.max(MEMORY.current_usage().saturating_sub(before));
        if !has_more {
            return Ok(between);
        }
    }
}

/// Long texts of the shapes that take the most memory for a byte.
fn check_dense(exceeded: &mut Vec<String>) {
    for shape in SHAPES.iter().filter(|shape| DENSE.contains(&shape.name)) {
        let text = shape.text(DENSE_LENGTH);
        let (writing, _) = peak(|| rich_text::check(&text, &DocumentLimits::of_new_texts()));
        if writing > check_memory(&text) {
            exceeded.push(format!("{}: {writing} for {} bytes", shape.name, text.len()));
        }
    }
    for shape in SHAPES.iter().filter(|shape| shape.name == LONG_PIECE) {
        let text = shape.text(DENSE_LENGTH);
        let (reading, _) = peak(|| read(&text, &DocumentLimits::default()));
        if reading > text.len() * READING_FACTOR {
            exceeded.push(format!("{}: reading {reading} of {} bytes", shape.name, text.len()));
        }
    }
}

/// Everything in one test, because the peak is that of the process.
#[test]
fn memory_is_what_is_reserved_at_most() {
    let lengths = std::env::var("LENGTHS").unwrap_or_else(|_| LENGTHS.to_owned());
    let lengths: Vec<usize> = lengths.split(',').map(|length| length.parse().unwrap()).collect();
    let mut exceeded = Vec::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    if only.is_empty() {
        check_dense(&mut exceeded);
    }
    println!("bytes for each byte: read, written, rendered for each byte of the JSON, reserved for each");
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(&only)) {
        for length in &lengths {
            let text = shape.text(*length);
            let old = DocumentLimits::default();
            let new = DocumentLimits::of_new_texts();
            let reserved = old.parse_memory(&text);
            let (reading, between) = peak(|| read(&text, &old));
            let between = between.unwrap_or_default();
            let (writing, written) = peak(|| rich_text::check(&text, &new));
            let (whole, document) = peak(|| rich_text::parse(&text, &old));
            let (mut rendering, mut reserved_for_rendering, mut json) = (0, 0, 1);
            if let Ok(document) = &document {
                (rendering, _) = peak(|| render_with(document, &new, &UrlResolver));
                reserved_for_rendering = rendering_memory(document);
                json = serde_json::to_vec(document).unwrap().len();
            }
            let each = |bytes: usize| bytes as f64 / text.len() as f64;
            let of_json = |bytes: usize| bytes as f64 / json as f64;
            println!(
                "{:>32} {:>8} {:>6.1} {:>6.1} {:>6.1}   {:>6.1} {:>6.1}  {}",
                shape.name,
                text.len(),
                each(reading),
                each(writing),
                of_json(rendering),
                each(reserved),
                of_json(reserved_for_rendering),
                written.err().map(|error| error.message).unwrap_or_default(),
            );
            if reading > reserved || writing > reserved {
                exceeded.push(format!(
                    "{} {length}: reading {reading} or writing {writing} of {reserved}",
                    shape.name
                ));
            }
            if writing > check_memory(&text) {
                exceeded.push(format!("{}: {writing} for {length} bytes", shape.name));
            }
            if between > stream_memory(&text) {
                let reserved = stream_memory(&text);
                exceeded.push(format!(
                    "{} {length}: between pieces {between} of {reserved}",
                    shape.name
                ));
            }
            if whole > document_memory(&text) {
                exceeded.push(format!(
                    "{} {length}: the whole document {whole} of {}",
                    shape.name,
                    document_memory(&text)
                ));
            }
            if rendering > reserved_for_rendering {
                exceeded.push(format!(
                    "{} {length}: rendering {rendering} of {reserved_for_rendering}",
                    shape.name
                ));
            }
        }
    }
    assert!(exceeded.is_empty(), "{exceeded:#?}");
}
