//! Peak memory of a text that is parsed block by block, by the shape of the text.

mod shapes;
mod writing;

use peak_alloc::PeakAlloc;
use rich_text::{
    DocumentError, DocumentLimits, DocumentStream, PartWriter, UrlResolver, document_memory, opening_memory,
    render_with, rendering_memory, stream_memory,
};
use shapes::SHAPES;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Lengths of the texts; `LENGTHS=300000,1000000` has others. `ONLY=code` chooses the shapes with this word in their names.
const LENGTHS: &str = "10000";

/// A shape whose long texts have the most JSON in one piece.
const LONG_PIECE: &str = "code of empty lines";
const LONG_PIECE_LENGTH: usize = 300_000;
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

/// The most memory of a step of reading a text as nodes, and the most that is reserved for a step.
#[derive(Clone, Copy, Default)]
struct Steps {
    taken: usize,
    reserved: usize,
    /// The most that a step took beyond its reservation.
    beyond: usize,
}

/// Reads a text as nodes, with the JSON of one piece at a time, and compares what each step takes with what is reserved for it.
fn steps(text: &str, limits: &DocumentLimits) -> Result<Steps, DocumentError> {
    let opening = opening_memory(text, limits);
    let (taken, stream) = peak(|| DocumentStream::new(text, limits, &UrlResolver));
    let (mut stream, mut writer) = (stream?, PartWriter::default());
    let mut steps = Steps {
        taken,
        reserved: opening,
        beyond: taken.saturating_sub(opening),
    };
    loop {
        let reserved = stream.next_memory();
        let (taken, has_more) = peak(|| {
            let mut json = Vec::new();
            stream.next_piece(&mut |part| assert!(writer.write(&part, &mut json).is_ok()))
        });
        steps = Steps {
            taken: steps.taken.max(taken),
            reserved: steps.reserved.max(reserved),
            beyond: steps.beyond.max(taken.saturating_sub(reserved)),
        };
        if !has_more? {
            return Ok(steps);
        }
    }
}

/// The nodes of a text as values, as they are printed.
fn print(text: &str, limits: &DocumentLimits) -> Result<Vec<serde_json::Value>, DocumentError> {
    let mut nodes = Vec::new();
    let mut stream = DocumentStream::new(text, limits, &UrlResolver)?;
    stream.for_each(&mut |block| nodes.extend(serde_json::to_value(block)))?;
    Ok(nodes)
}

/// Long texts whose JSON takes the most memory at once.
fn read_long_pieces(exceeded: &mut Vec<String>) {
    for shape in SHAPES.iter().filter(|shape| shape.name == LONG_PIECE) {
        let text = shape.text(LONG_PIECE_LENGTH);
        let (reading, _) = peak(|| read(&text, &DocumentLimits::default()));
        if reading > text.len() * READING_FACTOR {
            exceeded.push(format!("{}: reading {reading} of {} bytes", shape.name, text.len()));
        }
    }
}

/// The steps of writing texts, long ones of the shapes that take the most. `WRITTEN=300000` measures all of this length.
fn write(only: &str, exceeded: &mut Vec<String>) {
    println!("bytes for each byte: checked, rewritten, rewritten with a definition, extracted, reserved for each step");
    let length: Option<usize> = std::env::var("WRITTEN").ok().and_then(|length| length.parse().ok());
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(only)) {
        writing::measure(shape, length.unwrap_or(10_000), exceeded);
    }
    if length.is_none() {
        writing::measure_dense(exceeded);
    }
}

/// Everything in one test, because the peak is that of the process.
#[test]
fn memory_is_what_is_reserved_at_most() {
    let lengths = std::env::var("LENGTHS").unwrap_or_else(|_| LENGTHS.to_owned());
    let lengths: Vec<usize> = lengths.split(',').map(|length| length.parse().unwrap()).collect();
    let mut exceeded = Vec::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    write(&only, &mut exceeded);
    read_long_pieces(&mut exceeded);
    println!(
        "bytes for each byte: read, written, rendered for each byte of the JSON, reserved for each; a step of reading and its reservation; the whole document and its reservation, and printed"
    );
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(&only)) {
        for length in &lengths {
            let text = shape.text(*length);
            let old = DocumentLimits::default();
            let new = DocumentLimits::of_new_texts();
            let reserved = old.parse_memory(&text);
            let (reading, between) = peak(|| read(&text, &old));
            let between = between.unwrap_or_default();
            let step = steps(&text, &old).unwrap_or_default();
            if step.beyond > 0 {
                exceeded.push(format!(
                    "{} {length}: a step takes {} bytes beyond its reservation",
                    shape.name, step.beyond
                ));
            }
            let (writing, written) = peak(|| rich_text::check(&text, &new));
            let (whole, document) = peak(|| rich_text::parse(&text, &old));
            let (printing, _) = peak(|| print(&text, &old));
            let (mut rendering, mut reserved_for_rendering, mut json) = (0, 0, 1);
            if let Ok(document) = &document {
                (rendering, _) = peak(|| render_with(document, &new, &UrlResolver));
                reserved_for_rendering = rendering_memory(document);
                json = serde_json::to_vec(document).unwrap().len();
            }
            let each = |bytes: usize| bytes as f64 / text.len() as f64;
            let of_json = |bytes: usize| bytes as f64 / json as f64;
            println!(
                "{:>32} {:>8} {:>6.1} {:>6.1} {:>6.1}   {:>6.1} {:>6.1}   {:>6.1} {:>6.1}   {:>6.1} {:>6.1} {:>6.1}  {}",
                shape.name,
                text.len(),
                each(reading),
                each(writing),
                of_json(rendering),
                each(reserved),
                of_json(reserved_for_rendering),
                each(step.taken),
                each(step.reserved),
                each(whole),
                each(document_memory(&text)),
                each(printing),
                written.err().map(|error| error.message).unwrap_or_default(),
            );
            if reading > reserved || writing > reserved {
                exceeded.push(format!(
                    "{} {length}: reading {reading} or writing {writing} of {reserved}",
                    shape.name
                ));
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
            if printing > document_memory(&text) / 2 * 5 {
                exceeded.push(format!(
                    "{} {length}: printing {printing} of two and a half times {}",
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
