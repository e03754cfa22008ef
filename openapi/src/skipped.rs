//! Items of a body that are left out because they break a rule, where an operation takes the others. The answer counts them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use poem::{
    Response,
    http::{HeaderName, HeaderValue},
};

const HEADER: HeaderName = HeaderName::from_static("x-skipped-items");

tokio::task_local! {
    static SKIPPED: Arc<AtomicUsize>;
}

/// Notes that the current request has items that are left out.
pub fn note(items: usize) {
    // An error means that the operation refuses such items.
    let _ = SKIPPED.try_with(|skipped| skipped.fetch_add(items, Ordering::Relaxed));
}

/// Answers a request, and counts in the headers of a success what was left out.
pub async fn counting(answer: impl Future<Output = Response>) -> Response {
    let skipped = Arc::new(AtomicUsize::new(0));
    let mut response = SKIPPED.scope(Arc::clone(&skipped), answer).await;
    let items = skipped.load(Ordering::Relaxed);
    if items > 0 && response.status().is_success() {
        response.headers_mut().insert(HEADER, HeaderValue::from(items));
    }
    response
}
