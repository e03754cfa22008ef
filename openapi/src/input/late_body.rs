//! Bodies, which stubs take unread.

use std::marker::PhantomData;

use poem::{Body, RequestBody};

use crate::error::ApiError;

/// A JSON body that is not read yet: nobody without access makes the server parse anything.
pub struct LateBody<T, const REQUIRED: bool>(Body, PhantomData<T>);

impl<T, const REQUIRED: bool> LateBody<T, REQUIRED> {
    /// The body of a request, taken out of it.
    pub fn taken(mut body: RequestBody) -> Result<Self, ApiError> {
        let taken = body.take().map_err(ApiError::internal)?;
        Ok(Self(taken, PhantomData))
    }

    pub(super) fn into_inner(self) -> Body {
        self.0
    }
}
