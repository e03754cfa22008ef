//! Peak memory of documents whose values take much more than their bytes.

use peak_alloc::PeakAlloc;
use specifications::{Bundle, Changes, Outline};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1024 * 1024;

/// The most memory for one document or one comparison.
const MAX_PEAK: usize = 256 * MIB;

/// Bytes of the parts of a document.
const BYTES: usize = 5 * MIB;

/// Returns the peak of allocated bytes during `work`, beyond those before it.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = work();
    (MEMORY.peak_usage().saturating_sub(before), result)
}

/// So many bytes of numbered parts.
fn parts(bytes: usize, part: impl Fn(usize) -> String) -> String {
    let mut all = String::with_capacity(bytes + 100);
    let mut number = 0;
    while all.len() < bytes {
        if number > 0 {
            all.push(',');
        }
        all.push_str(&part(number));
        number += 1;
    }
    all
}

fn document(version: &str, members: &str) -> String {
    format!(r#"{{{version},"info":{{"title":"T","version":"1"}},{members}}}"#)
}

/// A document with so many bytes of parts.
type Shape = fn(usize) -> String;

const SHAPES: [(&str, Shape); 11] = [
    ("small objects", |bytes| list(bytes, |_| r#"{"a":0}"#.to_owned())),
    ("empty objects", |bytes| list(bytes, |_| "{}".to_owned())),
    ("numbers", |bytes| list(bytes, |_| "0".to_owned())),
    ("nested objects", |bytes| {
        list(bytes, |_| r#"{"a":{"b":{"c":[[0]]}}}"#.to_owned())
    }),
    ("objects of four members", |bytes| {
        list(bytes, |_| r#"{"a":0,"b":0,"c":0,"d":0}"#.to_owned())
    }),
    ("references", |bytes| {
        let schemas = parts(bytes, |number| {
            format!(
                r##""S{number}":{{"$ref":"#/components/schemas/S{}"}}"##,
                number.saturating_sub(1)
            )
        });
        openapi(&format!(r#""components":{{"schemas":{{{schemas}}}}}"#))
    }),
    ("paths", |bytes| {
        let paths = parts(bytes, |number| format!(r#""/{number}":{{"get":{{"responses":{{}}}}}}"#));
        openapi(&format!(r#""paths":{{{paths}}}"#))
    }),
    ("YAML", |bytes| {
        let head = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\nx-a: [";
        format!("{head}{}]", parts(bytes, |_| "{a: 0}".to_owned()))
    }),
    ("YAML that would be a key", |bytes| {
        let head = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\nx-a:\n - [";
        format!("{head}{}]", parts(bytes, |_| "0".to_owned()))
    }),
    ("JSON with an error at its end", |bytes| {
        list(bytes / 4, |_| "0".to_owned()).replace("0]", "0 0]")
    }),
    ("copies of an upgrade", |bytes| {
        let operation = r#"{"get":{"responses":{"200":{"description":"","schema":{"type":"string"}}}}}"#;
        let paths = parts(bytes / 10, |number| format!(r#""/{number}":{operation}"#));
        let media = parts(1_000, |number| format!(r#""a/{number}""#));
        document(
            r#""swagger":"2.0""#,
            &format!(r#""produces":[{media}],"paths":{{{paths}}}"#),
        )
    }),
];

fn openapi(members: &str) -> String {
    let paths = if members.contains(r#""paths""#) {
        ""
    } else {
        r#""paths":{},"#
    };
    document(r#""openapi":"3.0.3""#, &format!("{paths}{members}"))
}

fn list(bytes: usize, part: impl Fn(usize) -> String) -> String {
    openapi(&format!(r#""x-a":[{}]"#, parts(bytes, part)))
}

/// The most memory, and the longest finished document of a shape. Those with too many values are refused.
fn longest(shape: Shape) -> (usize, Option<Vec<u8>>) {
    let mut most = 0;
    for part in [1, 2, 4, 8, 16, 32] {
        let text = shape(BYTES / part);
        let (peak, finished) = peak(|| Bundle::open(text.as_bytes(), None).and_then(Bundle::finish));
        most = most.max(peak);
        if let Ok(finished) = finished {
            return (most, Some(finished.document));
        }
    }
    (most, None)
}

#[test]
fn values_take_bounded_memory() {
    let mut exceeded = Vec::new();
    for (name, shape) in SHAPES {
        let (finishing, finished) = longest(shape);
        let finished = finished.unwrap_or_default();
        let (outline, _) = peak(|| Outline::read(&finished));
        let other = [finished.as_slice(), b" "].concat();
        let (comparing, _) = peak(|| Changes::between_texts(&finished, &other).is_ok());
        let peaks = [finishing, outline, comparing].map(|bytes| bytes / MIB);
        println!(
            "{name}: MiB of {} bytes finished, outlined, compared: {peaks:?}",
            finished.len()
        );
        if finishing.max(outline).max(comparing) > MAX_PEAK {
            exceeded.push((name, peaks));
        }
    }
    assert!(exceeded.is_empty(), "{exceeded:?}");
}
