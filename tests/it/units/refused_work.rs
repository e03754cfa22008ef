//! The answer to a request whose work is refused.

use openapi::{
    error::{ApiError, ErrorType},
    work::WorkError,
};

#[test]
fn work_beyond_a_limit_is_answered_with_503() {
    let refused = ApiError::from(WorkError::Overloaded);
    assert_eq!(
        (refused.status().as_u16(), refused.kind()),
        (503, ErrorType::Overloaded)
    );
    assert_eq!(refused.into_response().header("retry-after"), Some("5"));
}
