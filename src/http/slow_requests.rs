//! The time that the spans within a slow request took, by their names.

use std::time::{Duration, Instant};

use tracing::{Id, Span, Subscriber, span::Attributes};
use tracing_subscriber::{
    Layer, Registry,
    layer::Context,
    registry::{LookupSpan, SpanData},
};

/// Requests that take longer have a line of their own.
pub const SLOW: Duration = Duration::from_secs(1);

/// Keeps the times of the spans within each span.
pub struct SpanTimes;

struct Times {
    began: Instant,
    within: Vec<Part>,
}

/// The spans of a name.
struct Part {
    name: &'static str,
    sum: Duration,
    count: usize,
}

impl Times {
    fn add(&mut self, name: &'static str, took: Duration) {
        match self.within.iter_mut().find(|part| part.name == name) {
            Some(part) => {
                part.sum = part.sum.saturating_add(took);
                part.count = part.count.saturating_add(1);
            }
            None => self.within.push(Part {
                name,
                sum: took,
                count: 1,
            }),
        }
    }

    fn text(&self) -> String {
        let parts = self.within.iter();
        let parts = parts.map(|part| format!("{} {} ms ({})", part.name, part.sum.as_millis(), part.count));
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for SpanTimes {
    fn on_new_span(&self, _: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let times = Times {
            began: Instant::now(),
            within: Vec::new(),
        };
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(times);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(times) = span.extensions_mut().remove::<Times>() else {
            return;
        };
        if let Some(parent) = span.parent()
            && let Some(of_parent) = parent.extensions_mut().get_mut::<Times>()
        {
            of_parent.add(span.name(), times.began.elapsed());
        }
    }
}

/// The times of the spans within a span, such as `guard 2 ms (1), write 1830 ms (3)`. `None`: nobody keeps them.
pub fn within(span: &Span) -> Option<String> {
    span.with_subscriber(|(id, subscriber)| {
        let registry = subscriber.downcast_ref::<Registry>()?;
        let span = registry.span_data(id)?;
        let extensions = span.extensions();
        extensions.get::<Times>().map(Times::text)
    })?
}
