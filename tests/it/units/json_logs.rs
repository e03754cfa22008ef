//! Lines of the log as JSON.

use bindery::commands::logs::json::{JsonFields, JsonLines};
use std::sync::{Arc, Mutex};

use platform::request_context::RequestContext;
use serde_json::{Value, json};
use tracing_subscriber::{fmt, layer::SubscriberExt};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The lines that `work` logs, without their times.
fn logged(work: impl FnOnce()) -> Vec<Value> {
    let lines = Lines::default();
    let sink = lines.clone();
    let layer = fmt::layer()
        .fmt_fields(JsonFields)
        .event_format(JsonLines)
        .with_writer(move || sink.clone());
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), work);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let parse = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let time = line["timestamp"].take();
        let time = time.as_str().unwrap();
        assert_eq!(time.len(), "2026-09-14T12:00:00.000000Z".len(), "{time}");
        assert!(chrono::DateTime::parse_from_rfc3339(time).is_ok(), "{time}");
        line
    };
    text.lines().map(parse).collect()
}

#[test]
fn a_line_has_its_fields_and_its_spans() {
    let lines = logged(|| {
        let job = tracing::info_span!("job", id = "a-1", kind = tracing::field::Empty);
        job.record("kind", "import");
        let _job = job.enter();
        let _step = tracing::info_span!("step").entered();
        tracing::warn!(target: "here", text = "a \"b\" \\ \n \u{1} é", count = 3, part = 0.5, missing = f64::NAN, fine = true, none = None::<u64>, "it {}", "failed");
    });
    let expected = json!({
        "timestamp": null, "level": "WARN", "message": "it failed", "text": "a \"b\" \\ \n \u{1} é", "count": 3,
        "part": 0.5, "missing": null, "fine": true, "target": "here",
        "spans": [{ "id": "a-1", "kind": "import", "name": "job" }, { "name": "step" }],
    });
    assert_eq!(lines, [expected]);
}

#[test]
fn a_line_outside_of_spans_has_none() {
    let lines = logged(|| tracing::info!(target: "here", caller = tracing::field::display("ü")));
    let expected = json!({ "timestamp": null, "level": "INFO", "caller": "ü", "target": "here" });
    assert_eq!(lines, [expected]);
}

#[tokio::test]
async fn a_line_names_the_request_that_its_task_works_for() {
    let request = Arc::new(RequestContext::new("a-1".to_owned()));
    let lines = Arc::clone(&request).scope(async {
        let mut lines = logged(|| tracing::info!(target: "here", "before"));
        request.set_operation("getSpace");
        lines.extend(logged(|| tracing::info!(target: "here", "after")));
        lines
    });
    let line = |message: &str| json!({ "timestamp": null, "level": "INFO", "message": message, "request_id": "a-1", "target": "here" });
    let mut after = line("after");
    after["operation"] = "getSpace".into();
    assert_eq!(lines.await, [line("before"), after]);
}
