//! The most memory that a text takes, by its shape.

mod shapes;

use peak_alloc::PeakAlloc;
use rich_text::{DocumentLimits, UrlResolver, render_with};
use shapes::SHAPES;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The bytes of each text, an eighth of the longest one.
const LENGTH: usize = DocumentLimits::MAX_BYTES / 8;

/// The most for a text of this length: an eighth of three quarters of what the server has for a heavy computation.
const MOST: usize = 384 * 1024 * 1024 / 8;

/// Returns the peak of allocated bytes during `work`, beyond those before it.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = work();
    (MEMORY.peak_usage().saturating_sub(before), result)
}

/// Everything in one test, because the peak is that of the process. `ONLY=code` chooses the shapes with this word in their names.
#[test]
fn texts_take_a_bounded_multiple_of_their_bytes() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let limits = DocumentLimits::of_new_texts();
    let mut exceeded = Vec::new();
    println!("bytes for each byte: read with its JSON, rendered");
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(&only)) {
        let text = shape.text(LENGTH);
        let (reading, document) = peak(|| {
            let document = rich_text::parse(&text, &limits);
            let json = document.as_ref().ok().map(serde_json::to_vec);
            assert!(json.is_none_or(|json| json.is_ok()));
            document
        });
        let (rendering, refused) = match &document {
            Ok(document) => (peak(|| render_with(document, &limits, &UrlResolver)).0, ""),
            Err(refusal) => (0, refusal.message.as_str()),
        };
        let [read, rendered] = [reading, rendering].map(|bytes| bytes / text.len());
        println!("{:>36} {read:>6} {rendered:>6}  {refused}", shape.name);
        if reading.max(rendering) > MOST {
            exceeded.push((shape.name, reading, rendering));
        }
    }
    assert!(exceeded.is_empty(), "{exceeded:?}");
}
